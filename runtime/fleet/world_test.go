package fleet_test

import (
	"errors"
	"fmt"
	"math"
	"os"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"go.uber.org/goleak"

	"weft/kernels/cache/cachetest"
	"weft/kernels/device"
	"weft/kernels/emulated"
	"weft/kernels/interp"
	"weft/kernels/native"
	"weft/lang/check"
	"weft/ops"
	"weft/ops/catalogue"
	"weft/planner"
	"weft/planner/bound"
	"weft/runtime"
	"weft/runtime/result"
)

func TestMain(m *testing.M) {
	cachetest.OptimiseLittle()
	code := m.Run()
	if err := goleak.Find(); err != nil && code == 0 {
		fmt.Println(err)
		code = 1
	}
	os.Exit(code)
}

func host(t testing.TB) *native.Device {
	t.Helper()
	c := native.FromEnv()
	c.Cache = cachetest.Folder()
	d, err := native.New(c)
	if errors.Is(err, native.ErrNoCompiler) {
		t.Skip(err)
	}
	if err != nil {
		t.Fatal(err)
	}
	return d
}

// described is a test on a clock that stands still while anybody works, and goes on when all wait for what devices are described to take:
// how fast or busy the machine is makes no difference.
func described(test func(*testing.T, *native.Device)) func(*testing.T) {
	return func(t *testing.T) { synctest.Test(t, func(t *testing.T) { test(t, host(t)) }) }
}

// emulatedDevices makes emulated devices of descriptions, each in YAML.
func emulatedDevices(t testing.TB, cpu *native.Device, descriptions ...string) (out []device.Device) {
	t.Helper()
	var text strings.Builder
	text.WriteString("devices:\n")
	for _, d := range descriptions {
		fmt.Fprintf(&text, "  - %s\n", d)
	}
	list, err := emulated.Parse([]byte(text.String()))
	if err != nil {
		t.Fatal(err)
	}
	for _, d := range emulated.New(cpu, list, emulated.Options{}) {
		out = append(out, d)
	}
	return out
}

// shipped is the text of a pipeline that ships, with some parts replaced to make it small.
func shipped(t testing.TB, path string, replace ...string) string {
	t.Helper()
	text, err := os.ReadFile("../../pipelines/" + path)
	if err != nil {
		t.Fatal(err)
	}
	out := string(text)
	for i := 0; i < len(replace); i += 2 {
		if !strings.Contains(out, replace[i]) {
			t.Fatalf("%s does not hold %q", path, replace[i])
		}
		out = strings.ReplaceAll(out, replace[i], replace[i+1])
	}
	return out
}

// program plans a text and places all kernels on the named devices.
func program(t testing.TB, text string, cpu device.Device, memory int64, devices ...device.Device) *bound.Plan {
	t.Helper()
	prog, found := check.File("test.weft", []byte(text), catalogue.Standard(), check.Options{})
	if found.HasErrors() {
		t.Fatal(found.Summary(), found.String())
	}
	p, err := planner.Build(prog.Sinks, cpu.Info(), planner.Options{Threads: 2, Memory: memory})
	if err != nil {
		t.Fatal(err)
	}
	for i := range p.Steps {
		if k := p.Steps[i].Kernel; k != nil {
			for _, d := range devices {
				k.Place.Devices = append(k.Place.Devices, d.Info().Name)
			}
		}
	}
	return p
}

// seen is what the sinks of a run were given, in order.
type seen []ops.Dense

// run runs a plan whose sinks keep what they are given.
func run(t testing.TB, p *bound.Plan, opt runtime.Options) (seen, *result.Result, error) {
	t.Helper()
	var out seen
	opt.Discard, opt.See = true, func(_ *bound.Step, in []ops.HostArray) error {
		out = append(out, in[0].Dense())
		return nil
	}
	opt.Threads = 2
	r, err := runtime.Run(t.Context(), p, opt)
	return out, r, err
}

func chain(cpu device.Device) []device.Device {
	return []device.Device{cpu, interp.New(interp.Options{})}
}

// apart is the largest difference of two outputs, relative to the largest magnitude of each; infinite where only one is finite.
func (s seen) apart(t testing.TB, other seen) (worst float64) {
	t.Helper()
	if len(s) != len(other) || len(s) == 0 {
		t.Fatalf("%d outputs, not %d", len(s), len(other))
	}
	for i := range s {
		a, b := s[i], other[i]
		if len(a.Re) != len(b.Re) || len(a.Im) != len(b.Im) {
			t.Fatalf("output %d is of another shape", i)
		}
		for _, parts := range [][2][]float64{{a.Re, b.Re}, {a.Im, b.Im}} {
			peak := 0.0
			for _, v := range parts[1] {
				if !math.IsInf(v, 0) {
					peak = math.Max(peak, math.Abs(v))
				}
			}
			for j, v := range parts[0] {
				w := parts[1][j]
				switch {
				case v == w || v != v && w != w:
				case v != v || w != w || math.IsInf(v-w, 0):
					return math.Inf(1)
				default:
					worst = math.Max(worst, math.Abs(v-w)/peak)
				}
			}
		}
	}
	return worst
}

// logbook remembers what a run logs.
type logbook struct {
	mu    sync.Mutex
	lines []string
	tiles int
}

func (l *logbook) Begin(string, int, time.Duration) {}
func (l *logbook) End()                             {}

func (l *logbook) Note(string)       {}
func (l *logbook) Compiled(int, int) {}

func (l *logbook) Tile() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.tiles++
}

func (l *logbook) Log(line string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.lines = append(l.lines, line)
}

func (l *logbook) holds(part string) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	for _, line := range l.lines {
		if strings.Contains(line, part) {
			return true
		}
	}
	return false
}
