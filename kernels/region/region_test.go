package region

import (
	"math/rand/v2"
	"testing"
)

// Every operation on boxes is compared with the same on sets of points.
func TestBoxesAreSetsOfPoints(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	box := func() Region {
		r := make(Region, 2)
		for d := range r {
			r[d].Lo = rng.IntN(5)
			r[d].Hi = r[d].Lo + rng.IntN(4) - 1
		}
		return r
	}
	holds := func(r Region, x, y int) bool {
		return r[0].Lo <= x && x < r[0].Hi && r[1].Lo <= y && y < r[1].Hi
	}
	for range 5000 {
		a, b := box(), box()
		hull, both := a.Hull(b), a.Intersect(b)
		var points int64
		within := true
		for x := range 9 {
			for y := range 9 {
				inA, inB := holds(a, x, y), holds(b, x, y)
				if inA {
					points++
				}
				within = within && (!inA || inB)
				if (inA || inB) && !holds(hull, x, y) || (inA && inB) != holds(both, x, y) {
					t.Fatalf("%v and %v: hull %v, both %v", a, b, hull, both)
				}
			}
		}
		if a.Points() != points || a.Empty() != (points == 0) || a.Within(b) != within {
			t.Fatalf("%v: %d points, empty %v, within %v: %v", a, a.Points(), a.Empty(), b, a.Within(b))
		}
		if !hull.Empty() && !(a.Empty() && b.Empty()) {
			for d := range hull { // no box that holds both is smaller
				for _, less := range []Interval{{hull[d].Lo + 1, hull[d].Hi}, {hull[d].Lo, hull[d].Hi - 1}} {
					if small := hull.Along(d, less); a.Within(small) && b.Within(small) {
						t.Fatalf("%v holds %v and %v, the hull is %v", small, a, b, hull)
					}
				}
			}
		}
	}
}

func TestSinglePoints(t *testing.T) {
	for _, r := range []Region{Whole(), Point(nil), Point([]int{3, 4}), Whole(1, 1)} {
		if r.Points() != 1 || r.Empty() || !r.Within(r) {
			t.Errorf("%v: %d points", r, r.Points())
		}
	}
	if got := Whole(2, 3).Along(1, Interval{1, 2}).String(); got != "[0..1, 1..1]" {
		t.Error(got)
	}
}

// Sets hold what was put in and not taken out since, in boxes that do not overlap.
func TestSets(t *testing.T) {
	rng := rand.New(rand.NewPCG(5, 6))
	for range 300 {
		var s Set
		var want [6][6]bool
		for range 12 {
			r := Region{{Lo: rng.IntN(5)}, {Lo: rng.IntN(5)}}
			for d := range r {
				r[d].Hi = min(6, r[d].Lo+rng.IntN(4))
			}
			put := rng.IntN(3) > 0
			if put {
				s = s.With(r)
			} else {
				s = s.Without(r)
			}
			for i := range r.Indices() {
				want[i[0]][i[1]] = put
			}
			var points int64
			for _, b := range s {
				points += b.Points()
			}
			for x := range 6 {
				for y := range 6 {
					if want[x][y] {
						points--
					}
					if s.Holds(Point([]int{x, y})) != want[x][y] {
						t.Fatalf("%v: holds (%d, %d) is %v", s, x, y, !want[x][y])
					}
				}
			}
			if points != 0 {
				t.Fatalf("%v has %d points too many", s, points)
			}
		}
	}
	rows := Set{}.With(Region{{0, 2}, {0, 9}}).With(Region{{4, 6}, {0, 9}}).With(Region{{2, 4}, {0, 5}}).With(Region{{2, 4}, {5, 9}})
	if len(rows) != 1 || !rows[0].Equal(Region{{0, 6}, {0, 9}}) {
		t.Errorf("%v", rows)
	}
	if one := (Set{}).With(Region{}); !one.Holds(Region{}) || len(one.With(Region{})) != 1 || len(one.Without(Region{})) != 0 {
		t.Errorf("a single value: %v", one)
	}
}
