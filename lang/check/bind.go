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

// binder gives a call's arguments to an operator's parameters and checks each against its declaration.
type binder struct {
	c    *checker
	spec *ops.Spec
	at   site
	call *ops.Call
	from map[string]argument
	rest ops.List
	bad  bool
}

// wrong reports a mistake at an argument; at the operator for one that comes through the pipe, with a note on its origin.
func (b *binder) wrong(code string, a argument, format string, args ...any) *diag.Diagnostic {
	b.bad = true
	if !a.piped {
		return b.c.report(code, a.span(), format, args...)
	}
	d := b.c.report(code, b.at.name, format, args...)
	b.relatePipe(d, a)
	return d
}

func (b *binder) relatePipe(d *diag.Diagnostic, a argument) {
	what := kindOf(a.value)
	if arr, ok := a.value.(ops.Array); ok {
		what = arr.Type().String()
	}
	d.Relate(a.at, "the pipe brings %s from here", what)
}

// wrongCall reports a mistake of the call as a whole.
func (b *binder) wrongCall(code, format string, args ...any) *diag.Diagnostic {
	b.bad = true
	return b.c.report(code, b.at.name, format, args...)
}

// spanFor is where an argument or, behind a point, an item of it stands; the name of the operator for one that is not
// written or comes through the pipe.
func (b *binder) spanFor(arg string) diag.Span {
	name, item, _ := strings.Cut(arg, ".")
	if a, ok := b.from[name]; ok && !a.piped {
		return a.part(item)
	}
	return b.at.name
}

func (b *binder) bind(args []argument) bool {
	position, named, surplus := 0, false, false
	for _, a := range args {
		if a.name != nil {
			named = true
			b.byName(a, args)
			continue
		}
		if named {
			b.wrong(problem.PositionalAfterNamed, a, "an argument without a name behind one with a name").Helpf("put it first, or name it: %s", strings.Join(b.left(args), ", "))
			continue
		}
		if position >= len(b.spec.Params) {
			if !surplus {
				b.tooMany(a)
			}
			surplus = true
			continue
		}
		p := &b.spec.Params[position]
		if !p.Rest {
			position++
		}
		b.take(p, a)
	}
	for i := range b.spec.Params {
		b.complete(&b.spec.Params[i])
	}
	return !b.bad
}

func (b *binder) tooMany(a argument) {
	if len(b.spec.Params) == 0 && a.piped {
		b.takesNoInput(a)
		return
	}
	d := b.wrong(problem.TooManyArguments, a, "`%s` takes %s, and this is one more", b.spec.Name, count(len(b.spec.Params), "argument"))
	if len(b.spec.Params) > 0 {
		d.Help = b.takes()
	}
}

func (b *binder) takesNoInput(a argument) {
	b.wrong(problem.TakesNoInput, a, "`%s` takes no input, so nothing can be piped into it", b.spec.Name).Helpf("start a pipeline with it, or give its result to the operator that needs it")
}

// left lists the parameters that no argument names or fills by position.
func (b *binder) left(args []argument) []string {
	return slices.DeleteFunc(b.names(), func(n string) bool {
		return b.from[n].value != nil || slices.ContainsFunc(args, func(a argument) bool { return a.name != nil && a.name.Text == n })
	})
}

// takes lists the arguments of the operator.
func (b *binder) takes() string {
	names := b.names()
	if len(names) == 1 {
		return "its argument is " + names[0]
	}
	return "its arguments are " + strings.Join(names, ", ")
}

func (b *binder) names() []string {
	var out []string
	for _, p := range b.spec.Params {
		out = append(out, p.Name)
	}
	return out
}

func (b *binder) param(name string) *ops.Param {
	for i := range b.spec.Params {
		if b.spec.Params[i].Name == name {
			return &b.spec.Params[i]
		}
	}
	return nil
}

func (b *binder) byName(a argument, all []argument) {
	if p := b.param(a.name.Text); p != nil {
		b.take(p, a)
		return
	}
	// offer a name only if the argument fits there and it is not given already
	near := slices.DeleteFunc(b.c.nearest(a.name.Text, b.left(all)), func(n string) bool {
		return b.c.trial(func() {
			t := &binder{c: b.c, spec: b.spec, at: b.at, call: &ops.Call{Spec: b.spec, Args: map[string]ops.Value{}}, from: map[string]argument{}}
			t.take(b.param(n), a)
		}) != nil
	})
	b.bad = true
	d := b.c.report(problem.UnknownArgument, a.name.Span(), "`%s` has no argument `%s`", b.spec.Name, a.name.Text)
	if d.Suggest(near...); len(near) == 0 {
		d.Help = b.takes()
	}
}

