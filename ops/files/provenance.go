package files

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"

	"weft/ops"
	"weft/ops/files/fileio"
	"weft/ops/files/format"
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
	text, err := provenanceOf(path)
	if err != nil {
		return nil, err
	}
	p := new(ops.Provenance)
	if err := json.Unmarshal([]byte(text), p); err != nil || p.Plan == "" {
		return nil, fmt.Errorf("%s has no provenance: weft did not write it", path)
	}
	return p, nil
}

func provenanceOf(path string) (string, error) {
	if f := formatOf(path, func(f *format.Format) bool { return f.Provenance != nil }); f != nil {
		text, err := f.Provenance(path)
		return text, failure(err, false)
	}
	if _, err := os.Stat(path); err != nil {
		return "", err
	}
	text, err := os.ReadFile(besideName(path))
	if errors.Is(err, fs.ErrNotExist) {
		return "", fmt.Errorf("%s has no provenance: %s is not there; write it by weft run --provenance", path, besideName(path))
	}
	return string(text), err
}

// annotate records in a file that has room for it where it comes from.
func annotate(ctx context.Context, w format.Output) error {
	p, a := ops.ProvenanceOf(ctx), format.Annotator(nil)
	if a, _ = w.(format.Annotator); p == nil || a == nil {
		return nil
	}
	text, err := json.Marshal(p)
	a.Annotate("weft "+p.Weft, string(text))
	return err
}
