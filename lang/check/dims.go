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

// A function of a file that is used may make dimensions of its own, as d in median(a[x: here + array([-1, 0, 1], dims: d)], over: d). What it is
// given may have one of that name, of which it knows nothing: then its own goes by another name while it is written out, and has its name back in
// what it gives. Functions of the program's own file mean the dimensions of its arrays.

// making is what a body says of dimensions.
type making struct {
	dims   map[string]bool // that it makes
	params map[string]bool // parameters that name one which it makes
	asked  map[string]bool // that it asks of what it is given
	named  map[string]bool // names that stand in it
}

// makes finds what a function says of dimensions.
func (c *checker) makes(f *function) *making {
	if m := c.making[f.body]; m != nil {
		return m
	}
	m := &making{map[string]bool{}, map[string]bool{}, map[string]bool{}, map[string]bool{}}
	c.making[f.body] = m
	inner := map[string]bool{}
	use := func(path *syntax.Path, piped syntax.Expr, list *syntax.Arguments) {
		args := []*syntax.Argument{}
		if list != nil {
			args = list.List
		}
		made := c.madeBy(f.scope, path)
		maps.Copy(inner, made.inner)
		given := f.has(piped) || slices.ContainsFunc(args, func(a *syntax.Argument) bool { return f.has(a.Value) })
		position := 0
		if piped != nil {
			position++
		}
		for _, a := range args {
			named := slices.Contains(made.names, nameOr(a.Name, position, made.order))
			if a.Name == nil {
				position++
			}
			for _, name := range namesIn(a.Value) {
				switch parameter := slices.Contains(f.names(), name); {
				case parameter && named:
					m.params[name] = true
				case !parameter && named:
					m.dims[name] = true
				case !parameter && given:
					m.asked[name] = true
				}
			}
		}
	}
	syntax.Walk(f.body, func(n syntax.Node) bool {
		switch n := n.(type) {
		case *syntax.Name:
			m.named[n.Text] = true
		case *syntax.Call:
			if path, ok := syntax.PathOf(n.Callee); ok {
				use(path, nil, n.Arguments)
			}
		case *syntax.Pipeline:
			piped := n.Head
			for _, s := range n.Stages {
				use(s.Operator, piped, s.Arguments)
				piped = nothing
			}
		case *syntax.Index:
			for _, a := range n.Selection.List {
				if a.Name != nil && f.has(n.Base) {
					m.asked[a.Name.Text] = true
				}
			}
		}
		return true
	})
	for name := range inner {
		if m.named[name] {
			m.dims[name] = true
		}
	}
	for _, p := range f.params {
		delete(m.dims, p.Name.Text)
		if p.Dims != nil {
			for _, name := range texts(p.Dims.Names) {
				m.asked[name] = true
			}
		}
	}
	maps.DeleteFunc(m.dims, func(name string, _ bool) bool { return m.asked[name] })
	return m
}

// maker is an operator or a function that is called: its parameters in order, those that name dimensions which it makes, and dimensions that
// it makes by names of its own.
type maker struct {
	order, names []string
	inner        map[string]bool
}

func (c *checker) madeBy(s *scope, path *syntax.Path) (out maker) {
	var v ops.Value
	switch b := s.lookup(path.Names[0].Text); {
	case b == nil:
		if spec := c.cat.Lookup(path.String()); spec != nil {
			for _, p := range spec.Params {
				out.order = append(out.order, p.Name)
				if p.Makes {
					out.names = append(out.names, p.Name)
				}
			}
		}
		return out
	case b.kind == fnKind && len(path.Names) == 1:
		v = c.valueOf(b)
	case b.kind == useKind && len(path.Names) == 2:
		if m, ok := c.resolve(b).(*module); ok {
			v, _ = c.part(m, path.Names[1].Text)
		}
	}
	if f, ok := v.(*function); ok {
		m := c.makes(f)
		out.order, out.names, out.inner = f.names(), slices.Collect(maps.Keys(m.params)), m.dims
	}
	return out
}

// nameOr is the name of an argument, or that of its place.
func nameOr(n *syntax.Name, position int, order []string) string {
	switch {
	case n != nil:
		return n.Text
	case position < len(order):
		return order[position]
	}
	return ""
}

// has reports whether an expression is a parameter as it is.
func (f *function) has(e syntax.Expr) bool {
	n, ok := syntax.Unparen(orNothing(e)).(*syntax.Name)
	return ok && slices.Contains(f.names(), n.Text)
}

// namesIn are the names that an argument lists.
func namesIn(e syntax.Expr) []string {
	switch v := asNames(e, nil).(type) {
	case ops.Symbol:
		return []string{string(v)}
	case ops.List:
		var out []string
		for _, s := range v {
			out = append(out, string(s.(ops.Symbol)))
		}
		return out
	}
	return nil
}

