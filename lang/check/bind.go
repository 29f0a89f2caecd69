package check

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"weft/lang/diag"
	"weft/lang/syntax"
	"weft/ops"
)

// binder gives a call's arguments to an operator's parameters and checks each against its declaration.
type binder struct {
	c    *checker
	spec *ops.Spec
	at   diag.Span
	call *ops.Call
	from map[string]argument
	rest ops.List
	bad  bool
}

func (b *binder) wrong(code string, at diag.Span, format string, a ...any) *diag.Diagnostic {
	b.bad = true
	return b.c.report(code, at, format, a...)
}

// spanFor is where an argument stands; the whole call for one that is not written.
func (b *binder) spanFor(param string) diag.Span {
	if a, ok := b.from[param]; ok {
		return a.span()
	}
	return b.at
}

func (b *binder) bind(args []argument) bool {
	position, named := 0, false
	for _, a := range args {
		if a.name != nil {
			named = true
			b.byName(a, args)
			continue
		}
		if named {
			b.wrong(diag.PositionalAfterNamed, a.span(), "an argument by position behind one by name").Helpf("name it, or put it first")
			continue
		}
		if position >= len(b.spec.Params) {
			b.tooMany(a, args)
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

func (b *binder) tooMany(a argument, args []argument) {
	switch {
	case len(b.spec.Params) == 0 && a.piped:
		b.wrong(diag.TakesNoInput, a.span(), "`%s` takes no input", b.spec.Name).Helpf("start a pipeline with it")
	case len(b.spec.Params) == 0:
		b.wrong(diag.TooManyArguments, a.span(), "`%s` takes no arguments", b.spec.Name)
	default:
		b.wrong(diag.TooManyArguments, a.span(), "`%s` takes at most %d arguments: %s", b.spec.Name, len(b.spec.Params), strings.Join(b.names(), ", "))
	}
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
	near := slices.DeleteFunc(diag.Nearest(a.name.Text, b.names()), func(n string) bool {
		p := b.param(n)
		given := b.from[n].value != nil || slices.ContainsFunc(all, func(o argument) bool { return o.name != nil && o.name.Text == n })
		return given || !b.c.trial(func() bool {
			t := &binder{c: b.c, spec: b.spec, at: b.at, call: &ops.Call{Spec: b.spec, Args: map[string]ops.Value{}}, from: map[string]argument{}}
			t.take(p, a)
			return !t.bad
		})
	})
	d := b.wrong(diag.UnknownArgument, a.name.Span(), "`%s` has no argument `%s`", b.spec.Name, a.name.Text)
	if len(near) > 0 {
		d.Suggest(near...)
	} else {
		d.Helpf("its arguments are %s", strings.Join(b.names(), ", "))
	}
}

// take gives an argument to a parameter.
func (b *binder) take(p *ops.Param, a argument) {
	if b.from[p.Name].value != nil && !p.Rest {
		d := b.wrong(diag.DuplicateArgument, a.span(), "`%s` of `%s` is given twice", p.Name, b.spec.Name)
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
	b.wrong(diag.MissingArgument, b.at, "`%s` needs `%s`: %s", b.spec.Name, p.Name, p.Doc).Helpf("`weft ops %s` shows its arguments", b.spec.Name)
}

// fit checks a value against its parameter and returns it, as a Symbol where a bare name is meant as a choice.
func (b *binder) fit(p *ops.Param, a argument) ops.Value {
	v := a.value
	if v.Kind()&p.Accept == 0 && p.Accept&ops.KSymbol != 0 {
		n, ok := syntax.Unparen(orNothing(a.expr)).(*syntax.Name)
		if ok && (len(p.Choices) == 0 || slices.Contains(p.Choices, n.Text)) {
			v = ops.Symbol(n.Text) // the variable of this name cannot be meant
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
		b.wrong(diag.WrongKind, a.span(), "`%s` of `%s` takes a %s, not a %s", p.Name, b.spec.Name, strings.Join(p.Objects, " or "), o.TypeName())
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
		d := b.wrong(diag.UnknownChoice, a.span(), "`%s` of `%s` is one of %s, not `%s`", p.Name, b.spec.Name, strings.Join(p.Choices, ", "), s)
		d.Suggest(diag.Nearest(string(s), p.Choices)...)
		return nil
	}
	return s
}

// kindCodes gives the more particular codes of a wrong kind.
var kindCodes = map[ops.Kind]string{ops.KArray: diag.NotAnArray, ops.KNumber: diag.NotANumber}

func (b *binder) wrongKind(p *ops.Param, a argument, v ops.Value) ops.Value {
	if v.Kind() == ops.KRecord && p.Accept&ops.KArray != 0 {
		b.wrong(diag.RecordAsArray, a.span(), "`%s` takes one array, this is a record of %s", b.spec.Name, strings.Join(v.(ops.Record).Names, ", ")).Helpf("choose a part with `.name`")
		return nil
	}
	if v.Kind() == ops.KSymbol {
		b.c.unknownName(a.span(), v.String())
		return nil
	}
	code := kindCodes[p.Accept]
	if code == "" {
		code = diag.WrongKind
	}
	what := p.Accept.String()
	if len(p.Objects) > 0 {
		what = "a " + strings.Join(p.Objects, " or ")
	}
	got := v.Kind().String()
	if o, ok := v.(ops.Object); ok {
		got = "a " + o.TypeName()
	}
	b.wrong(code, a.span(), "`%s` of `%s` takes %s, not %s", p.Name, b.spec.Name, what, got)
	return nil
}

// unit checks numbers, ranges and arrays against the parameter's unit.
func (b *binder) unit(p *ops.Param, a argument, v ops.Value) bool {
	if p.Unit == "*" {
		return true
	}
	want := ops.MustUnit(p.Unit)
	var got ops.Unit
	switch v := v.(type) {
	case ops.Number:
		got = v.Unit
	case ops.Range:
		got = v.From.Unit
	case ops.List:
		if p.Unit == "" {
			return true
		}
		for i, x := range v {
			at := a
			if l, ok := syntax.Unparen(orNothing(a.expr)).(*syntax.List); ok {
				at.expr = l.Items[i]
			}
			if !b.unit(p, at, x) {
				return false
			}
		}
		return true
	case ops.Array:
		if p.Unit == "" {
			return true // arrays of any unit unless one is asked for
		}
		got = v.Type().Unit
	default:
		return true
	}
	switch {
	case got.Same(want):
		return true
	case want.Plain():
		b.wrong(diag.UnexpectedUnit, a.span(), "`%s` of `%s` is a plain number, not in %s", p.Name, b.spec.Name, got)
	case got.Plain():
		b.wrong(diag.MissingUnit, a.span(), "`%s` of `%s` needs a unit of %s", p.Name, b.spec.Name, want).Helpf("%s", sample(v, want))
	default:
		b.wrong(diag.WrongUnit, a.span(), "`%s` of `%s` is measured in %s, not in %s", p.Name, b.spec.Name, want, got)
	}
	return false
}

func sample(v ops.Value, u ops.Unit) string {
	if n, ok := v.(ops.Number); ok {
		return fmt.Sprintf("write `%s %s`, say", n, u)
	}
	return fmt.Sprintf("give values in %s", u)
}

func (b *binder) bounds(p *ops.Param, a argument, v ops.Value) bool {
	n, ok := v.(ops.Number)
	if !ok {
		return true
	}
	in := func(x float64) string { return ops.Number{V: x, Unit: n.Unit}.String() }
	switch {
	case p.Integer && n.V != math.Trunc(n.V):
		b.wrong(diag.NotWhole, a.span(), "`%s` of `%s` must be whole, not %s", p.Name, b.spec.Name, n)
	case p.Positive && n.V <= 0:
		b.wrong(diag.OutOfBounds, a.span(), "`%s` of `%s` must be positive, not %s", p.Name, b.spec.Name, n)
	case p.Min != nil && n.V < *p.Min:
		b.wrong(diag.OutOfBounds, a.span(), "`%s` of `%s` must be at least %s, not %s", p.Name, b.spec.Name, in(*p.Min), n)
	case p.Max != nil && n.V > *p.Max:
		b.wrong(diag.OutOfBounds, a.span(), "`%s` of `%s` must be at most %s, not %s", p.Name, b.spec.Name, in(*p.Max), n)
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
	for _, d := range p.Dims {
		if slices.Contains(have, d) {
			continue
		}
		msg := b.wrong(diag.MissingDim, a.span(), "`%s` of `%s` needs a dimension `%s`; the array has %s", p.Name, b.spec.Name, d, listDims(have))
		if near := diag.Nearest(d, have); len(near) > 0 {
			msg.Helpf("rename `%s`, or give it this name where it is read", near[0])
		}
		return false
	}
	return true
}

func listDims(names []string) string {
	if len(names) == 0 {
		return "none"
	}
	return strings.Join(names, ", ")
}
