package check

import (
	"errors"
	"slices"
	"strings"

	"weft/lang/diag"
	"weft/lang/syntax"
	"weft/ops"
)

// argument is an evaluated argument of a call.
type argument struct {
	value ops.Value
	names ops.Value    // for a function: see bound
	expr  syntax.Expr  // where it was written; nil for the result of a stage
	name  *syntax.Name // nil: by position
	at    diag.Span
	piped bool
}

func (a argument) span() diag.Span {
	if a.expr != nil {
		return a.expr.Span()
	}
	return a.at
}

// callee calls the operator or function of a dotted name. ok is false when an argument is poisoned: then only the name is
// checked.
func (c *checker) callee(path *syntax.Path, at diag.Span, args []argument, ok bool) ops.Value {
	name := path.String()
	if b := c.globals[name]; b != nil && len(path.Names) == 1 {
		b.used = true
		if b.kind == badKind {
			return nil
		}
		if b.fn == nil {
			c.report(diag.NotCallable, path.Span(), "`%s` is a value, not an operator", name).Relate(b.name.Span(), "defined here")
			return nil
		}
		if !ok {
			return nil
		}
		return c.inline(b.fn, path, at, args)
	}
	spec := c.cat.Lookup(name)
	if spec == nil {
		d := c.report(diag.UnknownOperator, path.Span(), "there is no operator `%s`", name)
		d.Suggest(c.fitting(name, at, args, ok)...)
		return nil
	}
	if !ok {
		return nil
	}
	return c.applySpec(spec, at, args)
}

// fitting are names like the one written that would accept these arguments.
func (c *checker) fitting(name string, at diag.Span, args []argument, ok bool) []string {
	candidates := slices.Clone(c.cat.Names())
	for n, b := range c.globals {
		if b.fn != nil {
			candidates = append(candidates, n)
		}
	}
	near := diag.Nearest(name, candidates)
	if !ok {
		return near
	}
	return slices.DeleteFunc(near, func(n string) bool {
		spec := c.cat.Lookup(n)
		return spec != nil && !c.trial(func() bool { return c.applySpec(spec, at, args) != nil })
	})
}

// trial runs something whose reports and sinks are thrown away, and tells whether it succeeded without errors.
func (c *checker) trial(f func() bool) bool {
	diags, sinks := c.diags, len(c.program.Sinks)
	c.diags = &diag.List{}
	ok := f() && !c.diags.HasErrors()
	c.diags = diags
	c.program.Sinks = c.program.Sinks[:sinks]
	return ok
}

// inline writes a function out with its arguments.
func (c *checker) inline(f *syntax.Function, path *syntax.Path, at diag.Span, args []argument) ops.Value {
	if slices.Contains(c.calling, f) {
		c.report(diag.RecursiveFunction, path.Span(), "`%s` calls itself", f.Name.Text).Relate(f.Name.Span(), "defined here")
		return nil
	}
	in := env{}
	position := 0
	ok := true
	for _, a := range args {
		i := -1
		switch {
		case a.name != nil:
			i = slices.IndexFunc(f.Parameters, func(p *syntax.Name) bool { return p.Text == a.name.Text })
			if i < 0 {
				c.report(diag.UnknownArgument, a.name.Span(), "`%s` has no parameter `%s`", f.Name.Text, a.name.Text).Relate(f.Name.Span(), "defined here")
			}
		case position < len(f.Parameters):
			i = position
			position++
		default:
			c.report(diag.TooManyArguments, a.span(), "`%s` takes %d arguments", f.Name.Text, len(f.Parameters)).Relate(f.Name.Span(), "defined here")
		}
		if i < 0 {
			ok = false
			continue
		}
		p := f.Parameters[i].Text
		if in[p].value != nil {
			c.report(diag.DuplicateArgument, a.span(), "`%s` is given twice", p)
			ok = false
		}
		in[p] = bound{a.value, a.names}
	}
	for _, p := range f.Parameters {
		if in[p.Text].value == nil && ok {
			c.report(diag.MissingArgument, at, "`%s` needs `%s`", f.Name.Text, p.Text).Relate(p.Span(), "declared here")
			ok = false
		}
	}
	if !ok {
		return nil
	}
	c.calling = append(c.calling, f)
	defer func() { c.calling = c.calling[:len(c.calling)-1] }()
	return c.wanted(f.Body, c.eval(f.Body, in))
}

