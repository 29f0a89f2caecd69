package session

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"weft/lang/check"
	"weft/planner"
	"weft/planner/graph"
	"weft/runtime"
)

func TestMain(m *testing.M) {
	os.Setenv("WEFT_PROFILE", "default") // predictions that are the same on every machine
	os.Exit(m.Run())
}

const text = `a = axis(x, 0 mm .. 1 mm in 100) * 3
a | write("out.npy")
`

func TestCheckPlanRun(t *testing.T) {
	t.Setenv("WEFT_CACHE", t.TempDir())
	t.Chdir(t.TempDir())
	s, err := Open(Config{Device: HostOnly, Threads: 1})
	if err != nil {
		t.Fatal(err)
	}
	prog := CheckText("a.weft", []byte(text), check.Options{})
	p, err := s.Plan(t.Context(), prog, PlanOptions{})
	if err != nil {
		t.Fatal(err)
	}
	r, err := s.Run(t.Context(), prog, p, runtime.Options{Verify: true, Discard: true})
	if err != nil || len(r.Kernels) != 1 || len(r.Parity) != 1 || !r.Parity[0].OK {
		t.Fatalf("%v: %+v", err, r)
	}
	if files, _ := filepath.Glob("*"); len(files) > 0 {
		t.Errorf("files: %s", files)
	}
	if _, err := s.Run(t.Context(), prog, p, runtime.Options{}); err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat("out.npy"); err != nil {
		t.Error(err)
	}
	if err := s.Learn(t.Context()); err != nil {
		t.Error(err)
	}
}

// TestMistakes: what is wrong with a program, and how a run of it fails, are mistakes at their places, whoever finds them.
func TestMistakes(t *testing.T) {
	t.Setenv("WEFT_CACHE", t.TempDir())
	s, err := Open(Config{Device: HostOnly, Memory: 1 << 10})
	if err != nil {
		t.Fatal(err)
	}
	for code, text := range map[string]string{
		"E0201": "show(unknown)\n",
		"E0601": "sqrt(abs(axis(x, 0 .. 1 in 1000) - axis(y, 0 .. 1 in 1000))) | write(\"out.npy\")\n",
		"E0501": "show(read(\"absent.npy\"))\n",
	} {
		prog := CheckText("a.weft", []byte(text), check.Options{})
		_, err := s.Plan(t.Context(), prog, PlanOptions{})
		var m *Mistakes
		if !errors.As(err, &m) || !strings.Contains(m.String(), code) || !strings.Contains(m.String(), "a.weft:1:") {
			t.Errorf("%s: %v, %v", code, err, &prog.Found)
		}
	}
}

// TestDefine: texts behind each other know the names before them, mistakes define nothing, and kernels that are there are found compiled.
func TestDefine(t *testing.T) {
	t.Setenv("WEFT_CACHE", t.TempDir())
	s, err := Open(Config{Device: HostOnly, Threads: 1})
	if err != nil {
		t.Fatal(err)
	}
	for i, c := range []struct {
		text     string
		code     string // of its mistake
		asks     bool
		compiled int // kernels that no earlier text had
	}{
		{"a = axis(x, 0 .. 1 in 1000)\nfn twice(v) = v * 2\nb = sin(twice(a))", "", false, 0},
		{"show(b)", "", true, 2},
		{"show(b)\nshow(sqrt(b))", "", true, 1}, // the kernel of b is there
		{"c = unknown + b", "E0201", false, 0},
		{"c = cos(a)\nshow(c)", "", true, 1},                 // c was not defined by the mistake
		{"a = axis(x, 0 .. 1 in 500)\nshow(b)", "", true, 0}, // b keeps the a that it was written with
		{"show(twice(a))", "", true, 1},                      // and twice is known
	} {
		prog, p, err := s.Define(t.Context(), "line", c.text, PlanOptions{Request: planner.Request{FuseLimit: new(0)}, AsWritten: true})
		if c.code != "" {
			if err == nil || !strings.Contains(err.Error()+prog.Found.String(), c.code) || p != nil {
				t.Errorf("%d: %v, %v", i, err, prog.Found.String())
			}
			continue
		}
		if err != nil || (p != nil) != c.asks {
			t.Fatalf("%d: %v, a plan: %v", i, err, p != nil)
		}
		if p == nil {
			continue
		}
		r, err := s.Run(t.Context(), prog, p, runtime.Options{Discard: true})
		if err != nil {
			t.Fatalf("%d: %v", i, err)
		}
		if made := r.Compile.Kernels - r.Compile.Cached; s.CPU != nil && made != c.compiled {
			t.Errorf("%d: %d kernels were compiled, want %d", i, made, c.compiled)
		}
	}
}

// TestParamsAreRedefined: two numbers of one name in a program are constants, each its own.
func TestParamsAreRedefined(t *testing.T) {
	t.Setenv("WEFT_CACHE", t.TempDir())
	t.Chdir(t.TempDir())
	s, err := Open(Config{Device: HostOnly, Threads: 1})
	if err != nil {
		t.Fatal(err)
	}
	const last = `axis(x, 0 .. 1 in 100) * 3.5 + axis(x, 0 .. 1 in 100) * 2.5 | write("b.npy")`
	for _, text := range []string{"param c = 2.5\na = axis(x, 0 .. 1 in 100) * c", "param c = 3.5\naxis(x, 0 .. 1 in 100) * c + a | write(\"a.npy\")", last} {
		prog, p, err := s.Define(t.Context(), "line", text, PlanOptions{})
		if err != nil {
			t.Fatal(err)
		}
		if p == nil {
			continue
		}
		if text != last && (len(p.Numbers) != 1 || p.Numbers[0].Fixed != graph.Unlike) {
			t.Errorf("%+v", p.Numbers)
		}
		if _, err := s.Run(t.Context(), prog, p, runtime.Options{}); err != nil {
			t.Fatal(err)
		}
	}
	a, err := os.ReadFile("a.npy")
	if b, other := os.ReadFile("b.npy"); err != nil || other != nil || !bytes.Equal(a, b) {
		t.Errorf("%v, %v: the two are not what they are written out", err, other)
	}
}
