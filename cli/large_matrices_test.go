package cli

import (
	"encoding/json"
	"flag"
	"fmt"
	"maps"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"weft/ops/files/npy"
	"weft/ops/problem"
	"weft/runtime/journal"
	"weft/runtime/result"
)

var (
	budgets = flag.Int("budgets", 6, "how many budgets each pipeline of matrices is given")
	order   = flag.Int("order", 1100, "rows of these matrices")
)

// Within any budget, on few threads or many, a pipeline of matrices gives the same bytes in no more memory than its arrays and beside is, or is refused before it
// runs, with a budget that then works. Budgets are 16 MiB to 4 GiB for matrices of 16384 rows, and for these in proportion to their rows, as strips of them are.
func TestBudgetsHold(t *testing.T) {
	if testing.Short() {
		t.Skip("runs each pipeline many times")
	}
	cache := t.TempDir()
	pipelines := map[string]string{
		"product":  "a = read(\"a.npy\", dims: [i, k])\nb = read(\"a.npy\", dims: [k, j])\ndot(a, b, over: k) | write(\"out.npy\")\n",
		"cholesky": "cholesky(read(\"a.npy\", dims: [i, j]), rows: i, columns: j) | write(\"out.npy\")\n",
		"columns":  "cholesky(read(\"a.npy\", dims: [i, j]), order: right) | write(\"out.npy\")\n",
		"inverse":  "inverse(read(\"a.npy\", dims: [i, j]), rows: i, columns: j, triangle: lower) | write(\"out.npy\")\n",
		"solution": "l = read(\"a.npy\", dims: [i, j])\nl | solve(sin(indices(axis(i, 0 .. 1 in %d), i)), rows: i, columns: j, triangle: lower) | write(\"out.npy\")\n",
		"modes": "use simulate\nuse causal\nparam points = %d\nk = causal.propagator(simulate.causet(points, seed: 42), mass: 1, density: points)\n" +
			"d = k - rename(rename(rename(k, from: i, to: t), from: j, to: i), from: t, to: j)\n" +
			"e = eigen(complex(0 * d, d), count: 4, method: lanczos, tolerance: 1e-9)\n(e.vector | write(\"out.npy\"))\n",
		"lanczos": "e = eigen(read(\"a.npy\", dims: [i, j]), count: 3, method: lanczos, tolerance: 1e-9)\n(e.vector | write(\"out.npy\"))\n",
	}
	for _, c := range slices.Sorted(maps.Keys(pipelines)) {
		for _, threads := range []string{"2", "16"} {
			t.Run(c+" on "+threads, func(t *testing.T) { testBudgets(t, pipelines[c], threads, cache) })
		}
	}
}

func testBudgets(t *testing.T, text, threads, cache string) {
	const beside = 64 << 20 // of the process
	r := &restarter{t: t, folder: t.TempDir(), env: append(os.Environ(), "WEFT_CACHE="+cache, "CC=")}
	n := *order
	values := make([]float64, n*n)
	for i := range n {
		for j := range n {
			values[i*n+j] = math.Exp(-math.Abs(float64(i-j)) / 64)
		}
		values[i*n+i]++
	}
	must(t, npy.Save(filepath.Join(r.folder, "a.npy"), []int{n, n}, values))
	write := func(text string) { must(t, os.WriteFile(filepath.Join(r.folder, "p.weft"), []byte(text), 0o666)) }
	held := func() (process, arrays int64) {
		var v result.Result
		b, err := os.ReadFile(filepath.Join(r.folder, "report.json"))
		must(t, err)
		must(t, json.Unmarshal(b, &v))
		return v.PeakRSS, v.PeakBuffers
	}
	write("axis(i, 0 .. 1 in 2) | write(\"out.npy\")\n")
	r.run("--report", "report.json", "--threads", threads)
	start, _ := held()
	write(strings.ReplaceAll(text, "%d", strconv.Itoa(n)))
	r.run("--threads", threads)
	want := r.outputs([]string{"out.npy"})
	refused, most := 0, int64(0)
	for k := range *budgets {
		budget := int64(float64(16<<20) * math.Pow(256, float64(k)/float64(max(1, *budgets-1))) * float64(n) / 16384)
		must(t, os.Remove(filepath.Join(r.folder, "out.npy")))
		args := []string{"--report", "report.json", "--memory", fmt.Sprintf("%dKiB", budget>>10), "--threads", threads}
		c, said := r.command(args...)
		if c.Run() != nil {
			m := atLeast.FindStringSubmatch(said.String())
			if m == nil {
				t.Fatalf("%v: no budget is named:\n%s", args, said)
			}
			if _, err := os.Stat(filepath.Join(r.folder, "out.npy")); err == nil {
				t.Fatalf("%v: refused when something was written", args)
			}
			refused++
			least, err := strconv.ParseFloat(m[1], 64)
			must(t, err)
			budget = int64(least * float64(map[string]int{"KiB": 1 << 10, "MiB": 1 << 20, "GiB": 1 << 30}[m[2]]))
			args[3] = fmt.Sprintf("%dKiB", budget>>10*4/5)
			if c, said := r.command(args...); c.Run() == nil {
				t.Errorf("%v: that does, and %s%s was said to be the least, or near it:\n%s", args, m[1], m[2], said)
			}
			args[3] = m[1] + m[2]
			r.run(args...)
		}
		all, arrays := held()
		if all-start > arrays+beside || arrays > budget {
			t.Errorf("%v: %d KiB are held, %d KiB of arrays", args, (all-start)>>10, arrays>>10)
		}
		most = max(most, all-start-arrays)
		if !same(r.outputs([]string{"out.npy"}), want) {
			t.Errorf("%v: other bytes", args)
		}
		if left, err := filepath.Glob(filepath.Join(r.folder, ".*")); err != nil || len(left) > 0 {
			t.Errorf("%v: left %v: %v", args, left, err)
		}
	}
	t.Logf("%d of %d budgets were refused; up to %d MiB beside arrays", refused, *budgets, most>>20)
}

