package check

import (
	"fmt"
	"slices"
	"testing"

	"weft/lang/diag"
	"weft/lang/syntax"
	"weft/ops"
	arrays "weft/ops/array"
	"weft/ops/catalogue"
	"weft/ops/problem"
	"weft/ops/shape"
)

// seeing is a checker whose operator see takes any value.
func seeing(opt Options) *Checker {
	return New(catalogue.New(arrays.Specs(), shape.Specs(), []*ops.Spec{{Name: "see", Params: []ops.Param{{Name: "v", Accept: 1<<10 - 1, Unit: "*"}}, Bind: noSink}}), opt)
}

// TestTextsFollowEachOther checks texts one after the other: what each sees, and how many mistakes it has.
func TestTextsFollowEachOther(t *testing.T) {
	k := seeing(Options{})
	for _, text := range []struct {
		text   string
		sees   []string
		errors int
	}{
		{"a = 2\nfn f(x) = x * a\n", nil, 0},
		{"b = f(3)\nsee(b)\n", []string{"6"}, 0},
		{"a = 5\nsee(f(3))\nsee(a)\n", []string{"6", "5"}, 0}, // f keeps the a that it was written with
		{"see(a + b)\n", []string{"11"}, 0},
		{"wrong = nothing + 1\n", nil, 1},
		{"see(wrong)\n", nil, 0}, // reported already
		{"wrong = 3\nsee(wrong)\n", []string{"3"}, 0},
		{"a = a + 1\n", nil, 1}, // a definition does not see the one it replaces
	} {
		p, list := k.Add("line", []byte(text.text))
		var sees []string
		for _, s := range p.Sinks {
			sees = append(sees, s.Call.Args["v"].String())
		}
		if !slices.Equal(sees, text.sees) || (list.HasErrors()) != (text.errors > 0) {
			t.Errorf("%q: sees %v, want %v; %v", text.text, sees, text.sees, list.Sorted())
		}
	}
}

// TestInfo checks what is known of names and expressions behind a check.
func TestInfo(t *testing.T) {
	p, list := seeing(Options{}).Add("f", []byte("a = 2 mm\nfn twice(x) = x * a\nsee(twice(a) + a * 1 mm)\n"))
	if list.HasErrors() {
		t.Fatal(list.Sorted())
	}
	var defs, uses []string
	for n, v := range p.Info.Defs {
		defs = append(defs, fmt.Sprintf("%s = %v", n.Text, v))
	}
	for use, def := range p.Info.Uses {
		uses = append(uses, fmt.Sprintf("%s:%d is of line %d", use.Text, use.Span().Position().Line, def.Span().Position().Line))
	}
	slices.Sort(defs)
	slices.Sort(uses)
	if want := []string{"a = 2 mm", "twice = <nil>"}; !slices.Equal(defs, want) {
		t.Errorf("definitions %q, want %q", defs, want)
	}
	if want := []string{"a:2 is of line 1", "a:3 is of line 1", "a:3 is of line 1", "twice:3 is of line 2"}; !slices.Equal(uses, want) {
		t.Errorf("uses %q, want %q", uses, want)
	}
	found := false
	for e, v := range p.Info.Types {
		if b, ok := e.(*syntax.Binary); ok && b.Operator.Text == "+" {
			found = v.String() == "6e-06 m^2"
		}
	}
	if !found {
		t.Error("the sum is not known as 6e-06 m^2")
	}
}

// TestOverridesDoNotDependOnTheirOrder checks that what a default or a value uses is evaluated with its own override.
func TestOverridesDoNotDependOnTheirOrder(t *testing.T) {
	p, list := File("f", []byte("param a = b * 2\nparam b = 1\nparam c = 3\nsee(a)\nsee(b)\nsee(c)\n"), seeing(Options{}).cat, Options{Params: map[string]string{"b": "10", "c": "b + a"}})
	if list.HasErrors() {
		t.Fatal(list.Sorted())
	}
	for i, want := range []string{"20", "10", "30"} {
		if got := p.Sinks[i].Call.Args["v"].String(); got != want {
			t.Errorf("%d: got %s, want %s", i, got, want)
		}
	}
	// a definition that only a value of the command line needs is reported where it is wrong
	_, list = File("f", []byte("param a = 1\nw = nothing\nsee(a)\n"), seeing(Options{}).cat, Options{Params: map[string]string{"a": "w"}})
	if got := list.Sorted(); list.Count(diag.Error) != 1 || got[0].Code != problem.UnknownName || got[0].Span.Position().Line != 2 {
		t.Errorf("%v", got)
	}
}
