package files

import (
	"io"

	"weft/ops"
	"weft/ops/files/picture"
)

// Preview draws an array of two or three dims as PNG, a complex one by its magnitudes; drawn is false for what makes no
// picture.
func Preview(w io.Writer, h ops.HostArray, title string) (drawn bool, err error) {
	if n := len(h.Type.Dims); n != 2 && n != 3 || h.Type.Len() == 0 {
		return false, nil
	}
	if h.Type.Elem.Complex {
		h = magnitudes(h)
	}
	unit := h.Type.Unit
	return true, picture.EncodePNG(w, picture.Figure{Title: title, Panels: picture.Panels(h, unit), Scale: picture.Scale{Label: unit.String()}})
}
