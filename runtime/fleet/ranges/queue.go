// Package ranges cuts a box of points into ranges that devices take one after the other.
package ranges

import (
	"math"
	"slices"

	"weft/kernels/region"
)

// Queue is what nobody has taken yet of a job, in the order in which it is taken.
type Queue struct {
	Left  []region.Region
	Given bool    // ranges are those that are left, and not cut
	Steps []int   // of the axes along which ranges are cut: multiples of them cost the devices' programs least
	all   []int   // of those along which they may be cut where memory is short
	Least float64 // points of a range
}

// evenly is how many ranges a device should be able to have, to be done when the others are.
const evenly = 64

// New cuts a box along as few axes as give some devices enough ranges, in steps of each, unless ranges are fixed: those that are given, of equal neighbours one, or else all of it. One device has
// no others to end with: rows do.
func New(over region.Region, given []region.Region, fixed bool, steps []int, devices int) Queue {
	q := Queue{Left: []region.Region{over}, Given: fixed, Steps: steps}
	if given != nil {
		q.Left = slices.CompactFunc(given, region.Region.Equal)
	}
	if q.all = q.Steps; devices < 2 {
		q.Steps = q.Steps[:min(1, len(q.Steps))]
	}
	ranges, want := 1, evenly*max(1, devices)
	for d, step := range q.Steps {
		if ranges *= (over[d].Len() + step - 1) / step; ranges >= want && !q.Given {
			q.Steps = q.Steps[:d+1]
			break
		}
	}
	if q.Least = 1; len(q.Steps) > 1 {
		q.Least = float64(over.Points()) / float64(want)
	}
	return q
}

// Points that nobody has taken.
func (q *Queue) Points() (n float64) {
	for _, r := range q.Left {
		n += float64(r.Points())
	}
	return n
}

// Cut is about n points at an end of a box: whole steps along the first axis of which one is no more than that.
func (q *Queue) Cut(r region.Region, n float64, last bool) region.Region {
	for d, step := range q.Steps {
		slice := float64(r.Points()) / float64(max(1, r[d].Len())) * float64(step)
		at := r[d]
		if k := step * int(math.Ceil(max(1, n/slice))); k >= at.Len() {
		} else if last {
			at.Lo = at.Hi - k
		} else {
			at.Hi = at.Lo + k
		}
		if r = r.Along(d, at); n >= slice {
			break
		}
	}
	return r
}

// Half is half a box, where memory is short.
func (q *Queue) Half(r region.Region) region.Region {
	return (&Queue{Steps: q.all}).Cut(r, float64(r.Points())/2, false)
}

// Extremes are ranges that may be the largest of a job, and one of the smallest, which need as much as others do.
type Extremes struct {
	Large []region.Region
	Small region.Region
}

// Extremes of what is cut, in the middle, and all of what is given.
func (q *Queue) Extremes(most float64) Extremes {
	if len(q.Left) == 0 {
		return Extremes{}
	}
	all := q.Left[0]
	for _, r := range q.Left {
		if r.Points() > all.Points() {
			all = r
		}
	}
	e := Extremes{Large: slices.Clone(q.Left)}
	if !q.Given {
		e.Large = []region.Region{amid(q.Cut(all, most, false), all)}
	}
	e.Small = amid((&Queue{Steps: q.all}).Cut(all, 1, false), all)
	return e
}

// amid is a part of a box in the middle of its rows.
func amid(at, all region.Region) region.Region {
	if len(at) == 0 {
		return at
	}
	lo := all[0].Lo + (all[0].Len()-at[0].Len())/2
	return at.Along(0, region.Interval{Lo: lo, Hi: lo + at[0].Len()})
}

// First is a range to take, of about n points: one of which the device has the inputs, else one that no other device has, else the end
// of what others have, who take theirs from the start.
func (q *Queue) First(n float64, home, others region.Set) region.Region {
	if q.Given {
		if i := slices.IndexFunc(q.Left, home.Holds); i >= 0 {
			return q.Left[i]
		}
		return q.Left[max(0, slices.IndexFunc(q.Left, func(r region.Region) bool { return !others.Holds(r) }))]
	}
	for _, r := range q.Left {
		for _, h := range home {
			if o := r.Intersect(h); !o.Empty() {
				return q.Cut(o, n, false)
			}
		}
	}
	free := region.Set(q.Left)
	for _, o := range others {
		free = free.Without(o)
	}
	if len(free) > 0 {
		return q.Cut(free[0], n, false)
	}
	return q.Cut(q.Left[len(q.Left)-1], n, true)
}

// Remove takes a range that first gave out of the queue.
func (q *Queue) Remove(at region.Region) {
	i := slices.IndexFunc(q.Left, at.Within)
	rest := region.Set{q.Left[i]}.Without(at)
	slices.Reverse(rest) // what is beside it comes before what is behind
	q.Left = slices.Replace(q.Left, i, i+1, rest...)
}