// take gives an argument to a parameter.
func (b *binder) take(p *ops.Param, a argument) {
	if b.from[p.Name].value != nil && !p.Rest {
		d := b.wrong(problem.DuplicateArgument, a, "`%s` of `%s` is given twice", p.Name, b.spec.Name)
		if old := b.from[p.Name]; old.piped {
			d.Helpf("the pipe gives it already")
		} else {
			d.Relate(old.span(), "first here")
		}
		return
	}
	v := b.fit(p, a)
	if v == nil {
		b.bad = true
		return
	}
	b.from[p.Name] = a
	if p.Rest {
		b.rest = append(b.rest, v)
		b.call.Args[p.Name] = b.rest
		return
	}
	b.call.Args[p.Name] = v
}

// complete fills in the default of a parameter that was not given.
func (b *binder) complete(p *ops.Param) {
	if b.call.Args[p.Name] != nil || p.Optional {
		return
	}
	if p.Default != nil {
		b.call.Args[p.Name] = p.Default
		return
	}
	if b.bad {
		return // it may be what a wrong argument was meant to be
	}
	b.wrongCall(problem.MissingArgument, "`%s` needs `%s`: %s", b.spec.Name, p.Name, p.Doc).Helpf("`weft ops %s` shows its arguments", b.spec.Name)
}

// fit checks a value against its parameter and returns it, as a Symbol where a bare name is meant as a choice.
func (b *binder) fit(p *ops.Param, a argument) ops.Value {
	v := a.value
	if v.Kind()&p.Accept == 0 && p.Accept&ops.KSymbol != 0 {
		n, ok := syntax.Unparen(orNothing(a.expr)).(*syntax.Name)
		if ok && (len(p.Choices) == 0 || slices.Contains(p.Choices, n.Text)) {
			if v = ops.Symbol(n.Text); a.names != nil { // the variable of this name cannot be meant
				v = a.names
			}
		}
	}
	if s, ok := v.(ops.Symbol); ok {
		return b.choice(p, a, s)
	}
	if v.Kind()&p.Accept == 0 {
		return b.wrongKind(p, a, v)
	}
	if l, ok := v.(ops.List); ok && p.Accept&ops.KSymbol == 0 && p.Accept&ops.KList != 0 && p.Unit != "" && p.Unit != "*" {
		if v = b.c.wanted(orNothing(a.expr), l); v == nil {
			return nil
		}
	}
	if o, ok := v.(ops.Object); ok && len(p.Objects) > 0 && !slices.Contains(p.Objects, o.TypeName()) {
		b.wrong(problem.WrongKind, a, "`%s` of `%s` takes a %s, not %s", p.Name, b.spec.Name, strings.Join(p.Objects, " or "), kindOf(o))
		return nil
	}
	if !b.unit(p, a, v) || !b.bounds(p, a, v) || !b.dims(p, a, v) {
		return nil
	}
	return v
}

// nothing stands for an argument that has no expression of its own.
var nothing = &syntax.Bool{}

func orNothing(e syntax.Expr) syntax.Expr {
	if e == nil {
		return nothing
	}
	return e
}

func (b *binder) choice(p *ops.Param, a argument, s ops.Symbol) ops.Value {
	switch {
	case p.Accept&ops.KSymbol == 0:
		b.c.unknownName(a.span(), string(s))
		return nil
	case len(p.Choices) > 0 && !slices.Contains(p.Choices, string(s)):
		d := b.wrong(problem.UnknownChoice, a, "`%s` of `%s` is one of %s, not `%s`", p.Name, b.spec.Name, strings.Join(p.Choices, ", "), s)
		d.Suggest(diag.Nearest(string(s), p.Choices)...)
		return nil
	}
	return s
}

// kindCodes gives the more particular codes of a wrong kind.
var kindCodes = map[ops.Kind]string{ops.KArray: problem.NotAnArray, ops.KNumber: problem.NotANumber}

