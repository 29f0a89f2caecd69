package choices

import (
	"bytes"
	"os"
	"slices"
	"strings"
	"testing"

	"weft/cli"
)

// inChains makes rows from rows, in several arrays that are stored: some with padding, complex ones, such as a sum over a row follows from, arrays
// that others read as well, and in each turn of a state.
const inChains = `use simulate
param n = 703
fn soft(s[row, col], d) {
    down = sum(s[row: here + d - 4, outside: nearest], over: tap)
    sum(down[col: here + d - 4, outside: nearest], over: tap) / 81
}
i = indices(axis(row, 0 .. 1 in n), row)
j = indices(axis(col, 0 .. 1 in 3001), col)
d = indices(axis(tap, 0 .. 1 in 9), tap)
u = simulate.uniform(i * 3001 + j, seed: 5) @keep
blur = sum(u[col: here + d - 4, outside: 0.25] / (1 + d), over: tap) @keep
turned = complex(blur, blur[col: 3000 - j]) @keep
level = sqrt(mean(blur ^ 2, over: col)) @keep
sharp = (abs(turned) - blur[col: here - 1, outside: nearest]) / level @keep
sum(sharp[col: here + 2 * d, outside: 0], over: tap) | write("o_sharp.npy")
blur[row: n - 1 - i] | write("o_mirror.npy")
level | write("o_level.npy")
sharp | iterate(s -> soft(s, d), at_most: 5) | write("o_soft.npy")
`

// What kernels make by rows together has the bits that it has when they run one after the other over all rows, which they do where iterations are counted,
// with any threads and where rows are left over. What is read in another order, or by a sink, is there as a whole.
func TestChainsGiveTheSameBits(t *testing.T) {
	if testing.Short() {
		t.Skip("compiles dozens of kernels")
	}
	withDevices(t)
	for _, isa := range []string{"", "portable"} {
		t.Setenv("WEFT_ISA", isa)
		want := map[string][]float64{}
		for _, flags := range [][]string{{"--count"}, {"--threads", "1"}, {"--threads", "3"}, {"--threads", "2"}} {
			ranQuietly(t, inChains, flags...)
			for _, name := range []string{"sharp", "mirror", "level", "soft"} {
				got := loaded(t, "o_"+name+".npy")
				if was, ok := want[name]; ok && !slices.Equal(got, was) {
					t.Errorf("isa %q, %v: other bits in %s", isa, flags, name)
				}
				want[name] = got
				if err := os.Remove("o_" + name + ".npy"); err != nil {
					t.Fatal(err)
				}
			}
		}
		var out bytes.Buffer
		if code := cli.Run(t.Context(), []string{"run", "p.weft", "--strict"}, nil, &out, &out); code != 0 { // against float64
			t.Errorf("isa %q: exit %d\n%s", isa, code, out.String())
		}
		out.Reset()
		if cli.Run(t.Context(), []string{"explain", "p.weft", "--verbose"}, nil, &out, &out); strings.Count(out.String(), " run one behind the other; ") != 2 {
			t.Errorf("isa %q: by rows runs something else than the whole and a turn\n%s", isa, out.String())
		}
	}
}
