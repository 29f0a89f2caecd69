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

// function is a function as a value: what it computes, and what the names in it mean.
type function struct {
	name   string // empty: it has none
	at     diag.Span
	params []*syntax.Parameter
	body   syntax.Expr
	scope  *scope
	in     env // where it was made
}

// Kind is that of functions.
func (*function) Kind() ops.Kind { return ops.KFunction }

func (f *function) String() string {
	if f.name == "" {
		return "a function without a name"
	}
	return f.name
}

func (c *checker) named(f *syntax.Function, in env) *function {
	return &function{name: f.Name.Text, at: f.Name.Span(), params: f.Parameters.List, body: f.Result(), scope: c.scope, in: in}
}

func (c *checker) lambda(l *syntax.Lambda, in env) *function {
	f := &function{at: l.Span(), body: l.Body, scope: c.scope, in: in}
	for _, n := range l.Parameters {
		f.params = append(f.params, &syntax.Parameter{Name: n})
	}
	return f
}

// frame is a call that is written out.
type frame struct {
	f   *function
	at  diag.Span
	own map[string]string // dimensions that it makes and that go by other names meanwhile
}

// mostCalls bounds the functions written out in a program: functions that call others twice each double the work. mostFrames bounds those
// that are written out within each other.
const (
	mostCalls  = 20_000
	mostFrames = 100
)

// inline writes a function out with its arguments.
func (c *checker) inline(f *function, at diag.Span, args []argument) ops.Value {
	if !c.mayWrite(f, at) {
		return nil
	}
	in, ok := c.given(f, at, args)
	if !ok {
		return nil
	}
	return c.writeOut(f, at, in)
}

// mayWrite refuses calls without end, and more of them than anybody waits for.
func (c *checker) mayWrite(f *function, at diag.Span) bool {
	if c.endless[f.body] || len(c.frames) >= mostFrames {
		c.circle(f, at)
		return false
	}
	if c.calls++; c.calls > mostCalls {
		if c.calls == mostCalls+1 {
			c.report(problem.TooComplex, at, "more than %d calls of functions are written out", mostCalls).Relate(f.at, "defined here").Helpf("give what a function uses twice a name outside of it, so that it is computed once")
		}
		return false
	}
	return true
}

// writeOut is what a function makes of arguments that fit it, and of the defaults of the others.
func (c *checker) writeOut(f *function, at diag.Span, in env) ops.Value {
	return c.handed(f, at, c.result(f, at, in))
}

func (c *checker) result(f *function, at diag.Span, in env) ops.Value {
	own := c.apart(f, in)
	scope, indices := c.scope, c.indices
	c.frames, c.scope, c.indices = append(c.frames, frame{f, at, own}), f.scope, 0
	defer func() { c.frames, c.scope, c.indices = c.frames[:len(c.frames)-1], scope, indices }()
	for _, p := range f.params {
		if _, there := in[p.Name.Text]; !there {
			v := c.eval(p.Default, in)
			a := argument{value: v, names: asNames(p.Default, in), expr: p.Default, at: p.Default.Span(), unset: true}
			if v == nil || !c.fits(f, at, p, &a) {
				return nil
			}
			in[p.Name.Text] = c.boundTo(p, a)
		}
	}
	return c.wanted(f.body, c.eval(f.body, in))
}

// circle reports a function that calls itself without end.
func (c *checker) circle(f *function, at diag.Span) {
	if c.endless[f.body] {
		return
	}
	if c.endless == nil {
		c.endless = map[syntax.Expr]bool{}
	}
	c.endless[f.body] = true
	all := c.frames
	frames := all
	for i, x := range slices.Backward(all) {
		if x.f.body == f.body {
			frames = frames[i:]
			break
		}
	}
	var names []string
	for _, x := range append(slices.Clone(frames), frame{f: f}) {
		c.endless[x.f.body] = true
		names = append(names, x.f.String())
	}
	c.frames = nil
	c.report(problem.RecursiveFunction, at, "`%s` calls itself: %s", f, strings.Join(names, " -> ")).Relate(f.at, "defined here")
	c.frames = all
}