// apply uses an operator that the syntax, not a name in the text, asks for.
func (c *checker) apply(name string, at diag.Span, args []argument) ops.Value {
	spec := c.cat.Lookup(name)
	if spec == nil {
		c.report(diag.InternalError, at, "the catalogue has no operator `%s`", name)
		return nil
	}
	return c.applySpec(spec, at, args)
}

// applySpec binds the arguments and makes the value or the instance.
func (c *checker) applySpec(spec *ops.Spec, at diag.Span, args []argument) ops.Value {
	b := &binder{c: c, spec: spec, at: at, call: &ops.Call{Spec: spec, Args: map[string]ops.Value{}}, from: map[string]argument{}}
	if !b.bind(args) {
		return nil
	}
	if spec.Make != nil && (spec.Lower == nil || !takesArray(b.call)) {
		v, err := spec.Make(b.call)
		if c.problems(err, b) {
			return nil
		}
		return v
	}
	return c.instance(spec, b)
}

// takesArray reports an array among the arguments: then an operator that has both is lowered, not made.
func takesArray(call *ops.Call) bool {
	found := false
	call.Arrays(func(string, ops.Array) { found = true })
	return found
}

func (c *checker) instance(spec *ops.Spec, b *binder) ops.Value {
	var out []ops.Output
	if spec.Infer != nil {
		var err error
		out, err = spec.Infer(b.call)
		if c.problems(err, b) {
			return nil
		}
	}
	c.nextID++
	op := &ops.Instance{ID: c.nextID, Spec: spec, Call: b.call, Out: out, Where: c.where(b.at)}
	if spec.Sink != nil {
		c.program.Sinks = append(c.program.Sinks, op)
		for _, p := range spec.Params { // a sink hands its input on, so that a pipeline may go through it
			if a, ok := b.call.Args[p.Name].(ops.Array); ok {
				return a
			}
		}
		return ops.Record{}
	}
	if len(out) == 1 && out[0].Name == "" {
		return ops.Array{Of: op}
	}
	r := ops.Record{Fields: map[string]ops.Value{}}
	for i, o := range out {
		place(&r, o.Name, ops.Array{Of: op, Out: i})
	}
	return r
}

// place puts an output into a record; a dotted name goes into a record within.
func place(r *ops.Record, name string, v ops.Value) {
	group, rest, dotted := strings.Cut(name, ".")
	if dotted {
		inner, ok := r.Fields[group].(ops.Record)
		if !ok {
			inner = ops.Record{Fields: map[string]ops.Value{}}
		}
		place(&inner, rest, v)
		name, v = group, inner
	}
	if r.Fields[name] == nil {
		r.Names = append(r.Names, name)
	}
	r.Fields[name] = v
}

// problems reports what an operator found wrong, each at the argument it names. It tells whether there was an error.
func (c *checker) problems(err error, b *binder) bool {
	if err == nil {
		return false
	}
	if joined, ok := err.(interface{ Unwrap() []error }); ok {
		failed := false
		for _, e := range joined.Unwrap() {
			failed = c.problems(e, b) || failed
		}
		return failed
	}
	var p ops.Problem
	if !errors.As(err, &p) {
		c.report(diag.InternalError, b.at, "%s: %v", b.spec.Name, err)
		return true
	}
	d := c.report(p.Code, b.spanFor(p.Arg), "%s", p.Message)
	d.Help = p.Help
	if p.Warning {
		d.Severity = diag.Warning
	}
	return d.Severity == diag.Error
}
