package sky

import (
	"fmt"
	"math"
	"slices"
)

// division cuts the sky into patches: bands of equal altitude, the last one the zenith.
type division struct {
	altitude []float64 // deg, of the middle of each band
	count    []int     // patches of each band
	start    []float64 // azimuth of the first patch of each band, deg
	edge     []int     // deg, one more than there are bands
}

var (
	tregenzaAltitudes = []float64{6, 18, 30, 42, 54, 66, 78, 90}
	tregenzaStarts    = []float64{0, 4, 2, 5, 8, 0, 10, 0}
	tregenzaEdges     = []int{0, 12, 24, 36, 48, 60, 72, 84, 90}
)

// divisions by number of patches: Tregenza 1987 and Robinson and Stone 2004, as SOLWEIG uses them.
var divisions = map[int]division{
	145: {tregenzaAltitudes, []int{30, 30, 24, 24, 18, 12, 6, 1}, tregenzaStarts, tregenzaEdges},
	153: {tregenzaAltitudes, []int{31, 30, 28, 24, 19, 13, 7, 1}, tregenzaStarts, tregenzaEdges},
	305: {tregenzaAltitudes, []int{62, 60, 56, 48, 38, 26, 14, 1}, tregenzaStarts, tregenzaEdges},
	609: {
		[]float64{3, 9, 15, 21, 27, 33, 39, 45, 51, 57, 63, 69, 75, 81, 90},
		[]int{62, 62, 60, 60, 56, 56, 48, 48, 38, 38, 26, 26, 14, 14, 1},
		[]float64{0, 0, 4, 4, 2, 2, 5, 5, 8, 8, 0, 0, 10, 10, 0},
		[]int{0, 4, 9, 15, 21, 27, 33, 39, 45, 51, 57, 63, 69, 75, 81, 90},
	},
}

func patchCounts() []int {
	var out []int
	for n := range divisions {
		out = append(out, n)
	}
	slices.Sort(out)
	return out
}

// Parts of a sky view factor, and the range of azimuths each looks at.
var parts = []struct {
	name     string
	from, to float64 // deg; from above to wraps through north
	whole    bool    // the sky all round
	offset   bool    // shareOfZenith is added
}{
	{name: "total", whole: true},
	{name: "north", from: 270, to: 90},
	{name: "east", from: 0, to: 180},
	{name: "south", from: 90, to: 270, offset: true},
	{name: "west", from: 180, to: 360, offset: true},
}

// shareOfZenith is added to the south and west parts: sin^2(1 deg), the innermost ring, which SOLWEIG counts with no patch.
const shareOfZenith = 3.0459e-4

// patch is a direction and what it weighs in each part.
type patch struct {
	azimuth, altitude float64 // deg
	weight            [5]float64
}

// patches are those of a division in order: band by band from the horizon. Weights are cosine-weighted view factors:
// 2 pi/n B for the whole sky and 2 pi/ceil(n/2) B for a half, with B = sin(1 deg)/(2 pi) sum of sin(2(91-k)-1 deg) over the rings of a
// degree that the band covers.
func patches(n int) []patch {
	d := divisions[n]
	var out []patch
	for band, count := range d.count {
		rings := 0.0
		for k := d.edge[band] + 1; k <= d.edge[band+1]; k++ {
			rings += math.Sin(float64(2*(91-k)-1) * math.Pi / 180)
		}
		b := math.Sin(math.Pi/180) / (2 * math.Pi) * rings
		for j := range count {
			az := math.Mod(d.start[band]+float64(j)*360/float64(count), 360)
			p := patch{azimuth: az, altitude: d.altitude[band]}
			for i, part := range parts {
				switch {
				case part.whole:
					p.weight[i] = 2 * math.Pi / float64(count) * b
				case part.from < part.to && az >= part.from && az < part.to, part.from > part.to && (az >= part.from || az < part.to):
					p.weight[i] = 2 * math.Pi / math.Ceil(float64(count)/2) * b
				}
				p.weight[i] = single(p.weight[i])
			}
			out = append(out, p)
		}
	}
	if len(out) != n {
		panic(fmt.Sprintf("sky: a division of %d patches has %d", n, len(out)))
	}
	return out
}
