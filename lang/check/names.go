package check

import (
	"regexp"
	"slices"
	"strings"
	"sync"

	"weft/lang/diag"
	"weft/lang/syntax"
	"weft/ops"
)

// operator finds the operator that a dotted name calls; nil where a definition of the file has the name.
func (c *checker) operator(path *syntax.Path, in env) *ops.Spec {
	if first := path.Names[0].Text; in.has(first) {
		s, _ := in[first].value.(ops.Symbol)
		return c.cat.Lookup(string(s))
	} else if len(path.Names) == 1 && c.scope.lookup(first) != nil {
		return nil
	}
	return c.cat.Lookup(path.String())
}

// paramOf is the parameter that an argument is for; nil when there is none.
func paramOf(spec *ops.Spec, a *syntax.Argument, position int) *ops.Param {
	if spec == nil {
		return nil
	}
	i := position
	if a.Name != nil {
		i = slices.IndexFunc(spec.Params, func(p ops.Param) bool { return p.Name == a.Name.Text })
	}
	if i < 0 || i >= len(spec.Params) {
		return nil
	}
	return &spec.Params[i]
}

// takesNames reports whether a parameter takes names and nothing else: dimensions, mostly. There a bare name stands for itself,
// so that a variable may be called like a dimension: x = axis(x, 0 mm .. 1 mm in 9), sum(a, over: x).
func takesNames(p *ops.Param) bool {
	return p.Accept&ops.KSymbol != 0 && p.Accept&^(ops.KSymbol|ops.KList|ops.KSegment) == 0
}

// bareNames evaluates an argument in which names stand for themselves.
func (c *checker) bareNames(e syntax.Expr, in env) ops.Value {
	if v := asNames(e, in); v != nil {
		return v
	}
	l, ok := syntax.Unparen(e).(*syntax.List)
	if !ok {
		return c.eval(e, in)
	}
	return c.listOf(l, func(item syntax.Expr) ops.Value { return c.bareNames(item, in) })
}

// asNames reads a name, or a list of them, as itself; nil when it is anything else. A parameter of the function that is
// being written out stands for what was written in its place.
func asNames(e syntax.Expr, in env) ops.Value {
	switch x := syntax.Unparen(e).(type) {
	case *syntax.Name:
		if b, ok := in[x.Text]; ok {
			return b.names
		}
		return in.dim(x.Text)
	case *syntax.List:
		out := ops.List{}
		for _, item := range x.Items {
			s, ok := asNames(item, in).(ops.Symbol)
			if !ok {
				return nil
			}
			out = append(out, s)
		}
		return out
	}
	return nil
}

// hidden adds to a mistake in dimensions which of those that there are cannot be named, since parameters of the function that is being written
// out have their names.
func (c *checker) hidden(d *diag.Diagnostic, names syntax.Expr, there []string) {
	n := len(c.frames)
	if names == nil || n == 0 {
		return
	}
	items := []syntax.Expr{names}
	if l, ok := syntax.Unparen(names).(*syntax.List); ok {
		items = l.Items
	}
	for _, item := range items {
		name, ok := syntax.Unparen(item).(*syntax.Name)
		if !ok {
			continue
		}
		for _, p := range c.frames[n-1].f.params {
			if p.Name.Text == name.Text && slices.Contains(there, name.Text) {
				d.Relate(p.Name.Span(), "`%s` is a parameter here, and stands for what is given for it: the dimension `%s` needs a parameter of another name", name.Text, name.Text)
			}
		}
	}
}

// byDims is a record that is written where its names are those of dimensions.
func byDims(e syntax.Expr, v ops.Value, in env) ops.Value {
	r, ok := v.(ops.Record)
	if _, written := syntax.Unparen(e).(*syntax.Record); !ok || !written {
		return v
	}
	out := ops.Record{Fields: map[string]ops.Value{}}
	for _, n := range r.Names {
		name, ok := asNames(&syntax.Name{Text: n}, in).(ops.Symbol)
		if !ok { // a parameter that was given something else
			name = ops.Symbol(n)
		}
		out.Names = append(out.Names, string(name))
		out.Fields[string(name)] = r.Fields[n]
	}
	return out
}

// stands reports whether a name that is none of a parameter's choices stands for one of them: a param with choices of its own, say.
func (c *checker) stands(p *ops.Param, e syntax.Expr, in env) bool {
	n, ok := syntax.Unparen(e).(*syntax.Name)
	if !ok || len(p.Choices) == 0 || slices.Contains(p.Choices, n.Text) || !in.has(n.Text) && c.scope.lookup(n.Text) == nil {
		return false
	}
	s, ok := c.name(n, in).(ops.Symbol)
	return ok && slices.Contains(p.Choices, string(s))
}

// hole is a name in braces, in a text.
var hole = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`\{[\pL_][\pL\d_]*\}`) })

// filled is a text with the numbers, texts and choices that names in braces stand for, without units. Other names stay as they are.
func (c *checker) filled(text string, in env) string {
	if !strings.Contains(text, "{") {
		return text
	}
	return hole().ReplaceAllStringFunc(text, func(name string) string {
		n := &syntax.Name{Text: name[1 : len(name)-1]}
		if !in.has(n.Text) && c.scope.lookup(n.Text) == nil {
			return name
		}
		switch v := c.name(n, in).(type) {
		case ops.Number:
			return v.Plain()
		case ops.Text:
			return string(v)
		case ops.Flag, ops.Symbol:
			return v.String()
		}
		return name
	})
}
