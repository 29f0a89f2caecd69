package diag

import (
	"strings"
	"testing"

	"weft/ops/problem"
)

func TestListSortsAndDropsDuplicates(t *testing.T) {
	a, b := NewSource("a.weft", "one\ntwo\nthree"), NewSource("b.weft", "x")
	var l List
	l.Report(problem.UnknownName, Span{b, 0, 1}, "last")
	l.Report(problem.UnknownName, Span{a, 4, 7}, "second")
	l.Report(problem.UnusedName, Span{a, 4, 7}, "third")
	l.Report(problem.UnknownName, Span{a, 0, 3}, "first")
	l.Report(problem.UnknownName, Span{a, 4, 7}, "second")
	var got []string
	for _, d := range l.Sorted() {
		got = append(got, d.Message)
	}
	if want := "first second third last"; strings.Join(got, " ") != want {
		t.Errorf("got %q, want %q", got, want)
	}
	if l.Count(Error) != 3 || l.Count(Warning) != 1 || l.Len() != 5 {
		t.Errorf("counts %d, %d, %d", l.Count(Error), l.Count(Warning), l.Len())
	}
	if want := "3 errors, 1 warning"; l.Summary() != want {
		t.Errorf("summary %q, want %q", l.Summary(), want)
	}
	want := "a.weft:1:1: error[E0201]: first\na.weft:2:1: error[E0201]: second\nb.weft:1:1: error[E0201]: last"
	if err := l.Err(); err == nil || err.Error() != want {
		t.Errorf("error %v, want %s", err, want)
	}
}

func TestWarningsAreNoErrors(t *testing.T) {
	var l List
	if l.HasErrors() || l.Err() != nil || l.Summary() != "" {
		t.Error("an empty list has errors")
	}
	l.Report(problem.UnusedName, Span{NewSource("f", "a"), 0, 1}, "unused")
	if l.HasErrors() || l.Err() != nil {
		t.Error("a warning is an error")
	}
}

func TestLimitCountsWhatItHides(t *testing.T) {
	src := NewSource("f", strings.Repeat("a\n", 10))
	var l List
	for i := range 10 {
		l.Report(problem.UnknownName, Span{src, 2 * i, 2*i + 1}, "unknown %d", i)
	}
	l.Report(problem.UnusedName, Span{src, 19, 19}, "unused")
	var b strings.Builder
	if err := (Renderer{Limit: 3}).Write(&b, &l); err != nil {
		t.Fatal(err)
	}
	if n := strings.Count(b.String(), "error["); n != 3 {
		t.Errorf("%d errors shown", n)
	}
	if !strings.HasSuffix(b.String(), "7 more errors not shown\n") || !strings.Contains(b.String(), "warning[") {
		t.Errorf("got\n%s", b.String())
	}
}

func TestReportRefusesCodesOutsideTheTable(t *testing.T) {
	defer func() {
		if recover() == nil {
			t.Error("E9999 was accepted")
		}
	}()
	new(List).Report("E9999", Span{}, "no")
}

func TestPositions(t *testing.T) {
	src := NewSource("f", "é\nbc\n")
	for offset, want := range map[int]Position{
		-1: {1, 1}, 0: {1, 1}, 2: {1, 2}, 3: {2, 1}, 4: {2, 2}, 5: {2, 3}, 6: {3, 1}, 99: {3, 1},
	} {
		if got := src.Position(offset); got != want {
			t.Errorf("offset %d at %v, want %v", offset, got, want)
		}
	}
	if src.Lines() != 3 || src.Line(1) != "é" || src.Line(2) != "bc" || src.Line(3) != "" {
		t.Errorf("lines %d %q %q %q", src.Lines(), src.Line(1), src.Line(2), src.Line(3))
	}
}
