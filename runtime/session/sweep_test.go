package session

import (
	"bytes"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"weft/lang/check"
	"weft/runtime"
)

// swept uses a param in a unit, a plain one, and one of a derived value; written out, it has none. It takes no function that has other code
// where constants prove the range of its operand.
const swept = `param c = 1540 m/s
param gain = 2.5
x = axis(x, 0 m .. 1 m in 3000)
y = axis(y, 0 m .. 1 m in 500)
t = (y ^ 2 + x ^ 2) ^ 0.5 / c
u = tanh(t * (gain / 3) * 10 kHz) + gain
u | write("u.npy")
fn spread(w) = w + (w[y: here + 1, outside: nearest] - w) * (gain / 10)
fn near(w) = w + ((t[x: 7] * 1 kHz + gain) - w) * (gain / 4)
s = sum(u * t, over: x) / (500 us) | iterate(spread, at_most: 3)
r = (a: s, b: stack([s, s], dim: part)) | iterate(r -> (a: near(r.a), b: stack([r.a, r.a], dim: part)), at_most: 200, until: (old, new) -> abs(new.a - old.a) < gain / 1e4)
r.value.a + r.steps | write("w.npy")
`

// counted has as many elements as the params say, which nothing is compiled for.
const counted = `param c = 1540 m/s
param gain = 0.5
x = axis(x, 0 .. 100 in 3000)
u = (x - floor(x)) * (1 m/s / c + 1)
i = pack(indices(u, x), u > gain).value
u[x: i] * 2 | write("u.npy")
sum(u[x: i]) + max(u[x: i]) | write("w.npy")
`

const accelerator = "devices:\n  - name: fast\n    capability: \"9.0\"\n"

// objects are the files of compiled code and of its sources in a cache.
func objects(t *testing.T, cache string) (out []string) {
	t.Helper()
	err := filepath.WalkDir(filepath.Join(cache, "objects"), func(path string, d fs.DirEntry, err error) error {
		if err == nil && !d.IsDir() && filepath.Ext(path) != ".ref" {
			out = append(out, path)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return out
}

// TestSweep: another value of a param compiles nothing, the checks' definitions included, on the host, on an accelerator and in blocks; and what
// it gives is, to the bit, what the program gives that has the value written out.
func TestSweep(t *testing.T) {
	t.Chdir(t.TempDir())
	if err := os.WriteFile("gpu.yaml", []byte(accelerator), 0o600); err != nil {
		t.Fatal(err)
	}
	run := func(config Config, text string, params map[string]string) (outputs [][]byte, compiled int) {
		t.Helper()
		config.Threads = 1
		s, err := Open(config)
		if err != nil {
			t.Fatal(err)
		}
		if s.CPU == nil {
			t.Skip("no C compiler: nothing is compiled")
		}
		prog := CheckText("a.weft", []byte(text), check.Options{Params: params})
		p, err := s.Plan(t.Context(), prog, PlanOptions{})
		if err != nil {
			t.Fatal(err, prog.Found.String())
		}
		r, err := s.Run(t.Context(), prog, p, runtime.Options{Verify: true, Strict: true})
		if err != nil {
			t.Fatal(err, prog.Found.String())
		}
		for _, name := range []string{"u.npy", "w.npy"} {
			b, err := os.ReadFile(name)
			if err != nil {
				t.Fatal(err)
			}
			outputs = append(outputs, b)
		}
		return outputs, r.Compile.Kernels - r.Compile.Cached
	}
	host, accelerated := Config{Device: HostOnly}, Config{Device: "fast:0", Emulated: "gpu.yaml"}
	for name, c := range map[string]struct {
		config Config
		text   string
	}{
		"host": {host, swept}, "blocks": {Config{Device: HostOnly, Memory: 4 << 20}, swept}, "accelerator": {accelerated, swept},
		"counted": {host, counted}, "counted on an accelerator": {accelerated, counted},
	} {
		cache := t.TempDir()
		t.Setenv("WEFT_CACHE", cache)
		first, made := run(c.config, c.text, nil)
		if made == 0 && c.config.Device == HostOnly {
			t.Errorf("%s: the first run compiled nothing", name)
		}
		before := objects(t, cache)
		second, made := run(c.config, c.text, map[string]string{"c": "1481.3 m/s", "gain": "0.7"})
		if after := objects(t, cache); made > 0 || len(after) != len(before) {
			t.Errorf("%s: another value compiled %d kernels and added %d objects", name, made, len(after)-len(before))
		}
		written := strings.NewReplacer("param c = 1540 m/s\nparam gain = 2.5\n", "", "param c = 1540 m/s\nparam gain = 0.5\n", "", "/ c", "/ 1481.3 m/s", "gain", "0.7").Replace(c.text)
		constants, _ := run(c.config, written, nil)
		for i := range second {
			if bytes.Equal(first[i], second[i]) || !bytes.Equal(second[i], constants[i]) {
				t.Errorf("%s: output %d differs from that of constants, or not from that of other params", name, i)
			}
		}
	}
}
