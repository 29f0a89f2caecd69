// Package tile is how the points of a tile lie on lanes and vectors in flight.
package tile

import (
	"math"
	"slices"

	"weft/kernels/ir"
	"weft/kernels/schedule"
)

// Tail is what a variant does about tiles that are no multiple of its step.
type Tail uint8

// The tails.
const (
	Overlap Tail = iota // moves the last step back: needs a tile of at least a step, and stores that may repeat
	Cut                 // cuts axis values to the tile, so that surplus lanes repeat its last points
	Inside              // is Overlap, of tiles where indices that are held, wrapped or mirrored at the ends need not be
)

// Geometry is how the points of a tile lie on lanes and vectors in flight.
type Geometry struct {
	Axes       []*ir.Node
	Schedule   schedule.CPU
	W, V       int    // lanes, and vectors in flight
	Lanes      ir.Set // the axes that lanes run along
	Clamp      bool   // the tile may be smaller than a step: axis values are cut to the tile
	Tail       Tail
	BesideAxis *ir.Node // the axis along which vectors in flight, of a lane each, lie beside each other; nil: they lie a block of lanes apart
}

// Canon drops from the number of a vector in flight what a value with this variation does not depend on.
func (g *Geometry) Canon(vary ir.Set, v int) int {
	if g.Schedule.Flat > 0 && vary.Meets(g.Lanes) {
		return v
	}
	out, weight := 0, 1
	for _, u := range slices.Backward(g.Schedule.Unroll) {
		if vary.Meets(g.Axes[u.Axis].Bind()) {
			out += v % u.N * weight
		}
		v /= u.N
		weight *= u.N
	}
	return out
}

// Copies lists the distinct vectors in flight of a value with this variation.
func (g *Geometry) Copies(vary ir.Set) []int {
	var out []int
	for v := range g.V {
		if g.Canon(vary, v) == v {
			out = append(out, v)
		}
	}
	return out
}

// LaneCount is the extent of the lane tile along an axis.
func (g *Geometry) LaneCount(axis *ir.Node) int {
	for _, l := range g.Schedule.Lanes {
		if g.Axes[l.Axis] == axis {
			return l.N
		}
	}
	return 1
}

// Offset is how far vector v lies from the first along an axis, in points.
func (g *Geometry) Offset(axis *ir.Node, v int) int {
	for _, u := range slices.Backward(g.Schedule.Unroll) {
		if g.Axes[u.Axis] == axis {
			if axis == g.BesideAxis {
				return v % u.N
			}
			return v % u.N * g.LaneCount(axis)
		}
		v /= u.N
	}
	return 0
}

// Beside is how many vectors in flight lie beside each other along an axis.
func (g *Geometry) Beside(axis *ir.Node) int {
	if axis == g.BesideAxis {
		for _, u := range g.Schedule.Unroll {
			if g.Axes[u.Axis] == axis {
				return u.N
			}
		}
	}
	return 1
}

// Neighbour is the vector that lies so many further along the axis of those that lie beside each other.
func (g *Geometry) Neighbour(v, by int) int {
	weight := 1
	for _, u := range slices.Backward(g.Schedule.Unroll) {
		if g.Axes[u.Axis] == g.BesideAxis {
			return v + by*weight
		}
		weight *= u.N
	}
	return v
}

// LaneCoord is the coordinate of lane l of the tile along an axis.
func (g *Geometry) LaneCoord(axis *ir.Node, l int) int {
	for _, p := range slices.Backward(g.Schedule.Lanes) {
		if g.Axes[p.Axis] == axis {
			return l % p.N
		}
		l /= p.N
	}
	return 0
}

// Step is how many points of an axis one turn of its tile loop covers.
func (g *Geometry) Step(axis *ir.Node) int { return g.Schedule.Step(slices.Index(g.Axes, axis)) }

// Strided reports whether a pattern is 0, n, 2n, ...
func Strided(p []int64, n int64) bool {
	for i, x := range p {
		if x != int64(i)*n {
			return false
		}
	}
	return true
}

// Counting is n numbers from one on.
func Counting(n, from int) []int {
	out := make([]int, n)
	for i := range out {
		out[i] = from + i
	}
	return out
}

// WindowMargin covers what contraction may change between a value and its bound: eight units in the last place of the
// largest index.
func WindowMargin(size int) float64 {
	ulp := math.Nextafter32(float32(size), math.MaxFloat32) - float32(size)
	return max(1.0/64, 8*float64(ulp))
}
