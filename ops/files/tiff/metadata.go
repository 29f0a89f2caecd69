package tiff

import (
	"errors"
	"fmt"
	"strings"

	"weft/ops/files/tiff/gdal"
)

// readNodata reads GDAL's text of the value of missing elements.
func readNodata(d directory) (*float64, error) {
	text, err := d.text(tagNodata)
	if err != nil {
		return nil, err
	}
	text = strings.TrimSpace(text)
	if text == "" {
		return nil, nil
	}
	v, err := gdal.Number(text)
	if err != nil {
		return nil, &Error{Reason: fmt.Sprintf("has a nodata value that is no number: %s", clip(text)), Help: "set it again, e.g. gdal_edit.py -a_nodata -9999 file.tif"}
	}
	return &v, nil
}

// clip quotes text from a file for an error message, shortened.
func clip(text string) string {
	const most = 60
	if len(text) > most {
		text = text[:most] + "..."
	}
	return fmt.Sprintf("%q", text)
}

// readMetadata reads what GDAL says of the bands: what their elements stand for, and what the bands are of.
func (h *Header) readMetadata(d directory) error {
	text, err := d.text(tagMetadata)
	if err != nil || text == "" {
		return err
	}
	m, err := gdal.Parse(text)
	if err != nil {
		return malformed(tagMetadata, "is no XML (%v)", err)
	}
	n := h.bandsRead()
	h.Scale, h.Offset, err = m.Scaling(max(1, h.Band)-1, n)
	if errors.Is(err, gdal.ErrDiffer) {
		return &Error{Reason: fmt.Sprintf("holds %d bands whose elements stand for different multiples of themselves", h.Bands), Help: oneBand}
	}
	if err != nil {
		return malformed(tagMetadata, "has %v", err)
	}
	if n > 1 {
		h.Across = m.Across(n)
	}
	return nil
}
