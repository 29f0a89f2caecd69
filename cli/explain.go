package cli

import (
	"context"
	"fmt"

	"weft/kernels/device"
	"weft/planner/explain"
)

type explainCommand struct {
	planFlags
	Format  string `enum:"text,json,yaml,dot" default:"text" help:"text, json, yaml or dot."`
	Kernels bool   `help:"Show the generated source of every kernel (text)."`
}

// Run plans, compiles for the schedules, and prints the plan; without schedules if it does not compile.
func (c explainCommand) Run(ctx context.Context, s *streams) error {
	m := openMachine()
	l, p, err := c.plan(s, m)
	if err != nil {
		return err
	}
	for _, missing := range m.missing {
		fmt.Fprintf(s.err, "weft: %s; planned for the interpreter\n", missing.Reason)
	}
	if err := p.Compile(ctx, m.devices[0], c.threads(), device.Options{}); err != nil {
		if ctx.Err() != nil {
			return ctx.Err()
		}
		fmt.Fprintf(s.err, "weft: %s; shown without schedules\n", err)
	}
	if err := l.show(s.err); err != nil {
		return err
	}
	return explain.Write(s.out, c.Format, p, explain.Options{Kernels: c.Kernels})
}
