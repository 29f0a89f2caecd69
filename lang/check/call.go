package check

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"

	"weft/lang/diag"
	"weft/lang/library"
	"weft/lang/syntax"
	"weft/ops"
	"weft/ops/problem"
)

// callee calls the operator or function of a dotted name. ok is false when an argument is poisoned: then only the name is
// checked.
func (c *checker) callee(path *syntax.Path, args []argument, ok bool, in env) ops.Value {
	v, defined := c.defined(path, in)
	name := path.String()
	switch x := v.(type) {
	case *function:
		if !ok {
			c.misspelt(x.String(), x.names(), args)
			return nil
		}
		return c.inline(x, path.Span(), args)
	case ops.Symbol:
		name, defined = string(x), false // an operator that was given as a value
	case nil:
		if defined {
			return nil
		}
	}
	if defined {
		d := c.report(problem.NotCallable, path.Span(), "`%s` is a value, not an operator", name)
		if b := c.scope.lookup(name); b != nil {
			d.Relate(b.name.Span(), "defined here")
		}
		d.Helpf("index an array with square brackets, multiply with `*`")
		if r, ok := v.(ops.Record); ok {
			if i := slices.IndexFunc(r.Names, func(n string) bool { return r.Fields[n].Kind() == ops.KFunction }); i >= 0 {
				d.Helpf("it is a record, of which parts are functions: `%s.%s(...)`", name, r.Names[i])
			}
		}
		return nil
	}
	spec := c.cat.Lookup(name)
	if spec == nil {
		of, _, _ := strings.Cut(name, ".")
		if b := c.scope.lookup(of); b != nil && b.use != nil && c.valueOf(b) == nil {
			return nil // of a file whose own mistakes are told
		}
		d := c.report(problem.UnknownOperator, path.Span(), "there is no operator `%s`", name)
		_, part := library.Doc(name)
		if part || slices.Contains(library.Names(), of) && !c.cat.IsPrefix(of) { // operators may have names like those of a library
			d.Helpf("`use %s` makes the functions of that library known", of)
			return nil
		}
		c.similar(d, name, site{name: path.Span()}, args, ok)
		return nil
	}
	if !ok {
		c.misspelt(spec.Name, (&binder{spec: spec}).names(), args)
		return nil
	}
	return c.applySpec(spec, site{name: path.Span()}, args)
}

// misspelt reports arguments of names that an operator or function has not, where others are wrong so that nothing else is looked at.
func (c *checker) misspelt(of string, names []string, args []argument) {
	for _, a := range args {
		if a.name != nil && !slices.Contains(names, a.name.Text) {
			c.report(problem.UnknownArgument, a.name.Span(), "`%s` has no argument `%s`", of, a.name.Text).Suggest(c.nearest(a.name.Text, names)...)
		}
	}
}

// defined is what a dotted name means among the definitions of the program; defined is false for that of an operator, and the value nil
// for one that is wrong.
func (c *checker) defined(path *syntax.Path, in env) (v ops.Value, defined bool) {
	first := path.Names[0]
	if _, local := in[first.Text]; !local && c.scope.lookup(first.Text) == nil {
		return nil, false
	}
	v = c.name(first, in)
	for _, n := range path.Names[1:] {
		var inner ops.Value
		ok := false
		switch r := v.(type) {
		case ops.Record:
			inner, ok = r.Fields[n.Text]
		case *module:
			if inner, ok = c.part(r, n.Text); !ok {
				if c.cat.Lookup(path.String()) != nil { // an operator whose name begins like a library's
					return nil, false
				}
				c.missing(r, n)
				return nil, true
			}
		}
		if !ok {
			return nil, c.cat.Lookup(path.String()) == nil && (v == nil || c.missingPart(v, path, n))
		}
		v = inner
	}
	return v, true
}

// missingPart reports a part of a dotted name that is none of what stands before it.
func (c *checker) missingPart(v ops.Value, path *syntax.Path, n *syntax.Name) bool {
	if r, ok := v.(ops.Record); ok {
		c.missingField(r, n)
		return true
	}
	c.noParts(v, path.Span(), n)
	return true
}

