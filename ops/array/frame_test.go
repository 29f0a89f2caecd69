package array

import (
	"testing"

	"weft/ops"
	"weft/ops/problem"
)

// system is a map projection.
type system string

func (s system) Same(o ops.Frame) bool { return s == o }
func (s system) String() string        { return string(s) }

// The system that coordinates are in goes with them through whatever moves, cuts and joins elements, and two systems do not mix.
func TestFramesFollowTheirCoordinates(t *testing.T) {
	in := func(s ops.Frame, first float64) ops.Type {
		x := line("x", 4, "m", first, 1)
		x.Frame = s
		return typ(ops.F32, "", x)
	}
	utm, other := in(system("UTM"), 0), in(system("Gauss"), 0)
	whole := ops.Range{From: index(1), To: index(2)}
	for _, c := range []struct {
		op   string
		args *args
		want ops.Frame
	}{
		{"slice", newArgs().array("input", utm).with("index", pairs(ops.Pair{Name: "x", Value: whole})), system("UTM")},
		{"reverse", newArgs().array("input", utm).with("dim", ops.Symbol("x")), system("UTM")},
		{"concat", newArgs().list("arrays", utm, in(system("UTM"), 4)).with("dim", ops.Symbol("x")), system("UTM")},
		{"concat", newArgs().list("arrays", in(nil, 0), in(system("UTM"), 4)).with("dim", ops.Symbol("x")), system("UTM")},
		{"concat", newArgs().list("arrays", utm, typ(ops.F32, "", dim("x", 2))).with("dim", ops.Symbol("x")), nil},
		{"add", newArgs().array("a", in(nil, 0)).array("b", utm), system("UTM")},
	} {
		out, err := infer(spec(t, c.op), c.args.values)
		if err != nil {
			t.Fatal(c.op, err)
		}
		if got := out[0].Type.Dims[0].Frame; got != c.want {
			t.Errorf("%s: in %v, want %v", c.op, got, c.want)
		}
	}
	newArgs().list("arrays", utm, other).with("dim", ops.Symbol("x")).fails(t, "concat", problem.CoordinateMismatch, "UTM", "Gauss")
	newArgs().array("a", utm).array("b", other).fails(t, "add", problem.CoordinateMismatch, "UTM", "Gauss")
}
