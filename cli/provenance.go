package cli

import (
	"encoding/json"

	"weft/ops/files"
)

type provenanceCommand struct {
	File string `arg:"" help:"File that weft wrote."`
}

// Run prints where a file comes from, as JSON.
func (c provenanceCommand) Run(s *streams) error {
	p, err := files.ReadProvenance(c.File)
	if err != nil {
		return err
	}
	e := json.NewEncoder(s.out)
	e.SetIndent("", "  ")
	return e.Encode(p)
}