// missingField reports a part that a record has not.
func (c *checker) missingField(r ops.Record, n *syntax.Name) {
	if why, known := r.Without[n.Text]; known {
		c.report(problem.UnknownField, n.Span(), "there is no `%s`: %s", n.Text, why)
		return
	}
	c.report(problem.UnknownField, n.Span(), "there is no `%s`; the parts are %s", n.Text, strings.Join(r.Names, ", ")).Suggest(diag.Nearest(n.Text, r.Names)...)
}

// apply uses an operator that the syntax, not a name in the text, asks for.
func (c *checker) apply(name string, at site, args []argument) ops.Value {
	spec := c.cat.Lookup(name)
	if spec == nil {
		c.report(problem.InternalError, at.name, "the catalogue has no operator `%s`", name)
		return nil
	}
	return c.applySpec(spec, at, args)
}

// dotted are names, and parts of what has one.
func dotted(text string) bool {
	for name := range strings.SplitSeq(text, ".") {
		if !syntax.IsName(name) {
			return false
		}
	}
	return true
}

// applySpec binds the arguments and makes the value or the instance.
func (c *checker) applySpec(spec *ops.Spec, at site, args []argument) ops.Value {
	b := &binder{c: c, spec: spec, at: at, call: &ops.Call{Spec: spec, Args: map[string]ops.Value{}}, from: map[string]argument{}}
	if !b.bind(args) || spec.Deduce != nil && c.problems(spec.Deduce(b.call), b) {
		return nil
	}
	if spec.Body != "" {
		return c.written(spec, b)
	}
	if b.counts() {
		return nil
	}
	if len(spec.Params) > 0 {
		if text := orNothing(b.from[spec.Params[0].Name].expr).Span().Text(); dotted(text) {
			b.call.Written = text
		}
	}
	if spec.Expand != nil && (spec.Expands == nil || spec.Expands(b.call)) {
		v, err := spec.Expand(b.call, expander{c, b})
		if c.problems(err, b) {
			return nil
		}
		return v
	}
	op, err := spec.Bind(b.call)
	if c.problems(err, b) {
		return nil
	}
	if k, ok := op.(ops.Known); ok {
		return k.Value
	}
	return c.instance(new(ops.Instance), spec, op, b)
}

// within are arguments where parts of dims end with the elements that there are, if only a run knows how many.
func (b *binder) within(v ops.Value) ops.Value {
	switch v := v.(type) {
	case ops.List:
		out := slices.Clone(v)
		for i, x := range v {
			out[i] = b.within(x)
		}
		return out
	case ops.Segment:
		b.call.Arrays(func(_ string, a ops.Array) {
			if d := a.Type().Dim(v.Dim); d >= 0 && !v.Count {
				v.Within = a.Type().Dims[d].Count
			}
		})
		return v
	}
	return v
}

// counts reports whether a size that is known only when it runs goes to an operator that needs it beforehand, which is a mistake.
func (b *binder) counts() (wrong bool) {
	for name, v := range b.call.Args {
		b.call.Args[name] = b.within(v)
	}
	b.call.Arrays(func(param string, a ops.Array) {
		for _, d := range a.Type().Dims {
			if !wrong && d.Count != nil && !b.spec.Counts {
				wrong = true
				b.c.report(problem.WrongDims, b.spanFor(param), "`%s` needs to know beforehand how many elements there are along %s, and this is %s", b.spec.Name, d.Name, a.Type()).
					Helpf("filled(..., with: 0) makes them as many as there is room for, the others 0")
			}
		}
	})
	return wrong
}

