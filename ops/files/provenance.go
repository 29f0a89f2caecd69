package files

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"

	"weft/ops"
	"weft/ops/files/fileio"
	"weft/ops/files/tiff"
)

// besideName is where the provenance of a file without room for it is.
func besideName(path string) string { return path + ".weft.json" }

func writeBeside(path string, p *ops.Provenance) error {
	return fileio.WriteFile(besideName(path), func(w io.Writer) error {
		e := json.NewEncoder(w)
		e.SetIndent("", "  ")
		return e.Encode(p)
	})
}

// ReadProvenance tells where a file that weft wrote comes from.
func ReadProvenance(path string) (*ops.Provenance, error) {
	var text []byte
	if isRaster(path) {
		h, err := tiff.Stat(path)
		if err != nil {
			return nil, failure(err, false)
		}
		text = []byte(h.Description)
	} else {
		if _, err := os.Stat(path); err != nil {
			return nil, err
		}
		var err error
		if text, err = os.ReadFile(besideName(path)); errors.Is(err, fs.ErrNotExist) {
			return nil, fmt.Errorf("%s has no provenance: %s is not there; write it by weft run --provenance", path, besideName(path))
		} else if err != nil {
			return nil, err
		}
	}
	p := new(ops.Provenance)
	if err := json.Unmarshal(text, p); err != nil || p.Plan == "" {
		return nil, fmt.Errorf("%s has no provenance: weft did not write it", path)
	}
	return p, nil
}
