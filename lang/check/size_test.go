package check

import (
	"fmt"
	"strings"
	"testing"

	"weft/lang/library"
	"weft/ops/catalogue"
)

// longFile is a program of so many functions of five lines, and of so many lines that call them.
func longFile(functions, calls int) string {
	var b strings.Builder
	b.WriteString("x = axis(x, 0 m .. 3 m in 64)\nr0 = x\n")
	for k := range functions {
		fmt.Fprintf(&b, "## Function %[1]d.\nfn f%[1]d(a, b in m = 1 m) {\n    u = a / b + %[1]d\n    u * u - sum(u ^ 2, over: x) / %[2]d\n}\n", k, k+1)
	}
	for k := range calls {
		fmt.Fprintf(&b, "r%d = f%d(r%d, %d m) * (1 m)\n", k+1, k%functions, k, k+1)
	}
	fmt.Fprintf(&b, "show(max(r%d))\n", calls)
	return b.String()
}

// allocations of a check stand for its work: they are the same on every machine.
func allocations(t *testing.T, text string) float64 {
	t.Helper()
	cat := catalogue.Standard()
	return testing.AllocsPerRun(1, func() {
		if _, list := File("f", []byte(text), cat, Options{}); list.HasErrors() {
			t.Fatal(list.Sorted())
		}
	})
}

// The work of a check grows with the length of a file: of 1,000 lines with 200 functions, and of a quarter of that. The larger one took 50 ms of
// CPU time when this was written.
func TestLongFiles(t *testing.T) {
	small, large := allocations(t, longFile(50, 50)), allocations(t, longFile(200, 200))
	t.Logf("a quarter %.0f, all %.0f", small, large)
	if large > 4.5*small || large > 400_000 {
		t.Errorf("300 lines take %.0f allocations, and 1,200 lines %.0f", small, large)
	}
}

// A file that uses every library is checked with little more work than one that uses none: functions are read where they are called.
func TestLibrariesAreReadAsTheyAreUsed(t *testing.T) {
	with := "show(1)\n"
	for _, name := range library.Names() {
		with = "use " + name + "\n" + with
	}
	none, all := allocations(t, "show(1)\n"), allocations(t, with)
	t.Logf("%.0f allocations without libraries, %.0f with all", none, all)
	if each := (all - none) / float64(len(library.Names())); each > 150 {
		t.Errorf("a file that uses all libraries takes %.0f allocations more for each", each)
	}
}
