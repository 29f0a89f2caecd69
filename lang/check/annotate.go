package check

import (
	"maps"
	"slices"
	"strings"

	"weft/lang/diag"
	"weft/lang/syntax"
	"weft/ops"
	"weft/ops/problem"
)

// annotations are the words that may follow a stage: what argument each takes.
var annotations = map[string]struct {
	takes ops.Kind // 0: none
	what  string
}{
	"precision": {ops.KSymbol | ops.KPair, "a type, as in @precision(f64), or types by part, as in @precision(storage: f16, accumulate: f64)"},
	"device":    {ops.KSymbol | ops.KText, "a device, as in @device(cpu), @device(gpu) or @device(\"fast:0\")"},
	"tolerance": {ops.KNumber, "an error, as in @tolerance(0.1 dB)"},
	"tile":      {ops.KPair, "extents, as in @tile(z: 8)"},
	"keep":      {0, ""},
	"fuse":      {0, ""},
}

// annotate attaches what follows a stage to the operator use it made.
func (c *checker) annotate(v ops.Value, list []*syntax.Annotation, in env) {
	seen := map[string]bool{}
	for _, a := range list {
		name := a.Name.Text
		known, ok := annotations[name]
		if !ok {
			c.unknownAnnotation(a)
			continue
		}
		if seen[name] {
			c.report(problem.DuplicateAnnotation, a.Span(), "@%s stands twice behind one stage", name).Helpf("remove one")
			continue
		}
		seen[name] = true
		value, ok := c.annotationValue(a, known.takes, in)
		op := instanceOf(v)
		if !ok || v == nil {
			continue
		}
		if op == nil {
			c.report(problem.BadAnnotation, a.Span(), "@%s belongs behind an operator that gives an array", name).Helpf("a value known before the run is computed once, and needs none")
			continue
		}
		if name == "tile" && !c.tileFits(a, v, value) {
			continue
		}
		if why := unhonoured(name, op); why != "" {
			c.report(problem.CannotHonour, a.Span(), "@%s cannot be honoured: %s", name, why).Helpf("leave it out")
		}
		op.Notes = append(op.Notes, ops.Annotation{Name: name, Value: value, Where: c.where(a.Span())})
	}
}

func (c *checker) unknownAnnotation(a *syntax.Annotation) {
	names := slices.Sorted(maps.Keys(annotations))
	d := c.report(problem.UnknownAnnotation, a.Name.Span(), "there is no annotation @%s", a.Name.Text)
	if near := diag.Nearest(a.Name.Text, names); len(near) > 0 {
		d.Helpf("did you mean @%s?", strings.Join(near, " or @"))
	} else {
		d.Helpf("there are @%s", strings.Join(names, ", @"))
	}
}

// tileFits checks that @tile names dimensions of the array it stands behind.
func (c *checker) tileFits(a *syntax.Annotation, v ops.Value, tile ops.Value) bool {
	arr, ok := v.(ops.Array)
	if !ok {
		return true
	}
	for _, p := range tile.(ops.List) {
		name := p.(ops.Pair).Name
		if arr.Type().Dim(name) < 0 {
			c.report(problem.BadTile, a.Span(), "the array has no dimension `%s`; it has %s", name, listDims(arr.Type().DimNames())).Suggest(diag.Nearest(name, arr.Type().DimNames())...)
			return false
		}
	}
	return true
}

// unhonoured says why an annotation changes nothing; empty when it does what it says. Which devices there are is known when a run is
// planned.
func unhonoured(name string, op *ops.Instance) string {
	if name == "device" && op.Spec.Source != nil {
		return op.Spec.Name + " runs on the host"
	}
	return ""
}

// precisions are the types that each part of a stage may be asked to be in.
var precisions = map[string][]string{
	"storage":    {"f64", "f32", "f16", "bf16"},
	"compute":    {"f64", "f32", "f16", "bf16"},
	"accumulate": {"f64", "f32", "f16", "bf16"},
}

// precision reads the argument of @precision: a type, or a type a part.
func (c *checker) precision(a *syntax.Annotation, given []*syntax.Argument, in env) (ops.Value, bool) {
	typeOf := func(g *syntax.Argument, known []string) (ops.Symbol, bool) {
		s, ok := c.eval(g.Value, in).(ops.Symbol)
		if ok && slices.Contains(known, string(s)) {
			return s, true
		}
		c.report(problem.UnsupportedPrecision, g.Value.Span(), "there is no such precision").Helpf("choose %s", strings.Join(known, ", "))
		return s, false
	}
	if len(given) == 1 && given[0].Name == nil {
		return typeOf(given[0], precisions["storage"])
	}
	var out ops.List
	seen := map[string]bool{}
	for _, g := range given {
		if g.Name == nil || precisions[g.Name.Text] == nil || seen[g.Name.Text] {
			return c.badAnnotation(a)
		}
		seen[g.Name.Text] = true
		s, ok := typeOf(g, precisions[g.Name.Text])
		if !ok {
			return nil, false
		}
		out = append(out, ops.Pair{Name: g.Name.Text, Value: s})
	}
	if len(out) == 0 {
		return c.badAnnotation(a)
	}
	return out, true
}

func (c *checker) badAnnotation(a *syntax.Annotation) (ops.Value, bool) {
	c.report(problem.BadAnnotation, a.Span(), "@%s takes %s", a.Name.Text, annotations[a.Name.Text].what)
	return nil, false
}

func (c *checker) annotationValue(a *syntax.Annotation, takes ops.Kind, in env) (ops.Value, bool) {
	var given []*syntax.Argument
	if a.Arguments != nil {
		given = a.Arguments.List
	}
	if takes == 0 {
		if len(given) > 0 {
			c.report(problem.BadAnnotation, a.Span(), "@%s takes no arguments", a.Name.Text)
		}
		return nil, len(given) == 0
	}
	if a.Name.Text == "precision" {
		return c.precision(a, given, in)
	}
	bad := func() (ops.Value, bool) { return c.badAnnotation(a) }
	if takes == ops.KPair {
		out := ops.List{}
		for _, g := range given {
			v := c.eval(g.Value, in)
			n, ok := v.(ops.Number)
			if g.Name == nil || !ok || !n.Int || n.V < 1 {
				return bad()
			}
			out = append(out, ops.Pair{Name: g.Name.Text, Value: n})
		}
		if len(out) == 0 {
			return bad()
		}
		return out, true
	}
	if len(given) != 1 || given[0].Name != nil {
		return bad()
	}
	v := c.eval(given[0].Value, in)
	if v == nil {
		return nil, false
	}
	if v.Kind()&takes == 0 || v == ops.Text("") {
		return bad()
	}
	if n, ok := v.(ops.Number); ok && n.Unit.Offset != 0 {
		c.report(problem.OffsetUnit, a.Span(), "an error is a difference, and %s counts from a zero of its own", n.Unit).Helpf("a difference of temperature is in K")
		return nil, false
	}
	if n, ok := v.(ops.Number); ok && n.V == 0 {
		c.report(problem.BadAnnotation, a.Span(), "a tolerance of 0 asks for a result without any error").Helpf("give what error is allowed, as in @tolerance(1e-6) or @tolerance(0.1 dB)")
		return nil, false
	}
	return v, true
}

// instanceOf is the operator use that made a value; nil when there is none.
func instanceOf(v ops.Value) *ops.Instance {
	switch v := v.(type) {
	case ops.Array:
		return v.Of
	case ops.Record:
		for _, f := range v.Fields {
			if a, ok := f.(ops.Array); ok {
				return a.Of
			}
		}
	}
	return nil
}
