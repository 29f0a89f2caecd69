package library_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"weft/lang/check"
	"weft/lang/library"
	"weft/ops/catalogue"
)

// What is said for a name of elsewhere runs as it is said, over arrays that suit, and no operator has the name.
func TestNamesOfElsewhere(t *testing.T) {
	cat := catalogue.Standard()
	for name := range library.Elsewhere {
		if cat.Lookup(name) != nil {
			t.Errorf("%s is an operator", name)
		}
		said := library.Instead(name)
		text := "k = axis(k, 0 .. 2)\nx = axis(x, 0 .. 4)\ny = axis(y, 0 .. 3)\na = x + y + k\nb = a * 2\nplaces = array([0.5, 1], dims: p)\ncondition = a > 2\n"
		if _, behind, uses := strings.Cut(said, "behind `use "); uses {
			text = "use " + strings.TrimSuffix(behind, "`") + "\n" + text
		}
		said, _, _ = strings.Cut(said, ", behind")
		for _, e := range strings.Split(strings.Trim(strings.TrimPrefix(said, "write "), "`"), " and ") {
			e, _, _ = strings.Cut(e, ", which")
			if strings.HasPrefix(e, "read(") {
				continue // no such file is there
			}
			if head, _, _ := strings.Cut(e, "("); !slices.Contains([]string{"show", "write", "plot.line", "plot.hist"}, head) {
				e = "show(" + e + ")"
			}
			if strings.Contains(e, "(a: a") {
				e = strings.NewReplacer("a: a", "a: a[k: 0, y: 0]", "b: b", "b: b[k: 0, y: 0]").Replace(e)
			}
			if strings.Contains(e, ".png") {
				e = strings.Replace(e, "write(a", "write(a[k: 0]", 1)
			}
			if _, list := check.File("f.weft", fmt.Appendf([]byte(text), "%s\n", e), cat, check.Options{}); list.HasErrors() {
				t.Errorf("%s: %s:\n%s", name, e, list.String())
			}
		}
	}
	for name, want := range map[string]string{"blur": "`use image` makes `image.blur` known", "fwhm": ""} {
		if got := library.Instead(name); got != want {
			t.Errorf("%s: %q", name, got)
		}
	}
}