// written is what an operator gives that is a function of others. In its body an argument of names stands for them; another has nothing to do
// with a dimension of its name.
func (c *checker) written(spec *ops.Spec, b *binder) ops.Value {
	f := c.bodies[spec]
	if f == nil {
		f = &function{name: spec.Name, at: b.at.name, scope: &scope{names: map[string]*binding{}, used: true}}
		f.body = c.bodyOf(spec, f.scope)
		for _, p := range spec.Params {
			q := &syntax.Parameter{Name: &syntax.Name{Text: p.Name}, Dims: &syntax.Dims{}}
			for _, d := range p.Dims {
				q.Dims.Names = append(q.Dims.Names, &syntax.Name{Text: d})
			}
			f.params = append(f.params, q)
		}
		c.bodies[spec] = f
	}
	if !c.mayWrite(f, b.at.name) {
		return nil
	}
	in := env{}
	for _, p := range spec.Params {
		v := b.call.Args[p.Name]
		names := ops.Value(ops.Symbol(p.Name))
		if p.Accept&ops.KSymbol != 0 {
			names = v
		}
		in[p.Name] = bound{value: v, names: names}
	}
	if spec.Bind == nil {
		return c.writeOut(f, b.at.name, in)
	}
	op, err := spec.Bind(b.call)
	if c.problems(err, b) {
		return nil
	}
	w := op.(ops.Writer).Body()
	for name, v := range w.Known {
		in[name] = bound{value: v, names: ops.Symbol(name)}
	}
	use, outer := new(ops.Instance), c.whole
	c.whole = use
	made, ok := c.writeOut(f, b.at.name, in).(ops.Record)
	if c.whole = outer; !ok {
		return nil
	}
	first := spec.Params[0].Name
	b.call = &ops.Call{Spec: spec, Args: map[string]ops.Value{first: w.Give(made)}}
	return c.instance(use, spec, op, b)
}

// bodyOf reads the body of an operator: the libraries that it uses are known in a scope, and it is a block.
func (c *checker) bodyOf(spec *ops.Spec, known *scope) syntax.Expr {
	var diags diag.List
	uses, body := "", spec.Body
	for strings.HasPrefix(body, "use ") {
		line, rest, _ := strings.Cut(body, "\n")
		uses, body = uses+line+"\n", rest
	}
	lines := strings.ReplaceAll("\n"+body, "\n", "\n    ") // what begins in the first column is a definition of a file
	file := syntax.Parse(diag.NewSource("operator "+spec.Name, uses+"fn "+spec.Name+"() {"+lines+"\n}\n"), c.units, &diags)
	if diags.HasErrors() {
		panic(diags.Sorted()[0].Message) // it is part of the program
	}
	last := len(file.Statements) - 1
	for _, s := range file.Statements[:last] {
		use := s.(*syntax.Use)
		known.names[use.Name().Text] = &binding{name: use.Name(), kind: useKind, use: use, scope: known, used: true}
	}
	return file.Statements[last].(*syntax.Function).Result()
}

// expander is what an operator that calls functions works with.
type expander struct {
	*checker
	b *binder
}

// Call calls a function, or the operator of a name, where the operator stands.
func (e expander) Call(f ops.Value, values ...ops.Value) (v ops.Value) {
	args, at := make([]argument, len(values)), e.b.at.name
	for i, v := range values {
		args[i] = argument{value: v, at: at}
		if r, ok := v.(ops.Record); ok && r.At.File != "" {
			at = e.program.Span(r.At)
		}
	}
	before := len(e.sinks)
	if own, ok := f.(*function); ok {
		v = e.inline(own, at, args)
	} else if spec := e.cat.Lookup(f.String()); spec != nil {
		v = e.applySpec(spec, e.b.at, args)
	} else {
		e.unknownName(e.b.at.name, f.String())
	}
	if e.b.spec.Once {
		return v
	}
	for _, sink := range e.sinks[before:] {
		e.report(problem.WrongKind, e.b.at.name, "a function that `%s` repeats writes, shows and requires nothing: `%s` in it", e.b.spec.Name, sink.Spec.Name).
			Helpf("take that behind `%s`", e.b.spec.Name)
		v = nil
	}
	e.sinks = e.sinks[:before]
	return v
}

// Name is the name that an argument was written as.
func (e expander) Name(arg string) string {
	s, _ := e.b.from[arg].names.(ops.Symbol)
	return string(s)
}

// Try reports whether calls are without a mistake, and reports none.
func (e expander) Try(calls func()) bool { return e.trial(calls) == nil }

// Apply calls an operator by name where the operator stands.
func (e expander) Apply(operator string, values map[string]ops.Value) ops.Value {
	spec := e.cat.Lookup(operator)
	var args []argument
	for _, p := range spec.Params {
		if v := values[p.Name]; v != nil {
			args = append(args, argument{value: v, name: &syntax.Name{Text: p.Name}, at: e.b.spanFor(p.Name)})
		}
	}
	return e.applySpec(spec, e.b.at, args)
}