// given gives the arguments of a call to parameters.
func (c *checker) given(f *function, at diag.Span, args []argument) (in env, ok bool) {
	in = maps.Clone(f.in)
	if in == nil {
		in = env{}
	}
	for _, p := range f.params {
		delete(in, p.Name.Text)
	}
	position := 0
	ok = true
	for _, a := range args {
		i := -1
		switch {
		case a.name != nil:
			i = slices.IndexFunc(f.params, func(p *syntax.Parameter) bool { return p.Name.Text == a.name.Text })
			if i < 0 {
				c.report(problem.UnknownArgument, a.name.Span(), "`%s` has no parameter `%s`", f, a.name.Text).Relate(f.at, "defined here").Suggest(c.nearest(a.name.Text, f.names())...)
			}
		case position < len(f.params):
			i = position
			position++
		default:
			c.report(problem.TooManyArguments, a.span(), "`%s` takes %s", f, count(len(f.params), "argument")).Relate(f.at, "defined here")
		}
		if i < 0 {
			ok = false
			continue
		}
		p := f.params[i]
		if p.Default != nil {
			c.mention(p.Default)
		}
		if _, twice := in[p.Name.Text]; twice {
			c.report(problem.DuplicateArgument, a.span(), "`%s` is given twice", p.Name.Text)
			ok = false
		}
		ok = c.fits(f, at, p, &a) && ok
		in[p.Name.Text] = c.boundTo(p, a)
	}
	for _, p := range f.params {
		if _, there := in[p.Name.Text]; !there && p.Default == nil && ok {
			c.report(problem.MissingArgument, at, "`%s` needs `%s`", f, p.Name.Text).Relate(p.Name.Span(), "declared here")
			ok = false
		}
	}
	return in, ok
}

func (f *function) names() []string {
	var out []string
	for _, p := range f.params {
		out = append(out, p.Name.Text)
	}
	return out
}

// boundTo is what a parameter is, given an argument.
func (c *checker) boundTo(p *syntax.Parameter, a argument) bound {
	b := bound{value: a.value, names: c.nameOf(p, a)}
	if p.Kind != nil && p.Kind.Choices != nil {
		b.choices = texts(p.Kind.Choices.Names)
	}
	return b
}

// nameOf is what a parameter stands for where names are meant: for the name it was given, unless it is declared as an array or a quantity,
// which a dimension of the same name has nothing to do with.
func (c *checker) nameOf(p *syntax.Parameter, a argument) ops.Value {
	if p.Dims != nil || p.Kind != nil && p.Kind.Choices == nil {
		return ops.Symbol(p.Name.Text)
	}
	return a.names
}

// fits checks an argument against what its parameter declares. One of a few names is taken as a name.
func (c *checker) fits(f *function, at diag.Span, p *syntax.Parameter, a *argument) bool {
	declared := ops.Param{Name: p.Name.Text, Unit: "*"}
	if p.Dims != nil {
		for _, name := range texts(p.Dims.Names) {
			declared.Dims = append(declared.Dims, f.in.dim(name).String())
		}
	}
	if p.Kind != nil && p.Kind.Choices != nil {
		declared.Accept, declared.Choices = ops.KSymbol, texts(p.Kind.Choices.Names)
		if s, ok := a.names.(ops.Symbol); ok && (a.value == nil || a.value.Kind() != ops.KSymbol || slices.Contains(declared.Choices, string(s))) {
			a.value = s
		}
	} else if p.Kind != nil {
		declared.Unit, declared.Integer = unitAsked(p.Kind)
	}
	b := &binder{c: c, spec: &ops.Spec{Name: f.String()}, at: site{name: at}}
	switch n, number := a.value.(ops.Number); v := a.value.(type) {
	case ops.Symbol:
		if p.Dims != nil || p.Kind != nil && p.Kind.Choices == nil {
			c.unknownName(a.span(), string(v))
			return false
		}
		return declared.Accept == 0 || b.choice(&declared, *a, v) != nil
	default:
		switch kind := v.Kind(); {
		case declared.Accept == ops.KSymbol:
			b.wrong(problem.UnknownChoice, *a, "`%s` of `%s` is one of %s, not %s", declared.Name, f, strings.Join(declared.Choices, ", "), kindOf(v))
			return false
		case len(declared.Dims) > 0 && kind != ops.KArray:
			b.wrong(problem.NotAnArray, *a, "`%s` of `%s` is an array with %s, not %s", declared.Name, f, listDims(declared.Dims), kindOf(v))
			return false
		case declared.Unit != "*" && declared.Unit != "" && kind&(ops.KNumber|ops.KArray|ops.KRange|ops.KList) == 0:
			b.wrong(problem.WrongKind, *a, "`%s` of `%s` is measured in %s, and this is %s", declared.Name, f, declared.Unit, kindOf(v))
			return false
		case (declared.Integer || p.Limits != nil) && kind&(ops.KNumber|ops.KArray) == 0:
			b.wrong(problem.NotANumber, *a, "`%s` of `%s` is a number, not %s", declared.Name, f, kindOf(v))
			return false
		}
		return b.dims(&declared, *a, v) && (number && n.AnyUnit() || b.unit(&declared, *a, v)) && b.bounds(&declared, *a, v) && (a.unset || c.holds("`"+p.Name.Text+"` of `"+f.String()+"`", p.Kind, p.Limits, a.span(), v))
	}
}