// apart gives other names to the dimensions that a function makes and that what it is given has as well, and notes them in its environment.
func (c *checker) apart(f *function, in env) map[string]string {
	if !f.scope.used {
		return nil
	}
	given := map[string]bool{}
	for _, p := range f.params {
		dimsOf(in[p.Name.Text].value, given)
	}
	if !c.clashes(f, given) {
		return nil
	}
	made := c.makes(f).dims
	own := map[string]string{}
	for _, d := range slices.Sorted(maps.Keys(made)) {
		_, inherited := in[dimKey(d)]
		if inherited || !given[d] && c.ownName(d) == d || c.global(f, d) {
			continue
		}
		name := d
		for given[name] || c.taken(name) || name == d {
			name += "ʹ"
		}
		own[d], c.plain[name] = name, d
		in[dimKey(d)] = bound{names: ops.Symbol(name)}
	}
	return own
}

// clashes reports whether a name of those that a function could make dimensions of is one that it has to be told from. To know which it makes, all
// functions that it may call have to be read.
func (c *checker) clashes(f *function, given map[string]bool) (found bool) {
	other := f.names() // what is not made: parameters, and what is asked of them
	for _, p := range f.params {
		if p.Dims != nil {
			other = append(other, texts(p.Dims.Names)...)
		}
	}
	syntax.Walk(f.body, func(n syntax.Node) bool {
		if x, ok := n.(*syntax.Index); ok && f.has(x.Base) {
			for _, a := range x.Selection.List {
				if a.Name != nil {
					other = append(other, a.Name.Text)
				}
			}
		}
		name, ok := n.(*syntax.Name)
		found = found || ok && (given[name.Text] || c.ownName(name.Text) != name.Text) && !slices.Contains(other, name.Text)
		return !found
	})
	return found
}

// dimKey is where an environment keeps by what name a dimension goes.
func dimKey(name string) string { return " " + name }

// dim is the name by which a dimension of the text goes.
func (in env) dim(name string) ops.Symbol {
	if b, ok := in[dimKey(name)]; ok {
		return b.names.(ops.Symbol)
	}
	return ops.Symbol(name)
}

// ownName is the name by which a dimension goes in the function that is being written out.
func (c *checker) ownName(d string) string {
	if n := len(c.frames); n > 0 && c.frames[n-1].own[d] != "" {
		return c.frames[n-1].own[d]
	}
	return d
}

// taken reports whether a dimension of a function that is being written out goes by a name.
func (c *checker) taken(name string) bool {
	return slices.ContainsFunc(c.frames, func(f frame) bool {
		return slices.Contains(slices.Collect(maps.Values(f.own)), name)
	})
}

// global reports whether a function uses an array of the file that has a dimension, which then is the one that it means.
func (c *checker) global(f *function, d string) bool {
	for name := range c.makes(f).named {
		if b := f.scope.lookup(name); b != nil && b.kind == valueKind && b.state != busy {
			has := map[string]bool{}
			if dimsOf(c.resolve(b), has); has[d] {
				return true
			}
		}
	}
	return false
}

// dimsOf collects the dimensions of the arrays in a value.
func dimsOf(v ops.Value, into map[string]bool) {
	switch v := v.(type) {
	case ops.Array:
		for _, name := range v.Type().DimNames() {
			into[name] = true
		}
	case ops.Record:
		for _, x := range v.Fields {
			dimsOf(x, into)
		}
	case ops.List:
		for _, x := range v {
			dimsOf(x, into)
		}
	}
}

// handed is what a function gives, whose dimensions have their names back.
func (c *checker) handed(f *function, at diag.Span, v ops.Value) ops.Value {
	switch v := v.(type) {
	case ops.Array:
		var from, to ops.List
		have := v.Type().DimNames()
		for _, name := range have {
			plain, apart := c.plain[name]
			if !apart || c.taken(name) {
				continue
			}
			back := c.ownName(plain)
			if slices.Contains(have, back) {
				c.report(problem.DuplicateDim, at, "`%s` gives an array with a dimension `%s` of its own and that of what it is given", f, plain).Relate(f.at, "defined here").
					Helpf("if they are the same, say so in its signature, as in `fn f(a[%s])`; else rename one of them", plain)
				return nil
			}
			from, to = append(from, ops.Symbol(name)), append(to, ops.Symbol(back))
		}
		if len(from) > 0 {
			return c.apply("rename", site{name: at}, []argument{{value: v, at: at}, {value: from, at: at}, {value: to, at: at}})
		}
	case ops.Record:
		out := ops.Record{Names: v.Names, Fields: map[string]ops.Value{}, At: v.At}
		for name, x := range v.Fields {
			if out.Fields[name] = c.handed(f, at, x); out.Fields[name] == nil {
				return nil
			}
		}
		return out
	}
	return v
}

// toldApart adds to a mistake what dimensions are that go by other names in its text.
func (c *checker) toldApart(d *diag.Diagnostic, text string) {
	for _, f := range c.frames {
		for _, plain := range slices.Sorted(maps.Keys(f.own)) {
			if strings.Contains(text, f.own[plain]) {
				d.Relate(f.f.at, "`%s` is the dimension `%s` that `%s` makes: that of what it is given would stand in its signature, as in `fn f(a[%s])`", f.own[plain], plain, f.f, plain)
			}
		}
	}
}
