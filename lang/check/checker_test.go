package check

import (
	"fmt"
	"slices"
	"testing"

	"weft/lang/diag"
	"weft/lang/library"
	"weft/lang/syntax"
	"weft/ops"
	arrays "weft/ops/array"
	"weft/ops/catalogue"
	"weft/ops/problem"
	"weft/ops/shape"
)

// seen checks a text with an operator see, which takes any value.
func seen(text string, opt Options) (*Program, diag.List) {
	see := &ops.Spec{Name: "see", Params: []ops.Param{{Name: "v", Accept: 1<<10 - 1, Unit: "*"}}, Bind: noSink}
	return File("f", []byte(text), catalogue.New(arrays.Specs(), shape.Specs(), []*ops.Spec{see}), opt)
}

// TestOpenTexts: a text that is being written may hold names that nothing uses.
func TestOpenTexts(t *testing.T) {
	const text = "a = 2\nb = a * 3\nfn f(x) = x * a\n"
	if _, list := seen(text, Options{Open: true}); list.Len() > 0 {
		t.Error(list.Sorted())
	}
	if _, list := seen(text, Options{}); list.Len() == 0 {
		t.Error("a finished text that asks for nothing is fine")
	}
}

// TestInfo checks what is known of names and expressions behind a check.
func TestInfo(t *testing.T) {
	p, list := seen("a = 2 mm\nfn twice(x) = x * a\nsee(twice(a) + a * 1 mm)\n", Options{})
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
	p, list := seen("param a = b * 2\nparam b = 1\nparam c = 3\nsee(a)\nsee(b)\nsee(c)\n", Options{Params: map[string]string{"b": "10", "c": "b + a"}})
	if list.HasErrors() {
		t.Fatal(list.Sorted())
	}
	for i, want := range []string{"20", "10", "30"} {
		if got := p.Sinks[i].Call.Args["v"].String(); got != want {
			t.Errorf("%d: got %s, want %s", i, got, want)
		}
	}
	// a definition that only a value of the command line needs is reported where it is wrong
	_, list = seen("param a = 1\nw = nothing\nsee(a)\n", Options{Params: map[string]string{"a": "w"}})
	if got := list.Sorted(); list.Count(diag.Error) != 1 || got[0].Code != problem.UnknownName || got[0].Span.Position().Line != 2 {
		t.Errorf("%v", got)
	}
}

// A library that cannot be read is wrong at its place, also where a trial reads it first.
func TestLibrariesWithMistakes(t *testing.T) {
	parts, ok := library.Parts("fn good(x) = x + 1\n\nfn wrong(x) {\n    y = )\n    y\n}\nuse 7\n")
	if !ok {
		t.Fatal("no parts")
	}
	c := newChecker("f", []byte("use some"), catalogue.Standard(), Options{})
	c.declare(syntax.Parse(c.program.Source, c.units, c.diags))
	m := c.partly(c.scope.names["some"], "library some", parts)
	c.findings = newFindings()
	if v, ok := c.part(m, "wrong"); v != nil || !ok {
		t.Errorf("got %v, %v", v, ok)
	}
	if v, ok := c.part(m, "good"); v == nil || !ok {
		t.Error("the other function is gone")
	}
	got := c.lasting.diags.Sorted()
	if len(got) != 3 || got[0].Severity != diag.Error || got[0].Span.Source.Name != "library some" {
		t.Errorf("got %v", got)
	}
}
