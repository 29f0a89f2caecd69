package cli

import (
	"context"
	"errors"

	"weft/ops/files"
)

type provenanceCommand struct {
	deviceFlags
	File     string `arg:"" help:"File that weft wrote."`
	Rerun    bool   `help:"Run the pipeline again as it was, and compare what it gives with FILE: exit 1 if a byte differs."`
	To       string `placeholder:"FILE" help:"With --rerun, write here what FILE was, in place of comparing."`
	Check    bool   `help:"With --rerun, compare, which is the default."`
	Recorded bool   `help:"With --rerun, run the text recorded in FILE also where the pipeline file is another by now."`
}

// Run prints where a file comes from, as JSON, or makes it again.
func (c provenanceCommand) Run(ctx context.Context, s *streams) error {
	p, err := files.ReadProvenance(c.File)
	if err != nil {
		return err
	}
	switch {
	case !c.Rerun && (c.Check || c.To != "" || c.Recorded):
		return errors.New("--check, --to and --recorded go with --rerun")
	case c.Check && c.To != "":
		return errors.New("--check compares and --to writes: give one of them")
	case c.Rerun:
		return c.rerun(ctx, s, p)
	}
	return writeJSON(s.out, p)
}
