package check

import (
	"os"
	"path/filepath"
	"slices"
	"strings"

	"weft/lang/diag"
	"weft/lang/library"
	"weft/lang/syntax"
	"weft/ops"
	"weft/ops/problem"
)

// module is a file that another uses: its definitions, of which nothing runs by itself.
type module struct {
	name  string
	scope *scope
}

// Kind is none: no operator takes a file.
func (*module) Kind() ops.Kind { return 0 }

func (m *module) String() string { return m.name }

// missing reports a name that the file does not define.
func (c *checker) missing(m *module, n *syntax.Name) {
	c.report(problem.UnknownField, n.Span(), "`%s` defines no `%s`", m, n.Text).Suggest(diag.Nearest(n.Text, m.scope.all())...)
}

// part is a definition of the file; ok is false where it has none of the name.
func (c *checker) part(m *module, name string) (v ops.Value, ok bool) {
	b := m.scope.names[name]
	if b == nil {
		return nil, false
	}
	return c.valueOf(b), true
}

// load reads a file that is used. One that is used twice is read twice, unless it is a library of functions: what it defines is the same.
func (c *checker) load(b *binding) ops.Value {
	at := b.name.Span()
	name, text, ok := c.textOf(b.use)
	if !ok {
		b.used = true
		return nil
	}
	if i := slices.Index(c.loading, name); i >= 0 || name == c.program.File {
		round := append(slices.Clone(c.loading[max(i, 0):]), name)
		if i < 0 {
			round = slices.Insert(round, 0, name)
		}
		b.used = true
		c.report(problem.CyclicDefinition, at, "%s uses itself: %s", name, strings.Join(round, " -> "))
		return nil
	}
	if m := c.libraries[name]; m != nil && b.use.Library != nil {
		return m
	}
	if parts, whole := library.Parts(text); whole && b.use.Library != nil {
		c.libraries[name] = c.partly(b, name, parts)
		return c.libraries[name]
	}
	src := diag.NewSource(name, text)
	before := c.diags.Len()
	read := syntax.Parse
	if syntax.IsData(name) {
		read = syntax.Data
		c.program.data[name] = src
	}
	file := read(src, c.units, c.diags)
	if c.diags.Len() > before {
		return nil
	}
	order, scopes := c.order, c.scope
	defer func() { c.order, c.scope = order, scopes }()
	c.loading = append(c.loading, name)
	defer func() { c.loading = c.loading[:len(c.loading)-1] }()
	m := &module{name: b.name.Text, scope: &scope{names: map[string]*binding{}, used: true}}
	c.scope = m.scope
	c.declare(file)
	for _, s := range file.Statements {
		if use, ok := s.(*syntax.Use); ok {
			c.resolve(m.scope.names[use.Name().Text])
		}
	}
	if !syntax.IsData(name) {
		return m
	}
	r := ops.Record{Names: m.scope.all(), Fields: map[string]ops.Value{}} // values alone
	for _, n := range r.Names {
		if r.Fields[n] = c.valueOf(m.scope.names[n]); r.Fields[n] == nil {
			return nil
		}
	}
	return r
}

// partly is a library of functions, each of which is parsed where it is first called: a program uses few of them.
func (c *checker) partly(b *binding, name string, parts []library.Part) *module {
	m := &module{name: b.name.Text, scope: &scope{names: map[string]*binding{}, used: true}}
	for _, p := range parts {
		f := &binding{kind: fnKind, scope: m.scope}
		f.read = func() {
			src := diag.NewSource(name, strings.Repeat("\n", p.Line)+p.Text)
			for _, s := range syntax.Parse(src, c.units, c.lasting.diags).Statements {
				switch s := s.(type) {
				case *syntax.Function:
					f.fn, f.name = s, s.Name
				case *syntax.Use:
					f.kind, f.use, f.name, f.used = useKind, s, s.Name(), true
				case *syntax.Bad:
					f.kind, f.name = badKind, s.Name
				}
			}
		}
		if p.Use {
			f.read()
		}
		m.scope.names[p.Name] = f
	}
	return m
}

// textOf finds what is used: a file relative to the one that uses it, or a library.
func (c *checker) textOf(use *syntax.Use) (name, text string, ok bool) {
	if use.Library != nil {
		text, ok := library.Text(use.Library.Text)
		if !ok {
			c.report(problem.UnknownName, use.Library.Span(), "there is no library `%s`", use.Library.Text).Helpf("there are %s; a file is used by its path, as in `use \"lib.weft\"`", strings.Join(library.Names(), ", "))
		}
		return "library " + use.Library.Text, text, ok
	}
	path := filepath.Join(filepath.Dir(use.Path.Span().Source.Name), filepath.FromSlash(use.Path.Value))
	data, err := os.ReadFile(path)
	if err != nil {
		c.report(problem.MissingFile, use.Path.Span(), "%s: cannot read: no such file, or not readable", path).Helpf("a path that is used is relative to the file that uses it")
		return "", "", false
	}
	return path, string(data), true
}
