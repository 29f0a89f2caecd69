package check

import (
	"maps"
	"reflect"
	"slices"
	"strings"

	"weft/kernels/ir"
	"weft/lang/diag"
	"weft/lang/syntax"
	"weft/ops"
	"weft/ops/problem"
)

// annotations are the words that may follow a stage, with what each takes.
var annotations = map[string]string{
	"precision": "a type, as in @precision(f64), or types by part, as in @precision(storage: f16, accumulate: f64)",
	"device":    "a device, as in @device(cpu), @device(gpu) or @device(\"fast:0\")",
	"tolerance": "an error, as in @tolerance(0.1 dB)",
	"tile":      "extents, as in @tile(z: 8)",
	"keep":      "no arguments",
	"fuse":      "no arguments",
}

// hint reads an annotation into h; it reports whether it could.
func (c *checker) hint(a *syntax.Annotation, in env, h *ops.Hints) bool {
	var given []*syntax.Argument
	if a.Arguments != nil {
		given = a.Arguments.List
	}
	switch a.Name.Text {
	case "precision":
		return c.precision(a, given, in, h)
	case "device":
		return c.device(a, given, in, h)
	case "tolerance":
		return c.tolerance(a, given, in, h)
	case "tile":
		return c.tile(a, given, in, h)
	case "keep":
		h.Keep = true
	case "fuse":
		h.Fuse = true
	}
	return len(given) == 0 || c.badAnnotation(a)
}

