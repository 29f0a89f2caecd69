package sky

import (
	"maps"
	"math"
	"slices"
)

// division cuts the sky into patches: bands of equal altitude, the last one the zenith.
type division struct {
	altitude []float64 // deg, of the middle of each band
	count    []int     // patches of each band
	start    []float64 // azimuth of the first patch of each band, deg
}

var (
	tregenzaAltitudes = []float64{6, 18, 30, 42, 54, 66, 78, 90}
	tregenzaStarts    = []float64{0, 4, 2, 5, 8, 0, 10, 0}
)

// divisions by number of patches: Tregenza 1987 and Robinson and Stone 2004, as SOLWEIG uses them; the library has them too.
var divisions = map[int]division{
	145: {tregenzaAltitudes, []int{30, 30, 24, 24, 18, 12, 6, 1}, tregenzaStarts},
	153: {tregenzaAltitudes, []int{31, 30, 28, 24, 19, 13, 7, 1}, tregenzaStarts},
	305: {tregenzaAltitudes, []int{62, 60, 56, 48, 38, 26, 14, 1}, tregenzaStarts},
	609: {
		[]float64{3, 9, 15, 21, 27, 33, 39, 45, 51, 57, 63, 69, 75, 81, 90},
		[]int{62, 62, 60, 60, 56, 56, 48, 48, 38, 38, 26, 26, 14, 14, 1},
		[]float64{0, 0, 4, 4, 2, 2, 5, 5, 8, 8, 0, 0, 10, 10, 0},
	},
}

func patchCounts() []int { return slices.Sorted(maps.Keys(divisions)) }

// patch is a direction.
type patch struct{ azimuth, altitude float64 } // deg

// patches are those of a division in order: band by band from the horizon.
func patches(n int) (out []patch) {
	d := divisions[n]
	for band, count := range d.count {
		for j := range count {
			out = append(out, patch{math.Mod(d.start[band]+float64(j)*360/float64(count), 360), d.altitude[band]})
		}
	}
	return out
}
