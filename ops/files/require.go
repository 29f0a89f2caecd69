package files

import (
	"context"

	"weft/kernels/ir"
	"weft/ops"
	"weft/ops/files/format"
	"weft/ops/problem"
)

func requireSpec() *ops.Spec {
	return &ops.Spec{
		Name: "require", Doc: "Stop where a condition does not hold.", Group: group,
		Long: "What is known beforehand is checked with the program; a condition on the elements of an array, of which all must hold, when they are " +
			"computed: the first at which it does not is told.",
		Returns: "the condition.",
		Params: []ops.Param{
			{Name: "condition", Doc: "what must hold", Accept: ops.KArray | ops.KBool, Unit: "*"},
			ops.Str("text", "what to say where it does not")},
		Examples: []ops.Example{{Title: "What a function asks for", Code: "fn root(a) {\n    require(all(a >= 0), \"a must not be negative\")\n    sqrt(a)\n}\nshow(root(axis(x, 0 .. 3 in 4)))"}},
		Counts:   true,
		Bind: func(c *ops.Call) (ops.Op, error) {
			r := requirement{c}
			a, ok := c.Array("condition")
			switch {
			case ok && a.Type().Elem.Base != ir.Bool:
				return nil, problem.Wrong(problem.NotABoolean, "condition", "compare it with something, such as `... > 0`", "a condition is true or false, and this is %s", a.Type())
			case ok:
				return r, nil
			case !c.Flag("condition"):
				return nil, r.broken()
			}
			return ops.Known{Value: ops.Flag(true)}, nil
		},
	}
}

// requirement is a use of require on an array.
type requirement struct{ *ops.Call }

// Outputs are none.
func (requirement) Outputs() []ops.Output { return nil }

func (r requirement) broken() error {
	return problem.Wrong(problem.NotMet, "condition", "", "%s", r.Text("text"))
}

func (requirement) Holds() {}

// Take looks for elements that are false.
func (r requirement) Take(_ context.Context, in []ops.HostArray, _ ops.Terminal) (ops.Note, error) {
	t := in[0].Type
	first, count := 0, 0
	for i := range t.Len() {
		if in[0].Float(i) == 0 {
			if count++; count == 1 {
				first = i
			}
		}
	}
	switch {
	case count == 0:
		return ops.Note{}, nil
	case len(t.Dims) == 0:
		return ops.Note{}, r.broken()
	}
	return ops.Note{}, problem.Wrong(problem.NotMet, "condition", "", "%s: not so at %d of %d, the first at %s", r.Text("text"), count, t.Len(), format.IndexText(t, first))
}
