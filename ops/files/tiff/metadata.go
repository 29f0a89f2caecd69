package tiff

import (
	"encoding/xml"
	"errors"
	"fmt"
	"math"
	"strconv"
	"strings"
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
	v, err := number(text)
	if err != nil {
		return nil, &Error{Reason: fmt.Sprintf("has a nodata value that is no number: %s", clip(text)), Help: "set it again, e.g. gdal_edit.py -a_nodata -9999 file.tif"}
	}
	return &v, nil
}

// number reads a float. Digits beyond the range are the largest float, which some writers round up.
func number(text string) (float64, error) {
	v, err := strconv.ParseFloat(strings.TrimSpace(text), 64)
	if errors.Is(err, strconv.ErrRange) {
		return math.Copysign(math.MaxFloat64, v), nil
	}
	return v, err
}

// clip quotes text from a file for an error message, shortened.
func clip(text string) string {
	const most = 60
	if len(text) > most {
		text = text[:most] + "..."
	}
	return fmt.Sprintf("%q", text)
}

// gdalMetadata is the XML of the tag GDAL_METADATA as far as it is used.
type gdalMetadata struct {
	XMLName xml.Name   `xml:"GDALMetadata"`
	Items   []gdalItem `xml:"Item"`
}

type gdalItem struct {
	Name   string `xml:"name,attr"`
	Sample string `xml:"sample,attr,omitempty"`
	Role   string `xml:"role,attr,omitempty"`
	Text   string `xml:",chardata"`
}

// readScale reads what turns elements of a band into values. A scale of 1 with no offset is none: both are 0 then.
func readScale(d directory, band int) (scale, offset float64, err error) {
	text, err := d.text(tagMetadata)
	if err != nil || text == "" {
		return 0, 0, err
	}
	var m gdalMetadata
	if err := xml.Unmarshal([]byte(text), &m); err != nil {
		return 0, 0, malformed(tagMetadata, "is no XML (%v)", err)
	}
	scale = 1
	for role, value := range map[string]*float64{"scale": &scale, "offset": &offset} {
		for _, item := range m.Items {
			if item.Role != role || max(item.Sample, "0") != strconv.Itoa(band-1) {
				continue
			}
			if *value, err = number(item.Text); err != nil {
				return 0, 0, malformed(tagMetadata, "has a %s that is no number: %s", role, clip(item.Text))
			}
		}
	}
	if scale == 1 && offset == 0 {
		return 0, 0, nil
	}
	return scale, offset, nil
}

// encodeScale gives the XML for a scale and an offset, "" for none.
func encodeScale(scale, offset float64) (string, error) {
	if scale == 0 {
		return "", nil
	}
	text, err := xml.Marshal(gdalMetadata{Items: []gdalItem{
		{"OFFSET", "0", "offset", strconv.FormatFloat(offset, 'g', -1, 64)},
		{"SCALE", "0", "scale", strconv.FormatFloat(scale, 'g', -1, 64)},
	}})
	return string(text), err
}