// careful is weft that keeps checkpoints as often as it can.
func careful() {
	journal.LeastBetween, journal.MostBetween = 0, 0
	Main()
}

// A byte of what a killed run left on disk that was changed is found, and named by where it is: nothing is made from it, and a run from the start is as it was.
func TestChangedTilesOfKilledRuns(t *testing.T) {
	if testing.Short() {
		t.Skip("kills a process many times")
	}
	folder := t.TempDir()
	r := &restarter{weft: "weft-careful", t: t, folder: folder, env: append(os.Environ(), "WEFT_CACHE="+t.TempDir(), "CC=")}
	const n = 2000
	values := make([]float32, n*n)
	for i := range n {
		values[i*n+i] = 2
	}
	must(t, npy.Save(filepath.Join(folder, "a.npy"), []int{n, n}, values))
	must(t, os.WriteFile(filepath.Join(folder, "p.weft"), []byte("cholesky(read(\"a.npy\", dims: [i, j]), rows: i, columns: j) | write(\"l.npy\")\n"), 0o666))
	flags := []string{"--memory", "16MiB"}
	r.run(flags...)
	start := time.Now()
	r.run(flags...)
	took, want := time.Since(start), r.outputs([]string{"l.npy"})
	checkpoint := journal.CheckpointOf(filepath.Join(folder, "l.npy"), "d1")
	for try := range 40 {
		must(t, os.Remove(filepath.Join(folder, "l.npy")))
		r.killed(time.Duration(0.2*float64(try%7)/7*float64(took)), r.checkpointed, flags...)
		_, err := os.Stat(checkpoint)
		if err != nil {
			r.run(flags...)
			continue
		}
		f, err := os.OpenFile(journal.TilesOf(checkpoint), os.O_RDWR, 0)
		must(t, err)
		_, err = f.WriteAt([]byte{1}, 0)
		must(t, err)
		must(t, f.Close())
		c, said := r.command(append([]string{"--resume"}, flags...)...)
		if err = c.Run(); err == nil && strings.Contains(said.String(), "l.npy goes on from row") { // it had been read already
			if !same(r.outputs([]string{"l.npy"}), want) {
				t.Fatalf("other bytes\n%s", said)
			}
			continue
		}
		if err == nil || !strings.Contains(said.String(), problem.DamagedTile) || !strings.Contains(said.String(), "row [0] of the tile") {
			t.Fatalf("it is not named: %v\n%s", err, said)
		}
		r.run(flags...)
		if got := r.outputs([]string{"l.npy"}); !same(got, want) {
			t.Error("other bytes from the start")
		}
		if left, err := filepath.Glob(filepath.Join(folder, ".*")); err != nil || len(left) > 0 {
			t.Errorf("left %v: %v", left, err)
		}
		return
	}
	t.Error("no killed run left a checkpoint")
}

// More memory is never too little where less does, though tiles grow with it, and the budget that is named is at most some per cent above the least.
func TestBudgetsThatDo(t *testing.T) {
	if testing.Short() {
		t.Skip("plans each pipeline many times")
	}
	const n, step = 4000, 1 << 20
	cache := t.TempDir()
	for name, text := range map[string]string{
		"cholesky": "read(\"a.npy\", dims: [i, j]) | cholesky | write(\"out.zarr\")\n",
		"columns":  "cholesky(read(\"a.npy\", dims: [i, j]), order: right) | write(\"out.zarr\")\n",
		"inverse":  "inverse(read(\"a.npy\", dims: [i, j]), rows: i, columns: j, triangle: lower) | write(\"out.npy\")\n",
		"solve":    "solve(read(\"a.npy\", dims: [i, j]) | assume(lower, rows: i, columns: j), read(\"a.npy\", dims: [i, k]), rows: i, columns: j) | write(\"out.npy\")\n",
	} {
		t.Run(name, func(t *testing.T) {
			folder := t.TempDir()
			must(t, npy.Save(filepath.Join(folder, "a.npy"), []int{n, n}, make([]float64, n*n)))
			must(t, os.WriteFile(filepath.Join(folder, "p.weft"), []byte(text), 0o666))
			refused := func(budget int64) string {
				t.Helper()
				c := exec.Command("weft", "explain", "p.weft", "--memory", fmt.Sprintf("%dKiB", budget>>10))
				c.Dir, c.Env = folder, append(os.Environ(), "WEFT_CACHE="+cache)
				said, err := c.CombinedOutput()
				if err != nil && atLeast.FindStringSubmatch(string(said)) == nil {
					t.Fatalf("%d bytes: %v\n%s", budget, err, said)
				}
				if err == nil {
					return ""
				}
				return string(said)
			}
			does := int64(0)
			for budget := int64(16 << 20); budget < 64<<20; budget += step {
				said := refused(budget)
				switch {
				case said == "" && does == 0:
					does = budget
				case said != "" && does > 0:
					t.Errorf("%d MiB do, and %d MiB do not:\n%s", does>>20, budget>>20, said)
				}
			}
			m := atLeast.FindStringSubmatch(refused(1 << 20))
			least, err := strconv.ParseInt(m[1], 10, 64)
			must(t, err)
			least *= map[string]int64{"KiB": 1 << 10, "MiB": 1 << 20}[m[2]]
			if said := refused(least); said != "" {
				t.Errorf("%s%s was named:\n%s", m[1], m[2], said)
			}
			if below := least - least/10; refused(below) == "" {
				t.Errorf("%s%s was named, and %d bytes do", m[1], m[2], below)
			}
		})
	}
}
