package simulate

import (
	"context"
	"math"
	"testing"

	"weft/ops"
	"weft/ops/optest"
)

// fill computes the layers of a city.
func fill(t *testing.T, args map[string]ops.Value) []ops.HostArray {
	t.Helper()
	op := optest.Bind(t, optest.Call(cityMap, args)).(built)
	var all []ops.HostArray
	for i, o := range op.Outputs() {
		h := ops.NewHostArray(o.Type)
		h.Out = i
		if _, err := op.Fill(context.Background(), h); err != nil {
			t.Fatal(err)
		}
		lo, hi, err := op.Range(i)
		if err != nil {
			t.Fatal(err)
		}
		for j := range o.Type.Len() {
			if v := h.Float(j); v < lo || v > hi {
				t.Fatalf("%s: %g at %d is outside of %g to %g", o.Name, v, j, lo, hi)
			}
		}
		all = append(all, h)
	}
	return all
}

func city(rows, columns, seed int, pixel float64) map[string]ops.Value {
	return map[string]ops.Value{"y": ops.Integer(rows), "x": ops.Integer(columns), "seed": ops.Integer(seed), "pixel": ops.Quantity(pixel, "m")}
}

func TestCityIsItsPlaceAlone(t *testing.T) {
	small, large := fill(t, city(90, 120, 5, 2)), fill(t, city(130, 160, 5, 2))
	for i := range small {
		for row := range 90 {
			for column := range 120 {
				a, b := small[i].Float(row*120+column), large[i].Float(row*160+column)
				if a != b && !(math.IsNaN(a) && math.IsNaN(b)) {
					t.Fatalf("layer %d, row %d, column %d: %g in a small city, %g in a large one", i, row, column, a, b)
				}
			}
		}
	}
	if other := fill(t, city(90, 120, 6, 2)); other[0].Float(777) == small[0].Float(777) {
		t.Error("two seeds give one city")
	}
}

// A few blocks hold what a city is made of, in shares like those of one.
func TestCityHasAllParts(t *testing.T) {
	c := fill(t, city(500, 500, 1, 1))
	of := newTown(optest.Call(cityMap, city(500, 500, 1, 1)))
	n := float64(500 * 500)
	var built, trees, bushes float64
	for i := range 500 * 500 {
		bare := of.at(func(t *town, x, y float64) float64 { return t.ground(x, y) }, i/500, i%500)
		if c[0].Float(i) > bare+1 {
			built++
			if !math.IsNaN(c[1].Float(i)) {
				t.Fatal("a tree in a house")
			}
		}
		canopy, trunk, bush := c[1].Float(i), c[2].Float(i), c[3].Float(i)
		switch {
		case math.IsNaN(canopy):
			continue
		case math.IsNaN(trunk) != (bush == canopy):
			t.Fatalf("canopy %g, trunk %g, bush %g", canopy, trunk, bush)
		case math.IsNaN(trunk):
			bushes++
		case trunk >= canopy || trunk <= bare:
			t.Fatalf("trunk zone up to %g under a canopy of %g on ground at %g", trunk, canopy, bare)
		default:
			trees++
		}
	}
	for _, s := range []struct {
		name       string
		share      float64
		least, top float64
	}{{"built", built / n, 0.2, 0.6}, {"trees", trees / n, 0.02, 0.3}, {"bushes", bushes / n, 0.002, 0.1}} {
		if s.share < s.least || s.share > s.top {
			t.Errorf("%s: a share of %.3f", s.name, s.share)
		}
	}
}

func TestCityBounds(t *testing.T) {
	if _, err := cityMap.Bind(optest.Call(cityMap, city(1<<21, 4, 1, 1))); err == nil {
		t.Error("two million rows pass")
	}
}
