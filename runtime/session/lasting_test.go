package session

import (
	goruntime "runtime"
	"testing"

	"weft/kernels/cache/cachetest"
	"weft/lang/check"
	"weft/runtime"
)

// A session may serve a thousand programs: when they have run, what it keeps of them is little, and nothing of their arrays.
func TestSessionsDoNotGrow(t *testing.T) {
	cachetest.Use(t)
	t.Chdir(t.TempDir())
	s, err := Open(Config{Device: HostOnly, Threads: 2})
	if err != nil {
		t.Fatal(err)
	}
	heap := func() uint64 {
		for range 3 { // what cleanups let go of goes with the next one
			goruntime.GC()
		}
		var m goruntime.MemStats
		goruntime.ReadMemStats(&m)
		return m.HeapAlloc
	}
	var first uint64
	const runs, warm = 25, 5
	for i := range runs {
		prog := CheckText("a.weft", []byte("use simulate\nx = axis(x, 0 .. 1 in 20000)\na = simulate.normal(indices(x, x), seed: 7)\nb = sort(a * 3)\nb[x: here + 1, outside: 0] * a | write(\"out.npy\")\n"), check.Options{})
		p, err := s.Plan(t.Context(), prog, PlanOptions{})
		if err != nil {
			t.Fatal(err, prog.Found.String())
		}
		if _, err := s.Run(t.Context(), prog, p, runtime.Options{Verify: true}); err != nil {
			t.Fatal(err, prog.Found.String())
		}
		if i == warm {
			first = heap()
		}
	}
	last := heap()
	goruntime.KeepAlive(s)
	if last > first+(runs-warm)*8<<10 {
		t.Errorf("%d KiB after %d runs, and %d after %d", first>>10, warm+1, last>>10, runs)
	}
	t.Logf("%d KiB after %d runs, and %d after %d", first>>10, warm+1, last>>10, runs)
}
