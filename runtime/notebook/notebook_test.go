package notebook

import (
	"context"
	"errors"
	"io"
	"os"
	"slices"
	"strings"
	"testing"

	"weft/kernels/cache/cachetest"
	"weft/lang/diag"
	"weft/ops"
	"weft/planner/bound"
	"weft/runtime"
	"weft/runtime/result"
	"weft/runtime/session"
)

// paper is a terminal that keeps what is printed.
type paper struct{ *strings.Builder }

func (paper) Size() (columns, rows int)     { return 80, 24 }
func (paper) Rich() bool                    { return false }
func (p paper) To(w io.Writer) ops.Terminal { return p }

func open(t *testing.T, most int64) *Notebook {
	t.Helper()
	cachetest.Use(t)
	t.Chdir(t.TempDir())
	s, err := session.Open(session.Config{Device: session.HostOnly, Threads: 1})
	if err != nil {
		t.Fatal(err)
	}
	return New(s, most)
}

// enter enters a text, and gives what it showed and what its run did.
func enter(t *testing.T, n *Notebook, text string) (string, *result.Result, error) {
	t.Helper()
	shown := paper{new(strings.Builder)}
	r, err := n.Enter(t.Context(), n.Check(text), runtime.Options{Terminal: shown, Verify: true})
	return shown.String(), r, err
}

// kernels are what the kernels of a run are called.
func kernels(r *result.Result) string {
	var out []string
	if r != nil {
		for _, k := range r.Kernels {
			out = append(out, strings.Join(k.Ops, "+"))
		}
	}
	return strings.Join(out, ", ")
}

func TestEntries(t *testing.T) {
	n := open(t, 1<<20)
	for _, c := range []struct{ text, shows, runs, fails string }{
		{"a = axis(i, 1 .. 4 in 4)\nb = sqrt(a)", "", "", ""},
		{"sum(b * b)", "10", "pow+sqrt+mul, sum", ""},
		{"sum(b * b) + 1", "11", "", ""},
		{"nothing + b", "", "", "E0201"},
		{"b = a * 2\nb + nothing", "", "", "E0201"}, // an entry with a mistake defines nothing
		{"sum(b * b)", "10", "", ""},
		{"a = axis(i, 1 .. 5 in 5)", "", "", ""}, // and what is made of it follows
		{"sum(b * b)", "15", "", ""},
		{"a = axis(i, 1 .. 4 in 4)", "", "", ""}, // as it was before: b is kept
		{"sum(b * b)", "10", "", ""},
		{"fn f(x) = x + 1\nf(3)", "4", "", ""},
		{"fn f(x) = x + 2", "", "", ""},
		{"f(3)\nf(4)", "5\n6", "", ""},
		{"a = axis(j, 1 .. 2 in 2) * 1 m\nc = a + 1\nsum(c, over: j)", "", "", "E0303"},
		{"require(max(a) > 9, \"it is low\")", "", "", "E0228"},
		{"fn some(x) {\n    require(max(x) > 0, \"there is none\")\n    max(x)\n}\nsome(a)", "4", "", ""}, // what is required on the way is no use of the value
		{"max(a) # of all", "4", "", ""},
		{"k = axis(k, 1 .. 40 in 40)\nw = fold((s, k) -> s * 3, along: k, from: 1)", "", "", ""},
		{"w", "", "", "E0711"},
		{"w", "", "", "E0711"}, // what is wrong is not kept
	} {
		shown, _, err := enter(t, n, c.text)
		if c.fails != "" {
			var m *session.Mistakes
			if !errors.As(err, &m) || !slices.ContainsFunc(m.Sorted(), func(d *diag.Diagnostic) bool { return d.Code == c.fails }) {
				t.Errorf("%q: %v, want %s; %v", c.text, err, c.fails, m)
			}
			continue
		}
		if err != nil || strings.TrimSpace(shown) != c.shows {
			t.Errorf("%q: shows %q, want %q; %v", c.text, shown, c.shows, err)
		}
	}
}

// TestBroken: a definition that fits no more is a mistake of what uses it, and of nothing else.
func TestBroken(t *testing.T) {
	n := open(t, 1<<20)
	for _, c := range []struct{ text, shows string }{
		{"z = 1 m\ny = z + 1 m", ""}, {"z = 1 s", ""}, {"1 + 1", "2"}, {"y", "?"}, {"z = 2 m", ""}, {"y", "y = 3 m"}, {"show(y)", "3 m"},
	} {
		shown, _, err := enter(t, n, c.text)
		if c.shows == "?" && err == nil || c.shows != "?" && (err != nil || !strings.Contains(c.shows, strings.TrimSpace(shown))) {
			t.Errorf("%q: %q, %v", c.text, shown, err)
		}
	}
	n.Forget("z")
	if shown, _, err := enter(t, n, "1 + 2"); err != nil || strings.TrimSpace(shown) != "3" {
		t.Errorf("%q, %v", shown, err)
	}
}

