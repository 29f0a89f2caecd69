package choices

import (
	"bytes"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"testing"

	"weft/cli"
	"weft/ops/files/npy"
)

// nested is a program whose drive has a drive in each of its turns, between arrays that are larger than what is left to them.
const nested = `o = axis(o, 1 .. 3000 in 3000)
k = axis(k, 1 .. 40 in 40)
l = axis(l, 1 .. 1000 in 1000)
big = sin(o * l) * (1 + cos(o + l))  @keep
turn = v -> v * 0.9 + 0.1 * sum(big * sin(v * l), over: l)
r = sin(o + k) | iterate(turn, at_most: 5)
sum(r * big[o: here - 7, outside: 0], over: k) | write("out.npy")
`

// What a budget that is too small is said to need does, and so does all that is more.
func TestNamedBudgetsAndLargerOnesDo(t *testing.T) {
	if testing.Short() {
		t.Skip("plans each program many times")
	}
	t.Chdir(t.TempDir())
	t.Setenv("WEFT_CC", "")
	t.Setenv("WEFT_CACHE", t.TempDir())
	n := 700
	save := func(name string, shape []int, at func(i int) float64) {
		count := 1
		for _, n := range shape {
			count *= n
		}
		values := make([]float64, count)
		for i := range values {
			values[i] = at(i)
		}
		if err := npy.Save(filepath.Join(".", name), shape, values); err != nil {
			t.Fatal(err)
		}
	}
	save("a.npy", []int{n, n}, func(i int) float64 { return 1 / float64(1+(i/n-i%n)*(i/n-i%n)) })
	rows, columns := 5000, 100
	save("value.npy", []int{rows * columns}, func(i int) float64 { return math.Pow(float64(1+i%97)/97, 12) })
	save("column.npy", []int{rows * columns}, func(i int) float64 { return float64(i % columns) })
	for name, text := range map[string]string{
		"product":  "a = read(\"a.npy\", dims: [i, k])\ndot(a, read(\"a.npy\", dims: [k, j]), over: k) | write(\"out.npy\")\n",
		"cholesky": "cholesky(read(\"a.npy\", dims: [i, j]), rows: i, columns: j) | write(\"out.npy\")\n",
		"lanczos":  "e = eigen(read(\"a.npy\", dims: [i, j]), count: 3, method: lanczos, tolerance: 1e-9)\n(e.vector | write(\"out.npy\"))\n",
		"passes":   "a = read(\"a.npy\", dims: [i, j])\nb = a - sum(a, over: [i, j]) / 490000\n(b + b[i: here - 9, outside: 0]) / max(b, over: [i, j]) | write(\"out.npy\")\n",
		"counted": fmt.Sprintf(`use sparse
row = cast(axis(row, 0 .. %d in %d), i32)
a = sparse.matrix(read("value.npy", dims: entry), cast(read("column.npy", dims: entry), i32), row * %d, row * %d + %d, axis(beamlet, 0 .. 1 in %d), beamlet)
s = sparse.compress(a, systematic, threshold: 10 percent, seed: 3)
(value: s.value, column: s.column, first: s.first, last: s.last) | write("out.npz")
`, rows-1, rows, columns, columns, columns-1, columns),
		"nested": nested,
	} {
		t.Run(name, func(t *testing.T) {
			if err := os.WriteFile("p.weft", []byte(text), 0o666); err != nil {
				t.Fatal(err)
			}
			asked := func(budget int64, command ...string) (int, string) {
				var out bytes.Buffer
				code := cli.Run(t.Context(), append(command, "p.weft", "--memory", fmt.Sprintf("%dKiB", budget>>10)), nil, &out, &out)
				return code, out.String()
			}
			named := func(budget int64, command ...string) int64 {
				t.Helper()
				code, said := asked(budget, command...)
				m := regexp.MustCompile(`--memory at least ([0-9]+)([KM]iB)`).FindStringSubmatch(said)
				if code == 0 || m == nil {
					t.Fatalf("%d KiB: not refused, or no budget is named:\n%s", budget>>10, said)
				}
				n, err := strconv.ParseInt(m[1], 10, 64)
				if err != nil {
					t.Fatal(err)
				}
				return n * map[string]int64{"KiB": 1 << 10, "MiB": 1 << 20}[m[2]]
			}
			n := named(64<<10, "plan", "-o", "p.yaml")
			for budget := float64(n); budget < 8*float64(n); budget *= 1.21 {
				if code, said := asked(int64(budget), "plan", "-o", "p.yaml"); code != 0 {
					t.Errorf("%d KiB do, and %.0f do not:\n%s", n>>10, budget/1024, said)
				}
			}
			t.Logf("%d KiB are named", n>>10)
			if name == "nested" && n > 3500<<10 {
				t.Errorf("%d KiB are named: programs of drives take what goes by rows around them needs", n>>10)
			}
			if name != "counted" {
				return
			}
			n = named(n, "run", "--no-verify") // now it is known how many there are
			t.Logf("%d KiB are named by a run", n>>10)
			for _, budget := range []int64{n, n + n/8, n + n/3, 2 * n} {
				if code, said := asked(budget, "run", "--no-verify"); code != 0 {
					t.Errorf("%d KiB do, and %d do not:\n%s", n>>10, budget>>10, said)
				}
			}
		})
	}
}
