package choices

import (
	"bytes"
	"fmt"
	"math"
	"math/bits"
	"math/rand/v2"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	"weft/cli"
	"weft/ops/files/npy"
)

// rays is a program that asks, for every place and some directions, whether anything on a line stands higher than a rising threshold.
type rays struct {
	rows, columns, turns, steps int
	outside                     string
	rise                        float64
	terrain                     []float32
}

// terrain is heights in quarters, so that nothing rounds and ties are many: steps, spikes, holes, what is not known.
func terrain(rng *rand.Rand, n int) []float32 {
	out := make([]float32, n)
	for i := range out {
		switch rng.IntN(40) {
		case 0:
			out[i] = float32(rng.IntN(120)) / 4
		case 1:
			out[i] = float32(math.NaN())
		case 2:
			out[i] = float32(math.Inf(-1))
		default:
			out[i] = float32(rng.IntN(4)) / 4
		}
	}
	return out
}

// text is the program. Offsets are products in eighths: round half to even.
func (r rays) text() string {
	return fmt.Sprintf(`dsm = read("dsm.npy", dims: [y, x])
turn = axis(turn, -1 .. 1 in %d)
k = axis(step, 1 .. %d)
dy = round(k * turn)
dx = -round(k * (1 - 2 * abs(turn)))
higher = any(dsm[y: here + dy, x: here + dx, outside: %s] - k * %g > dsm, over: step)
sum(where(higher, 0, 1), over: turn) | cast(f32) | write("out.npy")
`, r.turns, r.steps, r.outside, r.rise)
}

// want is the same, place by place.
func (r rays) want() []float32 {
	out := make([]float32, r.rows*r.columns)
	fold := func(i, n int) int {
		switch r.outside {
		case "nearest":
			return max(0, min(n-1, i))
		case "wrap":
			return ((i % n) + n) % n
		case "mirror":
			i = ((i % (2*n - 2)) + 2*n - 2) % (2*n - 2)
			return min(i, 2*n-2-i)
		}
		return i
	}
	var beyond float32
	if _, err := fmt.Sscan(r.outside, &beyond); err != nil {
		beyond = float32(math.Inf(-1))
	}
	for at := range out {
		for t := range r.turns {
			slope := -1 + 2*float64(t)/float64(r.turns-1)
			free := float32(1)
			for k := 1; k <= r.steps && free > 0; k++ {
				y := fold(at/r.columns+int(math.RoundToEven(float64(k)*slope)), r.rows)
				x := fold(at%r.columns-int(math.RoundToEven(float64(k)*(1-2*math.Abs(slope)))), r.columns)
				h := beyond
				if y >= 0 && y < r.rows && x >= 0 && x < r.columns {
					h = r.terrain[y*r.columns+x]
				}
				if h-float32(float64(k)*r.rise) > r.terrain[at] {
					free = 0
				}
			}
			out[at] += free
		}
	}
	return out
}

// What loops leave out by tables of largest elements changes nothing, whatever lies outside, however far they reach, wherever they run.
func TestLoopsThatSkipFindWhatAllFind(t *testing.T) {
	if testing.Short() {
		t.Skip("compiles dozens of kernels")
	}
	withDevices(t)
	rng := rand.New(rand.NewPCG(11, 3))
	places := [][]string{{"--memory", "least"}, {"--fuse-limit", "0"}, {"--devices", "devices.yaml", "--device", "small,large,odd"},
		{"--threads", "3"}, {"interpreted"}}
	for i, outside := range []string{"-inf", "3.5", "nearest", "wrap", "mirror", "-inf"} {
		r := rays{rows: 30 + rng.IntN(40), columns: 30 + rng.IntN(50), steps: 20 + rng.IntN(80), outside: outside}
		r.rise = float64(1+rng.IntN(3)) / 4
		r.turns = 1 + 1<<bits.Len(uint(1<<22/(r.rows*r.columns*r.steps))) // slopes are dyadic, and tables worth it
		r.terrain = terrain(rng, r.rows*r.columns)
		if err := npy.Save("dsm.npy", []int{r.rows, r.columns}, r.terrain); err != nil {
			t.Fatal(err)
		}
		want := r.want()
		for _, flags := range [][]string{nil, places[i%len(places)]} {
			t.Setenv("WEFT_CC", "")
			switch {
			case slices.Contains(flags, "interpreted"):
				t.Setenv("WEFT_CC", "no-such-compiler")
				flags = nil
			case slices.Contains(flags, "least"):
				flags = []string{"--memory", leastMemory(t, r.text())}
			}
			if got, _ := ranProgram(t, r.text(), flags...); !slices.Equal(got, want) {
				n, worst := beyond(got, want, 0)
				t.Errorf("%v: %d of %d elements differ, by up to %g\n%s", flags, n, len(want), worst, r.text())
			}
		}
		t.Setenv("WEFT_CC", "")
		if plan := explained(t); !strings.Contains(plan, "culls") {
			t.Errorf("nothing is culled:\n%s", plan)
		}
	}
}

// leastMemory is what a program says that it needs.
func leastMemory(t *testing.T, text string) string {
	t.Helper()
	if err := os.WriteFile("p.weft", []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
	var out bytes.Buffer
	cli.Run(t.Context(), []string{"run", "p.weft", "--memory", "1KiB"}, nil, &out, &out)
	found := regexp.MustCompile(`at least (\S+),`).FindStringSubmatch(out.String())
	if found == nil {
		t.Fatalf("no word of what is needed:\n%s", out.String())
	}
	return found[1]
}
