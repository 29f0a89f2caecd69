package sky

import (
	"math"
	"math/rand/v2"
	"testing"

	"weft/ops"
	"weft/ops/optest"
)

func deg(v float64) ops.Value { return ops.Quantity(v, "deg") }

// arguments of a call and the values of its arrays.
type arguments struct {
	values map[string]ops.Value
	data   map[string]ops.Dense
}

// land begins a call on a raster of the given pixel size and heights row by row.
func land(rows, columns int, pixel float64, height func(row, column int) float64) *arguments {
	a := &arguments{map[string]ops.Value{}, map[string]ops.Dense{}}
	a.values["pixel"] = ops.Quantity(pixel, "m")
	return a.layer("input", rows, columns, height)
}

func (a *arguments) layer(name string, rows, columns int, height func(row, column int) float64) *arguments {
	d := ops.NewDense(false, rows, columns)
	for i := range d.Re {
		d.Re[i] = float64(float32(height(i/columns, i%columns)))
	}
	a.data[name] = d
	a.values[name] = optest.Array(landType(rows, columns))
	return a
}

func (a *arguments) check(t *testing.T, s *ops.Spec) {
	t.Helper()
	optest.Check(t, optest.Call(s, a.values), a.data)
}

// hills are random heights with some pixels missing.
func hills(seed uint64, low, high, missing float64) func(row, column int) float64 {
	return func(row, column int) float64 {
		r := rand.New(rand.NewPCG(seed, uint64(row*100003+column)))
		if r.Float64() < missing {
			return math.NaN()
		}
		return low + (high-low)*r.Float64()*r.Float64()
	}
}

// landType is the type of a raster of heights.
func landType(rows, columns int) ops.Type {
	return ops.Type{Elem: ops.F32, Unit: ops.MustUnit("m"), Dims: optest.Dims("y", rows, "x", columns)}
}