// annotate gives what follows a stage as hints to the operator use it made.
func (c *checker) annotate(v ops.Value, list []*syntax.Annotation, in env) {
	seen := map[string]bool{}
	for _, a := range list {
		name := a.Name.Text
		if annotations[name] == "" {
			c.unknownAnnotation(a)
			continue
		}
		if seen[name] {
			c.report(problem.DuplicateAnnotation, a.Span(), "@%s stands twice behind one stage", name).Helpf("remove one")
			continue
		}
		seen[name] = true
		op := instanceOf(v)
		hints := ops.Hints{}
		if op != nil {
			hints = op.Hints
		}
		switch {
		case !c.hint(a, in, &hints) || v == nil:
			continue
		case op == nil:
			c.report(problem.BadAnnotation, a.Span(), "@%s belongs behind an operator that gives an array", name).Helpf("a value known before the run is computed once, and needs none")
			continue
		case name == "tile" && !c.tileFits(a, v, hints.Tile):
			continue
		case name == "device" && op.IsSource():
			c.report(problem.CannotHonour, a.Span(), "@device cannot be honoured: %s runs on the host", op.Spec.Name).Helpf("leave it out")
		}
		if at, again := hints.At[name]; again && !reflect.DeepEqual(hints, op.Hints) {
			c.report(problem.DuplicateAnnotation, a.Span(), "@%s asks of a stage what another asked otherwise", name).Relate(c.program.Span(at), "first here").Helpf("remove one")
		}
		hints.At = maps.Clone(hints.At)
		if hints.At == nil {
			hints.At = map[string]problem.Where{}
		}
		hints.At[name] = c.where(a.Span())
		op.Hints = hints
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
func (c *checker) tileFits(a *syntax.Annotation, v ops.Value, tile map[string]int) bool {
	arr, ok := v.(ops.Array)
	if !ok {
		return true
	}
	for _, name := range slices.Sorted(maps.Keys(tile)) {
		if arr.Type().Dim(name) < 0 {
			c.report(problem.BadTile, a.Span(), "the array has no dimension `%s`; it has %s", name, listDims(arr.Type().DimNames())).Suggest(diag.Nearest(name, arr.Type().DimNames())...)
			return false
		}
	}
	return true
}

// precisions are the types that each part of a stage may be asked to be in.
var precisions = []ir.DType{ir.F64, ir.F32, ir.F16, ir.BF16}

// precision reads the argument of @precision: a type, for storage and arithmetic, or a type a part.
func (c *checker) precision(a *syntax.Annotation, given []*syntax.Argument, in env, h *ops.Hints) bool {
	var p ops.Precision
	parts := map[string]*ir.DType{"storage": &p.Storage, "compute": &p.Compute, "accumulate": &p.Accumulate}
	for _, g := range given {
		part := &p.Storage
		if p.Parts = g.Name != nil; p.Parts {
			part = parts[g.Name.Text]
		}
		if part == nil || *part != 0 || !p.Parts && len(given) > 1 {
			return c.badAnnotation(a)
		}
		s, _ := c.eval(g.Value, in).(ops.Symbol)
		t, known := ir.ParseDType(string(s))
		if !known || !slices.Contains(precisions, t) {
			c.report(problem.UnsupportedPrecision, g.Value.Span(), "there is no such precision").Helpf("choose f64, f32, f16, bf16")
			return false
		}
		*part = t
	}
	if !p.Parts {
		p.Compute = p.Storage
	}
	h.Precision = p
	return len(given) > 0 || c.badAnnotation(a)
}

func (c *checker) badAnnotation(a *syntax.Annotation) bool {
	c.report(problem.BadAnnotation, a.Span(), "@%s takes %s", a.Name.Text, annotations[a.Name.Text])
	return false
}

// tile reads the extents of @tile.
func (c *checker) tile(a *syntax.Annotation, given []*syntax.Argument, in env, h *ops.Hints) bool {
	h.Tile = map[string]int{}
	for _, g := range given {
		n, ok := c.eval(g.Value, in).(ops.Number)
		if g.Name == nil || !ok || !n.Int || n.V < 1 {
			return c.badAnnotation(a)
		}
		h.Tile[g.Name.Text] = int(n.V)
	}
	return len(given) > 0 || c.badAnnotation(a)
}

// single is the value of an annotation that takes one.
func (c *checker) single(a *syntax.Annotation, given []*syntax.Argument, in env, kinds ops.Kind) ops.Value {
	if len(given) != 1 || given[0].Name != nil {
		c.badAnnotation(a)
		return nil
	}
	v := c.eval(given[0].Value, in)
	if v != nil && v.Kind()&kinds == 0 {
		c.badAnnotation(a)
		return nil
	}
	return v
}

func (c *checker) device(a *syntax.Annotation, given []*syntax.Argument, in env, h *ops.Hints) bool {
	switch v := c.single(a, given, in, ops.KSymbol|ops.KText).(type) {
	case ops.Symbol:
		h.Device = string(v)
	case ops.Text:
		h.Device = string(v)
	default:
		return false
	}
	return h.Device != "" || c.badAnnotation(a)
}

func (c *checker) tolerance(a *syntax.Annotation, given []*syntax.Argument, in env, h *ops.Hints) bool {
	n, ok := c.single(a, given, in, ops.KNumber).(ops.Number)
	switch {
	case !ok:
		return false
	case n.Unit.Offset != 0:
		c.report(problem.OffsetUnit, a.Span(), "an error is a difference, and %s counts from a zero of its own", n.Unit).Helpf("a difference of temperature is in K")
		return false
	case n.V == 0:
		c.report(problem.BadAnnotation, a.Span(), "a tolerance of 0 asks for a result without any error").Helpf("give what error is allowed, as in @tolerance(1e-6) or @tolerance(0.1 dB)")
		return false
	}
	h.Tolerance = n
	return true
}

// instanceOf is the operator use that made a value; nil when there is none.
func instanceOf(v ops.Value) *ops.Instance {
	switch v := v.(type) {
	case ops.Array:
		return v.Of
	case ops.Record:
		var of *ops.Instance
		for _, name := range v.Names {
			op := instanceOf(v.Fields[name])
			if of != nil && op != nil && op != of {
				return nil
			}
			if op != nil {
				of = op
			}
		}
		return of
	}
	return nil
}
