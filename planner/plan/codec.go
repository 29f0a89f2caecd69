package plan

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"

	"gopkg.in/yaml.v3"
)

// YAML writes a plan so that Read reads it.
func YAML(w io.Writer, p any) error {
	e := yaml.NewEncoder(w)
	e.SetIndent(2)
	if err := e.Encode(p); err != nil {
		return err
	}
	return e.Close()
}

// JSON is YAML, as JSON.
func JSON(w io.Writer, p any) error {
	e := json.NewEncoder(w)
	e.SetIndent("", "  ")
	e.SetEscapeHTML(false)
	return e.Encode(p)
}

// Read reads a plan that YAML or JSON wrote. Whether it fits its program is not known before it is bound.
func Read(text []byte) (*Plan, error) {
	p := new(Plan)
	var err error
	if bytes.HasPrefix(bytes.TrimSpace(text), []byte("{")) {
		d := json.NewDecoder(bytes.NewReader(text))
		d.DisallowUnknownFields()
		err = d.Decode(p)
	} else {
		d := yaml.NewDecoder(bytes.NewReader(text))
		d.KnownFields(true)
		err = d.Decode(p)
	}
	format := p.Format
	if err != nil { // other formats have other fields
		var head struct{ Format int }
		if yaml.Unmarshal(text, &head) == nil && head.Format > 0 {
			format = head.Format
		}
	}
	switch {
	case format != FormatVersion && format > 0:
		return nil, fmt.Errorf("a plan of format %d, and this weft reads %d", format, FormatVersion)
	case err != nil:
		return nil, fmt.Errorf("not a plan: %w", err)
	case format == 0:
		return nil, errors.New("not a plan: it has no format")
	}
	return p, nil
}
