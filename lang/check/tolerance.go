package check

import (
	"weft/lang/diag"
	"weft/ops"
	"weft/ops/problem"
)

// tolerate gives the arrays that sinks take the tolerance of the command line, save those with one of their own.
func (c *checker) tolerate() {
	if c.opt.Tolerance == "" {
		return
	}
	wrong := func(format string, a ...any) {
		c.report(problem.BadOverride, diag.Span{}, "--tolerance %s: "+format, append([]any{oneLine(c.opt.Tolerance)}, a...)...).Helpf("write it as in the file, for example --tolerance '0.1 dB'")
	}
	var v ops.Value
	failed := c.trial(func() {
		if e := c.expression("--tolerance", c.opt.Tolerance); e != nil {
			v = c.eval(e, nil)
		}
	})
	n, ok := v.(ops.Number)
	switch {
	case failed != nil:
		wrong("%s", failed.Message)
		return
	case !ok || n.V == 0 || n.Unit.Offset != 0:
		wrong("this is not an error that could be allowed")
		return
	}
	for _, s := range c.program.Sinks {
		s.Call.Arrays(func(_ string, a ops.Array) {
			if a.Of.Hints.Tolerance.V == 0 {
				a.Of.Hints.Tolerance = n
			}
		})
	}
}
