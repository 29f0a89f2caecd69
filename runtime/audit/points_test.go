package audit

import (
	"slices"
	"testing"

	"weft/kernels/region"
)

func TestSamplePoints(t *testing.T) {
	for _, c := range []struct {
		name  string
		shape []int
		n     int
		want  int
	}{
		{"scalar", nil, 8, 1},
		{"fewer elements than asked for", []int{3, 2}, 8, 6},
		{"volume", []int{32, 16, 64}, 40, 40},
		{"empty", []int{4, 0}, 8, 0},
	} {
		t.Run(c.name, func(t *testing.T) {
			points := Points(region.Whole(c.shape...), c.n, 7)
			if len(points) > c.want || len(points) < c.want*3/4 || c.name != "volume" && len(points) != c.want {
				t.Errorf("%d points, want about %d", len(points), c.want)
			}
			seen := map[int]bool{}
			for _, p := range points {
				for d, x := range p {
					if x < 0 || x >= c.shape[d] {
						t.Fatalf("point %v outside %v", p, c.shape)
					}
				}
				flat := Flat(p, c.shape)
				if seen[flat] {
					t.Errorf("point %v twice", p)
				}
				seen[flat] = true
			}
		})
	}
}

func TestSampleIsReproducibleAndSpread(t *testing.T) {
	shape := []int{64, 64, 128}
	a, b := Points(region.Whole(shape...), 100, 1), Points(region.Whole(shape...), 100, 1)
	if !slices.EqualFunc(a, b, slices.Equal) {
		t.Error("one seed gives two samples")
	}
	if slices.EqualFunc(a, Points(region.Whole(shape...), 100, 2), slices.Equal) {
		t.Error("two seeds give one sample")
	}
	if !slices.ContainsFunc(a, func(p []int) bool { return slices.Equal(p, []int{63, 63, 127}) }) {
		t.Error("the last corner is not checked")
	}
	var octants [8]int
	for _, p := range a {
		octants[p[0]/32*4+p[1]/32*2+p[2]/64]++
	}
	if slices.Min(octants[:]) == 0 {
		t.Errorf("some octant of the array is not checked: %v", octants)
	}
}

func TestFinds(t *testing.T) {
	for _, c := range []struct {
		n, all        int
		least, atMost float64
	}{{Enough, 1e6, 0.99, 0.9905}, {Enough - 1, 1e6, 0.98, 0.99}, {53, 160e3, 0.41, 0.42}, {20, 20, 1, 1}, {0, 5, 0, 0}} {
		if got := Finds(c.n, c.all); got < c.least || got > c.atMost {
			t.Errorf("%d of %d: %g", c.n, c.all, got)
		}
	}
}