func texts(names []*syntax.Name) []string {
	var out []string
	for _, n := range names {
		out = append(out, n.Text)
	}
	return out
}

// block computes what the last of some statements is, after the definitions before it.
func (c *checker) block(b *syntax.Block, in env) ops.Value {
	in = maps.Clone(in)
	defined := map[string]*syntax.Name{}
	define := func(n *syntax.Name, v ops.Value) {
		if old := defined[n.Text]; old != nil {
			c.report(problem.DuplicateName, n.Span(), "`%s` is defined twice", n.Text).Relate(old.Span(), "first defined here").Helpf("give one of them another name")
		}
		defined[n.Text] = n
		in[n.Text] = bound{value: v, names: in.dim(n.Text)}
	}
	for i, s := range b.Statements {
		last := i == len(b.Statements)-1
		switch s := s.(type) {
		case *syntax.Assign:
			v := c.wanted(s.Value, c.eval(s.Value, in))
			if op := instanceOf(v); op != nil && op.Label == "" {
				op.Label = s.Name.Text
			}
			define(s.Name, v)
		case *syntax.Function:
			if !c.parameters(s) {
				return nil
			}
			define(s.Name, c.named(s, in))
		case *syntax.Sink:
			before, mistakes := len(c.sinks), c.diags.Len()
			v := c.eval(s.Value, in)
			if last {
				return v
			}
			if _, required := v.(ops.Flag); !required && c.idle(v, c.sinks[before:]) && c.diags.Len() == mistakes {
				c.report(problem.UnusedValue, origin(s.Value), "the value goes nowhere").Helpf("give it a name, or put it last: the last line is what the function gives")
			}
		default:
			c.report(problem.UnexpectedToken, s.Span(), "this stands at the top of a file, not in a function")
			return nil
		}
	}
	c.report(problem.MissingValue, b.Span(), "the block has no value").Helpf("its last line is what the function gives")
	return nil
}

// choose is one of two values: the one of a condition that is known, or at each element that of its condition.
func (c *checker) choose(x *syntax.If, in env) ops.Value {
	condition := c.wanted(x.Condition, c.eval(x.Condition, in))
	switch v := condition.(type) {
	case nil:
		return nil
	case ops.Flag:
		taken, other := x.Then, x.Else
		if !v {
			taken, other = other, taken
		}
		c.mention(other)
		return c.eval(taken, in)
	case ops.Array:
		then, other := c.wanted(x.Then, c.eval(x.Then, in)), c.wanted(x.Else, c.eval(x.Else, in))
		if then == nil || other == nil {
			return nil
		}
		return c.apply("where", site{x.Span(), "if"}, []argument{{value: v, expr: x.Condition}, {value: then, expr: x.Then}, {value: other, expr: x.Else}})
	}
	c.report(problem.NotABoolean, x.Condition.Span(), "the condition of `if` is true or false, and this is %s", kindOf(condition)).Helpf("compare it with something, such as `... > 0`")
	return nil
}

// mention counts the names in an expression that is not evaluated as used.
func (c *checker) mention(e syntax.Expr) {
	syntax.Walk(e, func(n syntax.Node) bool {
		if name, ok := n.(*syntax.Name); ok && c.scope.lookup(name.Text) != nil {
			c.scope.lookup(name.Text).used = true
		}
		return true
	})
}

// record is several values by name.
func (c *checker) record(r *syntax.Record, in env) ops.Value {
	out := ops.Record{Fields: map[string]ops.Value{}}
	if at := c.asked(r.Span()); c.program.isData(at) { // also what is made of such a record is told of there
		out.At = c.where(at)
	}
	ok := true
	for _, a := range r.List {
		if a.Name == nil {
			c.report(problem.MissingName, a.Span(), "this part of a record has no name").Helpf("name it, as in (a: 1, b: 2)")
			return nil
		}
		if out.Fields[a.Name.Text] != nil {
			c.report(problem.DuplicateArgument, a.Name.Span(), "`%s` is given twice", a.Name.Text)
			ok = false
		}
		v := c.wanted(a.Value, c.eval(a.Value, in))
		ok = ok && v != nil
		out.Names = append(out.Names, a.Name.Text)
		out.Fields[a.Name.Text] = v
	}
	if !ok {
		return nil
	}
	return out
}
