package session

import (
	"io"
	"maps"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"syscall"
	"testing"
	"time"

	"github.com/rogpeppe/go-internal/txtar"

	"weft/lang/check"
	"weft/lang/diag/diagtest"
	"weft/ops"
	"weft/planner"
	"weft/planner/bound"
	"weft/planner/plan"
	"weft/runtime"
)

// TestOpposites runs programs with each verdict that was weighed decided the other way round too, and tells of those that were the dearer
// choice, by CPU seconds of the run. WEFT_OPPOSITES says how many rounds; a fault of a prediction is a thing to mend, not a red test, which a
// busy machine would turn: it fails where the other way takes less than half. Kernels are optimised and the profile is the machine's, which
// the other tests do without (TestMain); sinks are handed nothing, so that what is compared is what verdicts change.
func TestOpposites(t *testing.T) {
	rounds, _ := strconv.Atoi(os.Getenv("WEFT_OPPOSITES"))
	if rounds == 0 {
		t.Skip("takes minutes: WEFT_OPPOSITES=5 runs each program so many times with each verdict and with its opposite")
	}
	texts := programs(t)
	t.Chdir(t.TempDir())
	for _, file := range slices.Sorted(maps.Keys(texts)) {
		t.Run(file, func(t *testing.T) { opposites(t, file, texts[file], rounds) })
	}
}

// opposites is TestOpposites for one program.
func opposites(t *testing.T, file string, text []byte, rounds int) {
	s, err := Open(Config{Device: HostOnly, Threads: 2})
	if err != nil {
		t.Fatal(err)
	}
	prepare := func(fused map[string]bool) (func() float64, *bound.Plan) {
		opt := PlanOptions{AsWritten: true}
		if fused != nil {
			opt.Request = planner.Request{Decided: &plan.Decisions{Fused: fused}}
		}
		prog := CheckText(file, text, check.Options{})
		p, err := s.Plan(t.Context(), prog, opt)
		if err != nil {
			t.Logf("%s: %v", file, err)
			return nil, nil
		}
		return func() float64 {
			before := cpuSeconds(t)
			if _, err := s.Run(t.Context(), prog, p, runtime.Options{Terminal: silent{}, Discard: true}); err != nil {
				t.Errorf("%s: %v", file, err)
			}
			return cpuSeconds(t) - before
		}, p
	}
	run, p := prepare(nil)
	if run == nil {
		return
	}
	run()
	edges := slices.Sorted(maps.Keys(p.Decided.Fused))
	for _, edge := range edges[:min(len(edges), 12)] {
		forced := maps.Clone(p.Decided.Fused)
		forced[edge] = !forced[edge]
		other, _ := prepare(forced)
		if other == nil {
			continue
		}
		other()
		a, b := alternate(run, other, rounds)
		if b < 0.9*a && a-b > 2e-3 { // what other programs of the machine may have made of it
			a, b = alternate(run, other, 4*rounds)
		}
		word := ""
		if b < 0.9*a && a-b > 2e-3 {
			word = "  DEARER"
		}
		t.Logf("%s: %s fused %v: %.1f ms, other way %.1f ms%s", file, edge, p.Decided.Fused[edge], a*1e3, b*1e3, word)
		if b < a/2 && a-b > 5e-3 {
			t.Errorf("%s: %s takes %.1f ms, and %.1f ms if it were decided the other way round", file, edge, a*1e3, b*1e3)
		}
	}
}

// alternate runs both so many times, in turn, and gives the least seconds of each.
func alternate(one, other func() float64, rounds int) (a, b float64) {
	a, b = math.Inf(1), math.Inf(1)
	for i := range rounds {
		if i%2 == 0 {
			a = min(a, one())
		}
		b = min(b, other())
		if i%2 == 1 {
			a = min(a, one())
		}
	}
	return a, b
}

// programs are the texts of what ships and of the plans that are kept, by name.
func programs(t *testing.T) map[string][]byte {
	t.Helper()
	texts := map[string][]byte{}
	for _, name := range diagtest.Pipelines(t, "../../pipelines") {
		text, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		texts[name[len("../../"):]] = text
	}
	kept, _ := filepath.Glob("../../cli/testdata/golden/*.txtar")
	for _, name := range kept {
		a, err := txtar.ParseFile(name)
		if err != nil {
			t.Fatal(err)
		}
		for _, f := range a.Files {
			if filepath.Ext(f.Name) == ".weft" {
				texts[filepath.Base(name)+"/"+f.Name] = f.Data
			}
		}
	}
	return texts
}

// cpuSeconds are those that the process took so far.
func cpuSeconds(t *testing.T) float64 {
	t.Helper()
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		t.Fatal(err)
	}
	return (time.Duration(u.Utime.Nano()) + time.Duration(u.Stime.Nano())).Seconds()
}

// silent is a terminal that nobody looks at.
type silent struct{}

func (silent) Write(p []byte) (int, error) { return len(p), nil }
func (silent) Size() (columns, rows int)   { return 80, 24 }
func (silent) Rich() bool                  { return false }
func (silent) To(io.Writer) ops.Terminal   { return silent{} }
