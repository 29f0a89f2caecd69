package session

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"weft/kernels/cache/cachetest"
	"weft/lang/check"
	"weft/planner/graph"
	"weft/runtime"
)

func TestMain(m *testing.M) {
	if os.Getenv("WEFT_OPPOSITES") == "" { // which measures this machine
		cachetest.Quick()
		os.Setenv("WEFT_PROFILE", "default") // predictions that are the same on every machine
	}
	os.Exit(m.Run())
}

const text = `a = axis(x, 0 mm .. 1 mm in 100) * 3
a | write("out.npy")
`

func TestCheckPlanRun(t *testing.T) {
	cachetest.Use(t)
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
	cachetest.Use(t)
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

// TestParamsOfOneName: two numbers of one name, in a program and in a file that it uses, are constants, each its own.
func TestParamsOfOneName(t *testing.T) {
	cachetest.Use(t)
	t.Chdir(t.TempDir())
	s, err := Open(Config{Device: HostOnly, Threads: 1})
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile("other.weft", []byte("param c = 2.5\nfn f(x) = x * c\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	for file, text := range map[string]string{
		"a.npy": "use \"other.weft\"\nparam c = 3.5\nx = axis(x, 0 .. 1 in 100)\nx * c + other.f(x) | write(\"a.npy\")",
		"b.npy": `axis(x, 0 .. 1 in 100) * 3.5 + axis(x, 0 .. 1 in 100) * 2.5 | write("b.npy")`,
	} {
		prog := CheckText("p.weft", []byte(text), check.Options{})
		p, err := s.Plan(t.Context(), prog, PlanOptions{})
		if err != nil {
			t.Fatal(err)
		}
		if file == "a.npy" && (len(p.Numbers) != 1 || p.Numbers[0].Fixed != graph.Unlike) {
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
