package array

import (
	"testing"
	"weft/ops/optest"

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
		x := optest.Line("x", 4, "m", first, 1)
		x.Frame = s
		return optest.Type(ops.F32, "", x)
	}
	utm, other := in(system("UTM"), 0), in(system("Gauss"), 0)
	whole := ops.Range{From: ops.Integer(1), To: ops.Integer(2)}
	for _, c := range []struct {
		op   string
		args *optest.Args
		want ops.Frame
	}{
		{"slice", optest.NewArgs().Array("input", utm).With("index", ops.List{ops.Pair{Name: "x", Value: whole}}), system("UTM")},
		{"reverse", optest.NewArgs().Array("input", utm).With("dim", ops.Symbol("x")), system("UTM")},
		{"concat", optest.NewArgs().List("arrays", utm, in(system("UTM"), 4)).With("dim", ops.Symbol("x")), system("UTM")},
		{"concat", optest.NewArgs().List("arrays", in(nil, 0), in(system("UTM"), 4)).With("dim", ops.Symbol("x")), system("UTM")},
		{"concat", optest.NewArgs().List("arrays", utm, optest.Type(ops.F32, "", optest.Dim("x", 2))).With("dim", ops.Symbol("x")), nil},
		{"add", optest.NewArgs().Array("a", in(nil, 0)).Array("b", utm), system("UTM")},
	} {
		out, err := optest.Infer(spec(t, c.op), c.args.Values)
		if err != nil {
			t.Fatal(c.op, err)
		}
		if got := out[0].Type.Dims[0].Frame; got != c.want {
			t.Errorf("%s: in %v, want %v", c.op, got, c.want)
		}
	}
	optest.NewArgs().List("arrays", utm, other).With("dim", ops.Symbol("x")).Fails(t, spec(t, "concat"), problem.CoordinateMismatch, "UTM", "Gauss")
	optest.NewArgs().Array("a", utm).Array("b", other).Fails(t, spec(t, "add"), problem.CoordinateMismatch, "UTM", "Gauss")
}