// Use makes a use of an operator where the operator stands.
func (e expander) Use(spec *ops.Spec, bound ops.Op, args map[string]ops.Value) *ops.Instance {
	e.nextID++
	return &ops.Instance{ID: e.nextID, Spec: spec, Call: &ops.Call{Spec: spec, Args: args}, Bound: bound, Out: bound.Outputs(), Where: e.where(e.b.at.name), Within: e.within(), Whole: e.whole}
}

// instance makes a use what it is, and gives its arrays.
func (c *checker) instance(op *ops.Instance, spec *ops.Spec, bound ops.Op, b *binder) ops.Value {
	out := bound.Outputs()
	if !b.addressable(out) {
		return nil
	}
	c.nextID++
	op.ID, op.Spec, op.Call, op.Bound, op.Out = c.nextID, spec, b.call, bound, out
	op.Where, op.Within, op.Whole, op.Own = c.where(b.at.name), c.within(), c.whole, b.at.name.Source == c.program.Source
	if _, sink := bound.(ops.Sink); sink {
		if at := c.asked(b.at.name); c.program.isData(at) {
			op.Where = c.where(at)
		}
		c.sinks = append(c.sinks, op)
		c.paths[op] = b.spanFor("path")
		return b.call.Args[spec.Params[0].Name] // handed on, so that a pipeline may go through a sink
	}
	if len(out) == 1 && out[0].Name == "" {
		return ops.Array{Of: op}
	}
	r := ops.Record{Fields: map[string]ops.Value{}}
	for i, o := range out {
		r.Put(o.Name, ops.Array{Of: op, Out: i})
	}
	return r
}

// mostDims bounds the dimensions of an array: a kernel has an axis for each.
const mostDims = 64

// addressable checks that the elements of outputs can be counted: their indices are whole numbers of 32 bits, their bytes of 64.
func (b *binder) addressable(out []ops.Output) bool {
	for _, o := range out {
		if n := len(o.Type.Dims); n > mostDims {
			b.wrongCall(problem.ArrayTooLarge, "`%s` gives an array of %d dimensions, and %d are the most", b.spec.Name, n, mostDims)
			return false
		}
		bytes := float64(o.Type.Elem.Size())
		for _, d := range o.Type.Dims {
			if bytes *= float64(d.Size); d.Size > math.MaxInt32 || bytes > 1<<62 {
				b.wrongCall(problem.ArrayTooLarge, "`%s` gives an array that is too large: %s", b.spec.Name, o.Type).Helpf("a dimension has at most %d points, and an array at most 2^62 bytes", math.MaxInt32)
				return false
			}
		}
	}
	return true
}

// problems reports what an operator found wrong, each at the argument it names. It tells whether there was an error.
func (c *checker) problems(err error, b *binder) bool {
	failed := false
	for _, e := range problem.Each(err) {
		failed = c.problem(e, b) || failed
	}
	return failed
}

func (c *checker) problem(err error, b *binder) bool {
	var p problem.Problem
	if !errors.As(err, &p) {
		c.report(problem.InternalError, b.at.name, "%s: %v", b.spec.Name, err)
		return true
	}
	span := b.spanFor(p.Arg)
	if p.At.Line > 0 {
		span = c.program.Span(p.At)
	}
	d := c.report(p.Code, span, "%s", p.Message)
	if p.At.Line > 0 && span.Start != b.at.name.Start {
		d.Relate(b.at.name, "for `%s` here", b.spec.Name)
	}
	d.Help = p.Help
	c.toldApart(d, p.Help)
	if p.Code == problem.UnknownDim {
		arg, _, _ := strings.Cut(p.Arg, ".")
		c.hidden(d, b.from[arg].expr, p.Known)
	}
	if p.Warning {
		d.Severity = diag.Warning
	}
	if name, _, _ := strings.Cut(p.Arg, "."); b.from[name].piped {
		b.relatePipe(d, b.from[name])
	}
	d.Suggest(b.meant(p)...)
	return d.Severity == diag.Error
}

// count writes a number of things.
func count(n int, what string) string {
	switch n {
	case 0:
		return "no " + what + "s"
	case 1:
		return "1 " + what
	}
	return fmt.Sprintf("%d %ss", n, what)
}