func (b *binder) wrongKind(p *ops.Param, a argument, v ops.Value) ops.Value {
	if v.Kind() == ops.KRecord && p.Accept&ops.KArray != 0 {
		b.wrong(problem.RecordAsArray, a, "`%s` takes one array, this is a record of %s", b.spec.Name, strings.Join(v.(ops.Record).Names, ", ")).Helpf("choose a part with `.name`")
		return nil
	}
	if f, ok := v.(*function); ok {
		b.bad = true
		b.c.report(problem.OperatorAsValue, a.span(), "`%s` is a function, not a value", f).Helpf("call it: `%s(...)`", f)
		return nil
	}
	if v.Kind() == ops.KSymbol {
		b.c.unknownName(a.span(), v.String())
		return nil
	}
	if a.piped && !slices.ContainsFunc(b.spec.Params, func(q ops.Param) bool { return q.Accept&v.Kind() != 0 }) && p.Accept&ops.KArray == 0 {
		b.takesNoInput(a)
		return nil
	}
	code := kindCodes[p.Accept]
	if code == "" {
		code = problem.WrongKind
	}
	what := p.Accept.String()
	if len(p.Objects) > 0 {
		what = "a " + strings.Join(p.Objects, " or ")
	}
	if b.at.sign != "" {
		b.wrong(code, a, "`%s` takes %s, not %s", b.at.sign, what, kindOf(v))
		return nil
	}
	b.wrong(code, a, "`%s` of `%s` takes %s, not %s", p.Name, b.spec.Name, what, kindOf(v))
	return nil
}

// kindOf names the kind of a value, and of an object its type.
func kindOf(v ops.Value) string {
	if o, ok := v.(ops.Object); ok {
		return "a " + o.TypeName()
	}
	if _, ok := v.(*module); ok {
		return "a file that is used"
	}
	return v.Kind().String()
}

func (b *binder) bounds(p *ops.Param, a argument, v ops.Value) bool {
	n, ok := v.(ops.Number)
	if !ok {
		return true
	}
	in := func(x float64) string { return ops.Number{V: x, Unit: n.Unit}.String() }
	switch {
	case math.IsNaN(n.V) && (p.Integer || p.Positive || p.Min != nil || p.Max != nil):
		b.wrong(problem.OutOfBounds, a, "`%s` of `%s` must be a number, not %s", p.Name, b.spec.Name, n)
	case p.Integer && n.V != math.Trunc(n.V):
		b.wrong(problem.NotWhole, a, "`%s` of `%s` must be whole, not %s", p.Name, b.spec.Name, n)
	case p.Positive && n.V <= 0:
		b.wrong(problem.OutOfBounds, a, "`%s` of `%s` must be positive, not %s", p.Name, b.spec.Name, n)
	case p.Min != nil && n.V < *p.Min:
		b.wrong(problem.OutOfBounds, a, "`%s` of `%s` must be at least %s, not %s", p.Name, b.spec.Name, in(*p.Min), n)
	case p.Max != nil && n.V > *p.Max:
		b.wrong(problem.OutOfBounds, a, "`%s` of `%s` must be at most %s, not %s", p.Name, b.spec.Name, in(*p.Max), n)
	default:
		return true
	}
	return false
}

// dims checks that an array has the dimensions its parameter asks for.
func (b *binder) dims(p *ops.Param, a argument, v ops.Value) bool {
	arr, ok := v.(ops.Array)
	if !ok {
		return true
	}
	have := arr.Type().DimNames()
	missing := slices.DeleteFunc(slices.Clone(p.Dims), func(d string) bool { return slices.Contains(have, d) })
	if len(missing) == 0 {
		return true
	}
	msg := b.wrong(problem.MissingDim, a, "`%s` of `%s` needs %s `%s`; the array has %s", p.Name, b.spec.Name,
		oneOrMore(len(missing), "dimension"), strings.Join(missing, "` and `"), listDims(have))
	msg.Helpf("dimensions get their names where the array is read: dims: [%s]; rename gives others", strings.Join(p.Dims, ", "))
	if near := diag.Nearest(missing[0], have); len(missing) == 1 && len(near) > 0 {
		msg.Helpf("is `%s` a slip for `%s`? Write it so where the array is read, or rename it", near[0], missing[0])
	}
	return false
}

// oneOrMore names one thing or several: a tile, tiles.
func oneOrMore(n int, what string) string {
	if n == 1 {
		return "a " + what
	}
	return what + "s"
}

func listDims(names []string) string {
	if len(names) == 0 {
		return "none"
	}
	return strings.Join(names, ", ")
}
