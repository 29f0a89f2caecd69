package check

import (
	"slices"
	"testing"

	"weft/ops"
	"weft/ops/catalogue"
)

// TestWhatOperatorsDo checks of every use in every example that it is lowered, filled or taken, and not two of these; and that what
// is lowered has a definition in float64 and a tolerance.
func TestWhatOperatorsDo(t *testing.T) {
	seen := map[string]bool{}
	var visit func(op *ops.Instance)
	visited := map[*ops.Instance]bool{}
	visit = func(op *ops.Instance) {
		if visited[op] {
			return
		}
		visited[op], seen[op.Spec.Name] = true, true
		_, lowered := op.Bound.(ops.Lowerer)
		_, source := op.Bound.(ops.Source)
		_, state := op.Bound.(ops.Carried)
		source = source || state // what a repeated program is given
		_, sink := op.Bound.(ops.Sink)
		_, driven := op.Bound.(ops.Driver)
		lowered = lowered || driven // in the programs that it drives
		_, defined := op.Bound.(ops.Referencer)
		_, written := op.Bound.(ops.Writer)
		n := 0
		for _, does := range []bool{lowered, source, sink} {
			if does {
				n++
			}
		}
		switch {
		case n != 1:
			t.Errorf("%s does %d of lower, fill and take", op.Spec.Name, n)
		case lowered && !defined && !written && !slices.Contains([]string{"iterate", "fold", "scan"}, op.Spec.Name): // which are compared with turns made by hand
			t.Errorf("%s is lowered, but has no definition to compare with", op.Spec.Name)
		case lowered && op.Spec.Error.Metric == "":
			t.Errorf("%s has no error rule", op.Spec.Name)
		}
		op.Call.Arrays(func(_ string, a ops.Array) { visit(a.Of) })
	}
	cat := catalogue.Standard()
	for _, name := range cat.Names() {
		for _, e := range cat.Lookup(name).Examples {
			p, list := File(name, []byte(e.Code), cat, Options{})
			if list.HasErrors() {
				t.Errorf("%s: %v", name, list.Sorted())
			}
			for _, s := range p.Sinks {
				visit(s)
			}
		}
	}
	if len(seen) < 50 {
		t.Errorf("the examples use %d operators", len(seen))
	}
}
