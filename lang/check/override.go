package check

import (
	"maps"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"weft/lang/diag"
	"weft/lang/syntax"
	"weft/ops"
	"weft/ops/problem"
)

// outside makes what comes from outside the values of its names.
func (c *checker) outside() {
	for _, name := range slices.Sorted(maps.Keys(c.opt.Values)) {
		b := c.scope.names[name]
		if b == nil {
			b = &binding{name: &syntax.Name{Text: name}, kind: valueKind}
			c.define(b)
		}
		if b.kind != valueKind {
			c.report(problem.BadOverride, b.name.Span(), "`%s` is a %s here, and what is given in its place is %s", name, b.kind, c.opt.Values[name].Kind())
			continue
		}
		b.state, b.out, b.used = done, c.opt.Values[name], true
		c.program.Info.Defs[b.name] = b.out
	}
}

// unknownOverrides reports values of the command line for params that the file does not have.
func (c *checker) unknownOverrides() {
	for _, name := range slices.Sorted(maps.Keys(c.opt.Params)) {
		if b := c.scope.names[name]; b == nil || b.kind != paramKind {
			c.unknownOverride(name, c.opt.Params[name])
		}
	}
}

func (c *checker) unknownOverride(name, text string) {
	var names []string
	for _, n := range c.scope.all() {
		if c.scope.lookup(n).kind == paramKind {
			names = append(names, n)
		}
	}
	d := c.report(problem.UnknownOverride, diag.Span{}, "-p %s=%s: the file has no param `%s`", name, oneLine(text), name)
	switch near := diag.Nearest(name, names); {
	case len(near) > 0:
		d.Suggest(near...)
	case len(names) > 0:
		d.Helpf("its params are %s", strings.Join(names, ", "))
	case c.scope.lookup(name) != nil:
		d.Helpf("write `param %s = ...` in the file, so that it can be overridden", name)
	}
}

// override reads the value of a param from the command line: of the kind and the unit of the default that it replaces; nil when it is
// wrong.
func (c *checker) override(b *binding, text string) syntax.Expr {
	wrong := func(format string, a ...any) syntax.Expr {
		d := c.report(problem.BadOverride, diag.Span{}, "-p %s=%s: "+format, append([]any{b.name.Text, oneLine(text)}, a...)...)
		d.Helpf("write it as in the file, for example -p %s='%s'", b.name.Text, b.value.Span().Text())
		return nil
	}
	if !utf8.ValidString(text) {
		return wrong("the value is no text in UTF-8")
	}
	if _, isText := syntax.Unparen(b.value).(*syntax.String); isText && !strings.HasPrefix(text, `"`) {
		return &syntax.String{Value: text}
	}
	var e syntax.Expr
	failed := c.trial(func() { e = c.expression("-p "+b.name.Text, text) })
	switch {
	case failed != nil:
		return wrong("%s", failed.Message)
	case e == nil:
		return wrong("this is not a value")
	case b.asked != nil && b.asked.Choices != nil:
		choices := texts(b.asked.Choices.Names)
		if s, ok := asNames(e, nil).(ops.Symbol); !ok || !slices.Contains(choices, string(s)) {
			return wrong("it is one of %s", strings.Join(choices, ", "))
		}
		return e
	}
	var was, now ops.Value
	failed = c.trial(func() { now = c.wanted(e, c.eval(e, nil)) })
	c.trial(func() { was = c.wanted(b.value, c.eval(b.value, nil)) })
	switch {
	case failed != nil:
		return wrong("%s", failed.Message)
	case now == nil, was == nil: // what one of them uses is wrong, and reported there; or the default is, and is not used
		return e
	}
	if was.Kind() != now.Kind() {
		return wrong("this is %s, and the default is %s", kindOf(now), kindOf(was))
	}
	if x, y := unitOf(was), unitOf(now); !x.Same(y) {
		return wrong("this is %s, and the default %s", measured(y), measured(x))
	}
	return e
}

// expression parses a text that holds a single expression; nil when it holds anything else.
func (c *checker) expression(name, text string) syntax.Expr {
	file := syntax.Parse(diag.NewSource(name, text), c.units, c.diags)
	if len(file.Statements) != 1 {
		return nil
	}
	if s, ok := file.Statements[0].(*syntax.Sink); ok {
		return s.Value
	}
	return nil
}

func unitOf(v ops.Value) ops.Unit {
	switch v := v.(type) {
	case ops.Number:
		return v.Unit
	case ops.Range:
		return v.From.Unit
	}
	return ops.Unit{}
}

func measured(u ops.Unit) string {
	if u.Plain() {
		return "a plain number"
	}
	return "in " + u.String()
}

// oneLine is a text as it is, or quoted when it would break the line of a message.
func oneLine(text string) string {
	if strings.ContainsAny(text, "\n\r\t") {
		return strconv.Quote(text)
	}
	return text
}
