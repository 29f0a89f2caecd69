package check

import (
	"math"
	"slices"
	"strings"

	"weft/lang/diag"
	"weft/lang/syntax"
	"weft/ops"
	"weft/ops/problem"
)

// env is the arguments of the function being written out.
type env map[string]bound

func (in env) has(name string) bool { _, ok := in[name]; return ok }

// bound is an argument of a function: its value, and the names it was written as, where names may be meant.
type bound struct {
	value   ops.Value
	names   ops.Value // a Symbol or a List of them; nil for anything else
	choices []string  // that the parameter declares
}

// eval computes an expression; nil when it, or something it uses, is wrong. A bare name that nothing defines is a Symbol: the
// parameter it is given to decides whether it is a choice, a dimension or a mistake.
func (c *checker) eval(e syntax.Expr, in env) ops.Value {
	v := c.evaluate(e, in)
	if in == nil && c.findings == c.lasting {
		c.program.Info.Types[e] = v
	}
	return v
}

func (c *checker) evaluate(e syntax.Expr, in env) ops.Value {
	switch e := e.(type) {
	case *syntax.Paren:
		return c.eval(e.Inner, in)
	case *syntax.Number:
		return c.number(e, 1)
	case *syntax.String:
		return ops.Text(c.filled(e.Value, in))
	case *syntax.Bool:
		return ops.Flag(e.Value)
	case *syntax.Name:
		return c.name(e, in)
	case *syntax.List:
		return c.listOf(e, func(item syntax.Expr) ops.Value { return c.eval(item, in) })
	case *syntax.Range:
		return c.rangeOf(e, in)
	case *syntax.Unary:
		return c.unary(e, in)
	case *syntax.Binary:
		return c.binary(e, in)
	case *syntax.Field:
		return c.field(e, in)
	case *syntax.Index:
		return c.index(e, in)
	case *syntax.Call:
		return c.call(e, in)
	case *syntax.Pipeline:
		return c.pipeline(e, in)
	case *syntax.Lambda:
		return c.lambda(e, in)
	case *syntax.Block:
		return c.block(e, in)
	case *syntax.If:
		return c.choose(e, in)
	case *syntax.Record:
		return c.record(e, in)
	case *syntax.Segment:
		return c.segment(e, in)
	}
	return nil
}

// wanted turns a Symbol into the report of an unknown name, where no choice can be meant.
func (c *checker) wanted(e syntax.Expr, v ops.Value) ops.Value {
	switch v := v.(type) {
	case ops.Symbol:
		c.unknownName(syntax.Unparen(e).Span(), string(v))
		return nil
	case ops.List:
		l, ok := syntax.Unparen(e).(*syntax.List)
		for i, x := range v {
			if ok && c.wanted(l.Items[i], x) == nil {
				return nil
			}
		}
	}
	return v
}

func (c *checker) unknownName(at diag.Span, name string) {
	if c.cat.Lookup(name) != nil {
		c.report(problem.OperatorAsValue, at, "`%s` is an operator, not a value", name).Helpf("call it: `%s(...)`, or pipe into it: `... | %s`", name, name)
		return
	}
	if group := c.inGroup(name); len(group) > 0 {
		c.report(problem.UnknownName, at, "`%s` is a group of operators, not a value", name).Helpf("they are %s", strings.Join(group, ", "))
		return
	}
	d := c.report(problem.UnknownName, at, "nothing is named `%s`", name)
	if ops.IsUnit(name) {
		d.Helpf("a unit is joined to its number without blanks around `*` and `/`, as in `5 m/s`")
		return
	}
	if c.diags.Len() > manyMistakes {
		return
	}
	near := c.nearest(name, c.scope.all())
	for _, n := range near {
		c.scope.lookup(n).used = true // most likely
	}
	if d.Suggest(near...); len(near) == 0 {
		d.Helpf("define it in a line of its own: `%s = ...`", name)
	}
}

// inGroup lists the operators whose names begin with a name and a point.
func (c *checker) inGroup(name string) []string {
	return slices.DeleteFunc(slices.Clone(c.cat.Names()), func(n string) bool { return !strings.HasPrefix(n, name+".") })
}

// constants are names that mean a number where nothing of the program has the name.
var constants = map[string]float64{"pi": math.Pi, "inf": math.Inf(1), "nan": math.NaN()}

func (c *checker) name(n *syntax.Name, in env) ops.Value {
	if b, ok := in[n.Text]; ok {
		return b.value
	}
	b := c.scope.lookup(n.Text)
	if b == nil && n.Text == here && c.indices > 0 {
		return ops.Here{}
	}
	if v, ok := constants[n.Text]; ok && b == nil {
		return ops.Number{V: v}
	}
	if b == nil {
		return in.dim(n.Text)
	}
	if b.state == busy {
		c.use(n, b)
		c.cycle(n, b)
		return nil
	}
	v := c.valueOf(b)
	c.use(n, b)
	return v
}

// valueOf is what a definition is; nil where it is wrong.
func (c *checker) valueOf(b *binding) ops.Value {
	if b.kind == fnKind && b.fn == nil {
		b.read()
	}
	switch b.kind {
	case fnKind:
		return &function{name: b.name.Text, at: b.name.Span(), params: b.fn.Parameters.List, body: b.fn.Result(), scope: b.scope}
	case badKind:
		return nil
	}
	return c.resolve(b)
}