// TestKept: what is named and was computed is not computed again, until something that it is made of changes.
func TestKept(t *testing.T) {
	n := open(t, 1<<20)
	define := "x = axis(i, 0 .. 1 in 1000)\ny = sin(x)\nz = exp(y) * 2\n"
	if _, _, err := enter(t, n, define); err != nil {
		t.Fatal(err)
	}
	for i, c := range []struct {
		text string
		runs bool // the exponential
	}{
		{"show(sum(z))", true},
		{"show(sum(z))", false},
		{"show(max(z - y))", false},
		{"unused = 3", false},
		{"show(sum(z))", false},
		{"y = cos(x)", false},
		{"show(sum(z))", true},
		{"y = sin(x)", false},
		{"show(sum(z))", false},
	} {
		_, r, err := enter(t, n, c.text)
		if err != nil {
			t.Fatal(err)
		}
		if ran := strings.Contains(kernels(r), "exp"); ran != c.runs {
			t.Errorf("%d: %q ran %q", i, c.text, kernels(r))
		}
	}
}

// TestKeptFiles: what is read from a file is read again once the file changes, also one that only a file in use names.
func TestKeptFiles(t *testing.T) {
	n := open(t, 1<<20)
	write := func(value string) {
		if _, _, err := enter(t, n, `axis(i, 1 .. 1 in 3) * (`+value+`) | write("x.npy")`); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.WriteFile("m.weft", []byte("fn twice(v) = v * 2\ndata = read(\"x.npy\", dims: [i])\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	write("1.5")
	if _, _, err := enter(t, n, "use \"m.weft\"\nx = read(\"x.npy\", dims: [i])\ny = m.twice(x)\nw = m.data * 1"); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"9\n4.5", "18\n9"} {
		if shown, _, err := enter(t, n, "sum(y)\nsum(w)"); err != nil || strings.TrimSpace(shown) != want {
			t.Errorf("%q, %v: want %q", shown, err, want)
		}
		write("3.25 - 0.25")
	}
}

// TestRoom: what is kept takes no more than it may; what was used longest ago goes.
func TestRoom(t *testing.T) {
	n := open(t, 10000)
	if _, _, err := enter(t, n, "a = sqrt(axis(i, 0 .. 1 in 1000))\nb = a + 1\nc = a + 2\nlarge = sqrt(axis(i, 0 .. 1 in 5000))"); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"a", "b", "a", "c", "large"} {
		if _, _, err := enter(t, n, "sum("+name+")"); err != nil {
			t.Fatal(err)
		}
	}
	if len(n.kept.arrays) != 2 || n.kept.bytes != 8000 {
		t.Errorf("%d values of %d bytes are kept: %v", len(n.kept.arrays), n.kept.bytes, n.kept.order)
	}
	if _, r, err := enter(t, n, "sum(a)"); err != nil || strings.Contains(kernels(r), "sqrt") {
		t.Errorf("%q, %v: a was used after b", kernels(r), err)
	}
}

// TestAgain: a definition that writes does so each time it is entered, and never else; what it warns of is said then.
func TestAgain(t *testing.T) {
	n := open(t, 1<<20)
	const text = `x = axis(i, 1 .. 3 in 3) | write("x.npy")`
	for i, entry := range []string{text, "1 + 1", text} {
		if err := os.RemoveAll("x.npy"); err != nil {
			t.Fatal(err)
		}
		if _, _, err := enter(t, n, entry); err != nil {
			t.Fatal(err)
		}
		if _, err := os.Stat("x.npy"); (err == nil) != (entry == text) {
			t.Errorf("%d: %q: %v", i, entry, err)
		}
	}
}

// TestText: what was entered makes a file that gives the same.
func TestText(t *testing.T) {
	n := open(t, 1<<20)
	for _, text := range []string{"# of four\na = axis(i, 1 .. 4 in 4)", "a * 2", "a = axis(i, 1 .. 3 in 3)", "wrong +", "sum(a)", "sum(a)"} {
		_, _, _ = enter(t, n, text) // one of them is wrong
	}
	if want := "a = axis(i, 1 .. 3 in 3)\nshow(a * 2)\nshow(sum(a))\n"; n.Text() != want {
		t.Errorf("%q, want %q", n.Text(), want)
	}
	if !n.Forget("a") || n.Forget("a") || len(n.Names()) > 0 {
		t.Error(n.Names())
	}
}

// TestCancelled: a run that is cancelled leaves the notebook as it was.
func TestCancelled(t *testing.T) {
	n := open(t, 1<<20)
	if _, _, err := enter(t, n, "a = sqrt(axis(i, 0 .. 1 in 1000))"); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	e := n.Check("b = a + 1\nshow(sum(b))")
	see := func(*bound.Step, []ops.HostArray) error { cancel(); return nil }
	_, err := n.Enter(ctx, e, runtime.Options{Terminal: paper{new(strings.Builder)}, See: see, Verify: true})
	cancel()
	if err == nil || slices.Contains(n.Names(), "b") {
		t.Errorf("%v: %v", err, n.Names())
	}
	if shown, _, err := enter(t, n, "sum(a * a)"); err != nil || strings.TrimSpace(shown) != "500" {
		t.Errorf("%q, %v", shown, err)
	}
}
