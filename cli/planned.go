package cli

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"slices"

	"weft/ops/files/fileio"
	"weft/planner"
	"weft/planner/plan"
	"weft/runtime/session"
)

type planCommand struct {
	planFlags
	Dump   string `placeholder:"PASS" help:"Print the module after a pass of planning instead (${passes})."`
	Output string `short:"o" placeholder:"FILE" help:"Write to a file, as JSON where its name ends in .json, instead of the terminal."`
}

// Run plans the file and writes the plan, which `weft run` takes in place of the file.
func (c planCommand) Run(ctx context.Context, s *streams) error {
	if e := filepath.Ext(c.Output); c.Dump == "" && c.Output != "" && !slices.Contains([]string{".yaml", ".yml", ".json"}, e) {
		return fmt.Errorf("a plan is written to a file ending in .yaml or .json, by which weft run knows it, not to %s", c.Output)
	}
	var opt session.PlanOptions
	var dump bytes.Buffer
	if c.Dump != "" {
		after, err := planner.Dump(&dump, c.Dump)
		if err != nil {
			return err
		}
		opt.After, opt.AsWritten = after, true
	}
	_, prog, p, err := c.plan(ctx, s, opt)
	if err == nil {
		err = show(s.err, &prog.Found)
	}
	if c.Dump != "" { // what there is, also where a later pass fails
		_, e := dump.WriteTo(s.out)
		return errors.Join(err, e)
	}
	if err != nil {
		return err
	}
	write := plan.YAML
	if filepath.Ext(c.Output) == ".json" {
		write = plan.JSON
	}
	if c.Output == "" {
		return write(s.out, p.Value())
	}
	return fileio.WriteFile(c.Output, func(w io.Writer) error { return write(w, p.Value()) })
}
