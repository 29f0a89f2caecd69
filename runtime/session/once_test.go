package session

import (
	"bytes"
	"os"
	"strings"
	"testing"

	"weft/kernels/cache/cachetest"
	"weft/lang/check"
	"weft/runtime"
)

// What follows from no state is made once in a run: not again in each program of an iteration, in those of one within its turns, or behind it.
func TestMadeOnce(t *testing.T) {
	const text = `i = axis(i, 0 .. 1 in 300)
j = axis(j, 0 .. 1 in 300)
matrix = sin(i * j * 7) + where(i == j, 20, 0) @keep
row = sum(matrix, over: j) @keep
fn spread(v) = sum(matrix * rename(v, from: i, to: j), over: j)
fn turn(v) {
    w = row | iterate(w -> spread(w) / max(abs(spread(w))), at_most: 3)
    spread(v + w) / max(abs(spread(v)))
}
v = row | iterate(turn, at_most: 4, until: (old, new) -> max(abs(new - old)) < 1e-30)
`
	cachetest.Use(t)
	t.Chdir(t.TempDir())
	made := func(behind string) (matrices int, out []byte) {
		s, err := Open(Config{Device: HostOnly, Threads: 2})
		if err != nil {
			t.Fatal(err)
		}
		prog := CheckText("a.weft", []byte(text+behind), check.Options{})
		p, err := s.Plan(t.Context(), prog, PlanOptions{})
		if err != nil {
			t.Fatal(err, prog.Found.String())
		}
		r, err := s.Run(t.Context(), prog, p, runtime.Options{Verify: true})
		if err != nil {
			t.Fatal(err, prog.Found.String())
		}
		for _, k := range r.Kernels {
			if strings.Contains(strings.Join(k.Ops, " ")+k.Name, "sin") {
				matrices++
			}
		}
		if out, err = os.ReadFile("out.npy"); err != nil {
			t.Fatal(err)
		}
		return matrices, out
	}
	apart, alone := made("v.value | write(\"out.npy\")\n")
	if apart != 1 {
		t.Errorf("the matrix is made %d times, by programs alone", apart)
	}
	behind, both := made("v.value | write(\"out.npy\")\nspread(v.value) | write(\"behind.npy\")\n")
	if behind != 1 {
		t.Errorf("the matrix is made %d times, by programs and behind them", behind)
	}
	if !bytes.Equal(alone, both) {
		t.Error("what is needed behind an iteration changes what it gives")
	}
}

// What a state starts from is made again where turns read it: the state goes on.
func TestStartsAreNotTaken(t *testing.T) {
	const text = `i = axis(i, 0 .. 1 in 300)
from = exp(sin(i * 7))
v = from | iterate(v -> v * 0.5 + sum(from, over: i) / 300 + from, at_most: 3)
v | write("out.npy")
`
	cachetest.Use(t)
	t.Chdir(t.TempDir())
	s, err := Open(Config{Device: HostOnly, Threads: 2})
	if err != nil {
		t.Fatal(err)
	}
	prog := CheckText("a.weft", []byte(text), check.Options{})
	p, err := s.Plan(t.Context(), prog, PlanOptions{})
	if err != nil {
		t.Fatal(err, prog.Found.String())
	}
	if _, err := s.Run(t.Context(), prog, p, runtime.Options{Verify: true, Strict: true}); err != nil {
		t.Error(err)
	}
}