// use notes that a name means a definition.
func (c *checker) use(n *syntax.Name, b *binding) {
	b.used = true
	c.program.Info.Uses[n] = b.name
}

// cycle reports a definition that needs itself, with the way round.
func (c *checker) cycle(n *syntax.Name, b *binding) {
	round := append(slices.Clone(c.solving[slices.Index(c.solving, b):]), b)
	var names []string
	for _, x := range round {
		names = append(names, x.name.Text)
	}
	d := c.report(problem.CyclicDefinition, n.Span(), "`%s` is defined by way of itself: %s", n.Text, strings.Join(names, " -> "))
	for _, x := range round[:len(round)-1] {
		d.Relate(x.name.Span(), "`%s` is defined here", x.name.Text)
	}
	if len(round) == 2 {
		d.Helpf("names are definitions, not variables that change: give what is made of `%s` another name", n.Text)
		return
	}
	d.Helpf("give one of them a value of its own")
}

func (c *checker) listOf(l *syntax.List, item func(syntax.Expr) ops.Value) ops.Value {
	out := ops.List{}
	ok := true
	for _, e := range l.Items {
		v := item(e)
		ok = ok && v != nil
		out = append(out, v)
	}
	if !ok {
		return nil
	}
	return out
}

func (c *checker) field(f *syntax.Field, in env) ops.Value {
	if path, ok := syntax.PathOf(f); ok && c.scope.lookup(path.Names[0].Text) == nil && !in.has(path.Names[0].Text) {
		name := path.String()
		if c.cat.Lookup(name) != nil {
			c.unknownName(f.Span(), name)
		} else {
			c.unknownName(path.Names[0].Span(), path.Names[0].Text)
		}
		return nil
	}
	base := c.wanted(f.Base, c.eval(f.Base, in))
	if base == nil {
		return nil
	}
	return c.partOf(base, f.Base.Span(), f.Name)
}

func (c *checker) unnamedIndex(a *syntax.Argument, base ops.Value) {
	text := a.Span().Text()
	d := c.report(problem.IndexWithoutDim, a.Span(), "which dimension does %s index?", text)
	if arr, ok := base.(ops.Array); ok && len(arr.Type().Dims) > 0 {
		names := arr.Type().DimNames()
		d.Helpf("name it, such as [%s: %s]; the dimensions are %s", names[0], text, listDims(names))
	}
}

// pipeline runs a value through stages.
func (c *checker) pipeline(p *syntax.Pipeline, in env) ops.Value {
	v := c.eval(p.Head, in)
	c.annotate(v, p.Annotations, in)
	piped := argument{value: v, expr: p.Head, at: origin(p.Head), piped: true}
	for _, s := range p.Stages {
		v = c.stage(s, piped, in)
		c.annotate(v, s.Annotations, in)
		piped = argument{value: v, at: s.Operator.Span(), piped: true}
	}
	return v
}

func (c *checker) stage(s *syntax.Stage, piped argument, in env) ops.Value {
	if piped.expr != nil {
		piped.value = c.wanted(piped.expr, piped.value)
	}
	var list []*syntax.Argument
	if s.Arguments != nil {
		list = s.Arguments.List
	}
	more, fine := c.arguments(list, c.operator(s.Operator, in), 1, in)
	return c.callee(s.Operator, append([]argument{piped}, more...), piped.value != nil && fine, in)
}

func (c *checker) call(x *syntax.Call, in env) ops.Value {
	path, isPath := syntax.PathOf(x.Callee)
	var spec *ops.Spec
	if isPath {
		spec = c.operator(path, in)
	}
	args, ok := c.arguments(x.Arguments.List, spec, 0, in)
	if isPath {
		return c.callee(path, args, ok, in)
	}
	callee := c.wanted(x.Callee, c.eval(x.Callee, in))
	f, isFunction := callee.(*function)
	switch {
	case callee == nil:
		return nil
	case !isFunction:
		c.report(problem.NotCallable, x.Callee.Span(), "this is not an operator")
		return nil
	case !ok:
		return nil
	}
	return c.inline(f, x.Callee.Span(), args)
}

// arguments evaluates what stands between parentheses; position is the place of the first one among the parameters of spec,
// which is nil for functions and unknown operators.
func (c *checker) arguments(list []*syntax.Argument, spec *ops.Spec, position int, in env) ([]argument, bool) {
	var out []argument
	ok := true
	for _, a := range list {
		eval, at := c.eval, position
		switch p := paramOf(spec, a, position); {
		case p != nil && takesNames(p) && !c.stands(p, a.Value, in), p == nil && spec != nil && a.Name != nil: // of a misspelt one, a name is no mistake of its own
			eval = c.bareNames
		}
		if a.Name == nil {
			position++
		}
		v := eval(a.Value, in)
		if p := paramOf(spec, a, at); p != nil && p.ByDims {
			v = byDims(a.Value, v, in)
		}
		ok = ok && v != nil
		out = append(out, argument{value: v, names: asNames(a.Value, in), expr: a.Value, name: a.Name, at: a.Value.Span()})
	}
	return out, ok
}
