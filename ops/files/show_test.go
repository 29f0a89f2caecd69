package files

import (
	"bytes"
	"context"
	"io"
	"strings"
	"testing"

	"weft/kernels/ir"
	"weft/ops"
	"weft/ops/optest"
)

// screen is a terminal that remembers.
type screen struct {
	bytes.Buffer
	rich bool
}

func (*screen) Size() (columns, rows int)   { return 60, 20 }
func (s *screen) Rich() bool                { return s.rich }
func (s *screen) To(io.Writer) ops.Terminal { return s }

func shownText(t *testing.T, value ops.Value, rich bool, in ...ops.HostArray) string {
	t.Helper()
	c := bind(showSpec(), map[string]ops.Value{"value": value})
	if _, err := c.Spec.Bind(c); err != nil {
		t.Fatal(err)
	}
	s := &screen{rich: rich}
	if _, err := (showing{c}).Take(context.Background(), in, s); err != nil {
		t.Fatal(err)
	}
	return s.String()
}

func TestShowValues(t *testing.T) {
	for want, v := range map[string]ops.Value{
		"1540 m/s\n":     ops.Quantity(1540, "m/s"),
		"hello\n":        ops.Text("hello"),
		"true\n":         ops.Flag(true),
		"[1 mm, 2 mm]\n": ops.List{ops.Quantity(1, "mm"), ops.Quantity(2, "mm")},
	} {
		if got := shownText(t, v, false); got != want {
			t.Errorf("%v is shown as %q", v, got)
		}
	}
}

func showArray(t *testing.T, typ ops.Type, values []float64, rich bool) string {
	t.Helper()
	h := optest.Host(typ, ir.Pad{Before: 1, After: 2})
	d := optest.Random(typ, 1, 0)
	if values != nil {
		d.Re = values
	}
	if err := h.SetDense(d); err != nil {
		t.Fatal(err)
	}
	return shownText(t, optest.Array(typ), rich, h)
}

func TestShowArrays(t *testing.T) {
	mm := ops.MustUnit("mm")
	x := ops.Dim{Name: "x", Size: 3, Unit: mm, Coords: []float64{0, 1e-3, 2e-3}}
	for _, tt := range []struct {
		name  string
		typ   ops.Type
		value []float64
		words []string
	}{
		{"single value", ops.Type{Elem: ops.F32, Unit: mm}, []float64{3e-3}, []string{"3 mm\n"}},
		{"mask", ops.Type{Elem: ops.Bool, Dims: []ops.Dim{x}}, []float64{1, 0, 1}, []string{"bool [x: 3]", "0 mm", "2 mm", "true  false"}},
		{"table", ops.Type{Elem: ops.F64, Dims: append(optest.Dims("y", 2), x), Unit: mm}, []float64{1e-3, 2e-3, 3e-3, 4e-3, 5e-3, 6e-3}, []string{`y\x`, "1 mm", "4     5     6"}},
		{"line", ops.Type{Elem: ops.F32, Dims: optest.Dims("t", 100)}, nil, []string{"t from 0 to 99", "least", "largest"}},
		{"plane", ops.Type{Elem: ops.F32, Dims: optest.Dims("y", 20, "x", 30)}, nil, []string{"f32 [y: 20, x: 30]", "@"}},
		{"complex plane", ops.Type{Elem: ops.C64, Dims: optest.Dims("y", 20, "x", 30)}, nil, []string{"c64 [y: 20, x: 30]", "@"}},
		{"volume", ops.Type{Elem: ops.F32, Dims: optest.Dims("x", 9, "y", 20, "z", 30)}, nil, []string{"largest along y", "largest along x", "largest along z"}},
		{"more dims", ops.Type{Elem: ops.F32, Dims: optest.Dims("a", 2, "b", 3, "c", 4, "d", 5)}, nil, []string{"least", "mean"}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			for _, rich := range []bool{false, true} {
				got := showArray(t, tt.typ, tt.value, rich)
				for _, w := range tt.words {
					if !strings.Contains(got, w) && !(rich && w == "@") {
						t.Errorf("rich %v: no %q in\n%s", rich, w, got)
					}
				}
				if !rich && strings.Contains(got, "\x1b") {
					t.Errorf("escapes in plain text:\n%q", got)
				}
			}
		})
	}
}
