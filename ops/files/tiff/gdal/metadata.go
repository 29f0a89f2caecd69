// Package gdal reads and writes what GDAL says of a raster in XML: what the elements of bands stand for, and the dimension that bands lie along.
package gdal

import (
	"encoding/xml"
	"errors"
	"fmt"
	"math"
	"strconv"
	"strings"
)

// Metadata is the XML of the tag GDAL_METADATA as far as it is used.
type Metadata struct {
	XMLName xml.Name `xml:"GDALMetadata"`
	Items   []Item   `xml:"Item"`
}

// Item is what is said of a band, or of all.
type Item struct {
	Name   string `xml:"name,attr"`
	Sample string `xml:"sample,attr,omitempty"`
	Role   string `xml:"role,attr,omitempty"`
	Text   string `xml:",chardata"`
}

// Parse reads the XML.
func Parse(text string) (m Metadata, err error) {
	err = xml.Unmarshal([]byte(text), &m)
	return m, err
}

// ErrDiffer is that of bands that are not alike.
var ErrDiffer = errors.New("bands differ")

// scaling turns elements of a band into values: scale v + offset.
type scaling struct{ scale, offset float64 }

// Scaling is what turns elements of some bands, from one on, counted from 0, into values. A scale of 1 with no offset is none: both are 0 then.
func (m Metadata) Scaling(first, bands int) (scale, offset float64, err error) {
	read := make([]scaling, bands)
	for i := range read {
		read[i].scale = 1
	}
	for _, item := range m.Items {
		band, err := strconv.Atoi(max(item.Sample, "0"))
		if band -= first; err != nil || band < 0 || band >= len(read) {
			continue
		}
		into := map[string]*float64{"scale": &read[band].scale, "offset": &read[band].offset}[item.Role]
		if into == nil {
			continue
		}
		if *into, err = Number(item.Text); err != nil {
			return 0, 0, fmt.Errorf("a %s that is no number: %.60q", item.Role, item.Text)
		}
	}
	for _, s := range read {
		if s != read[0] {
			return 0, 0, ErrDiffer
		}
	}
	if read[0] == (scaling{1, 0}) {
		return 0, 0, nil
	}
	return read[0].scale, read[0].offset, nil
}

// Encode gives the XML of what is not usual, "" for nothing.
func Encode(a Across, scale, offset float64, bands int) (string, error) {
	m := Metadata{Items: a.items()}
	for i := range bands {
		if scale == 0 {
			break
		}
		band := strconv.Itoa(i)
		m.Items = append(m.Items, Item{"OFFSET", band, "offset", strconv.FormatFloat(offset, 'g', -1, 64)},
			Item{"SCALE", band, "scale", strconv.FormatFloat(scale, 'g', -1, 64)})
	}
	if len(m.Items) == 0 {
		return "", nil
	}
	text, err := xml.Marshal(m)
	return string(text), err
}

// Number reads a float. Digits beyond the range are the largest float, which some writers round up.
func Number(text string) (float64, error) {
	v, err := strconv.ParseFloat(strings.TrimSpace(text), 64)
	if errors.Is(err, strconv.ErrRange) {
		return math.Copysign(math.MaxFloat64, v), nil
	}
	return v, err
}
