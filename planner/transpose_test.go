package planner_test

import (
	"strings"
	"testing"

	"weft/planner"
)

// Where elements are taken at loaded places, what is taken for all of another dim lies side by side, if readers gain by it.
func TestGatheredArraysLieAsReadersTakeThem(t *testing.T) {
	const rows = `entry = axis(entry, 0 .. 1 in 2000000)
column = cast(mod(indices(entry, entry) * 7919, 2000), u16) @keep
first = cast(1000 * indices(axis(row, 0 .. 1 in 2000), row), i64)
`
	for text, want := range map[string]string{
		`w = axis(k, 0 .. 1 in 16) + axis(probe, 0 .. 1 in 16)
z = sum(sin(axis(x, 0 .. 1 in 2000) * axis(k, 0 .. 1 in 16)) * w, over: k)
`: "probe",
		`z = sum(sin(axis(row, 0 .. 1 in 2000) * axis(x, 0 .. 1 in 2000)) * axis(k, 0 .. 1 in 2), over: k)
`: "x", // each row has its own
	} {
		text = rows + text + `sum(entry * z[x: column], over: entry in first .. first + 999) | write("y.npy")`
		p, err := planner.Build(checked(t, text).Sinks, avx2(t).Info(), planner.Options{Threads: 4})
		if err != nil {
			t.Fatal(err)
		}
		last := "" // along which elements lie side by side
		for _, b := range p.Buffers {
			if n := len(b.Array.Type.Dims); n == 2 && !strings.HasPrefix(b.Array.Name, "write") {
				if last = b.Array.Type.Dims[n-1].Name; b.Transposed {
					last = b.Array.Type.Dims[n-2].Name
				}
			}
		}
		if last != want {
			t.Errorf("side by side along %q, want %q\n%s", last, want, text)
		}
	}
}

// Arrays of narrow rows whose readers have lanes along the dim before lie crosswise: lanes load what lies side by side.
func TestNarrowRowsLieCrosswise(t *testing.T) {
	for text, want := range map[string]string{
		`sum((sin(axis(pixel, 0 .. 1 in 2000) * axis(velocity, 0 .. 1 in 400) + axis(template, 0 .. 1 in 4)) * axis(spectrum, 1 .. 2 in 7)) ^ 2, over: pixel) | write("y.npy")`:  "velocity",
		`sum((sin(axis(pixel, 0 .. 1 in 2000) * axis(velocity, 0 .. 1 in 400) + axis(template, 0 .. 1 in 40)) * axis(spectrum, 1 .. 2 in 7)) ^ 2, over: pixel) | write("y.npy")`: "template", // lanes have room along these
		`sum((sin(axis(pixel, 0 .. 1 in 2000) * axis(velocity, 0 .. 1 in 400) + axis(template, 0 .. 1 in 17)) * axis(spectrum, 1 .. 2 in 7)) ^ 2, over: pixel) | write("y.npy")`: "velocity", // a third of the lanes would idle
	} {
		p, err := planner.Build(checked(t, text).Sinks, avx2(t).Info(), planner.Options{Threads: 4})
		if err != nil {
			t.Fatal(err)
		}
		last := "" // along which elements of the largest array that no sink takes lie side by side
		for _, b := range p.Buffers {
			if dims := b.Array.Type.Dims; len(dims) == 3 && dims[0].Name == "pixel" {
				if last = dims[2].Name; b.Transposed {
					last = dims[1].Name
				}
			}
		}
		if last != want {
			t.Errorf("side by side along %q, want %q\n%s", last, want, text)
		}
	}
}
