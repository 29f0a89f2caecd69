// Package check turns the tree of a pipeline file into a typed program: names resolved, functions written out, constants
// computed, every operator's arguments bound and its outputs' shapes and units inferred. It reports everything it finds wrong.
//
// Definitions may stand anywhere in the file. A value that could not be computed poisons what uses it, so that one mistake is
// reported once.
package check

import (
	"path/filepath"
	"slices"

	"weft/lang/diag"
	"weft/lang/syntax"
	"weft/ops"
	"weft/ops/catalogue"
	"weft/ops/files/fileio"
	"weft/ops/problem"
)

// Options of a check.
type Options struct {
	Params    map[string]string // param overrides: name to the text of its value
	Tolerance string            // of what sinks take, unless it has one of its own; empty: none
}

// Program is a checked file.
type Program struct {
	File   string
	Source *diag.Source
	Sinks  []*ops.Instance // what the file asks for, in order
	Params []Param
}

// Param is a constant the command line may override.
type Param struct {
	Name       string
	Value      ops.Value
	Overridden bool
}

// File checks a pipeline text. The program is complete only if the list has no errors.
func File(name string, text []byte, cat *catalogue.Catalogue, opt Options) (*Program, diag.List) {
	c := &checker{cat: cat, opt: opt, diags: &diag.List{}, globals: map[string]*binding{}, units: Units(), paths: map[*ops.Instance]diag.Span{}}
	src := diag.NewSource(name, string(text))
	c.program = &Program{File: name, Source: src}
	file := syntax.Parse(src, c.units, c.diags)
	c.declare(file)
	c.overrides()
	for _, s := range file.Statements {
		c.statement(s)
	}
	c.outputs()
	c.tolerate()
	if broken := slices.ContainsFunc(file.Statements, isBad); broken {
		return c.program, *c.diags // what cannot be read may use any name
	}
	if len(c.program.Sinks) > 0 || c.diags.HasErrors() {
		c.unused()
	} else if c.diags.Len() == 0 {
		c.noSink()
	}
	return c.program, *c.diags
}

func isBad(s syntax.Statement) bool { _, bad := s.(*syntax.Bad); return bad }

// Units are the unit names of the language.
func Units() syntax.Units {
	return syntax.Units{IsUnit: ops.IsUnit, Names: ops.AllUnitNames}
}

type checker struct {
	cat     *catalogue.Catalogue
	opt     Options
	units   syntax.Units
	diags   *diag.List
	program *Program
	globals map[string]*binding
	order   []*binding // definitions in order of the file
	calling []*syntax.Function
	solving []*binding                  // definitions being evaluated, each for the one before it
	paths   map[*ops.Instance]diag.Span // where the outputs of sinks are named
	nextID  int
	calls   int // of functions, written out so far
}

// binding is a name of the file: a param, a value or a function.
type binding struct {
	name  *syntax.Name
	kind  diagKind
	value syntax.Expr      // nil for a function and for a statement with syntax errors
	fn    *syntax.Function // nil for a value
	state state
	out   ops.Value // nil: poisoned
	used  bool
}

type diagKind string

const (
	paramKind diagKind = "param"
	valueKind diagKind = "value"
	fnKind    diagKind = "fn"
	badKind   diagKind = "bad"
)

type state uint8

const (
	fresh state = iota
	busy
	done
)

func (c *checker) report(code string, at diag.Span, format string, a ...any) *diag.Diagnostic {
	return c.diags.Report(code, at, format, a...)
}

// declare records every name the file defines.
func (c *checker) declare(file *syntax.File) {
	for _, s := range file.Statements {
		b := &binding{}
		switch s := s.(type) {
		case *syntax.Param:
			b.name, b.kind, b.value = s.Name, paramKind, s.Value
		case *syntax.Assign:
			b.name, b.kind, b.value = s.Name, valueKind, s.Value
		case *syntax.Function:
			b.name, b.kind, b.fn = s.Name, fnKind, s
			if !c.parameters(s) {
				b.kind = badKind
			}
		case *syntax.Bad:
			b.name, b.kind = s.Name, badKind
		}
		if b.name == nil {
			continue
		}
		c.define(b)
	}
}

func (c *checker) define(b *binding) {
	if old := c.globals[b.name.Text]; old != nil {
		code := problem.DuplicateName
		if old.kind == paramKind && b.kind == paramKind {
			code = problem.DuplicateParameter
		}
		c.report(code, b.name.Span(), "`%s` is defined twice", b.name.Text).Relate(old.name.Span(), "first defined here").Helpf("give one of them another name")
		old.used = true
		return
	}
	if c.cat.Lookup(b.name.Text) != nil || c.cat.IsPrefix(b.name.Text) {
		c.report(problem.HiddenOperator, b.name.Span(), "`%s` hides the operator of this name", b.name.Text).Helpf("choose another name")
		b.used = true
	}
	c.globals[b.name.Text] = b
	c.order = append(c.order, b)
}

func (c *checker) parameters(f *syntax.Function) bool {
	ok := true
	for i, p := range f.Parameters {
		for _, q := range f.Parameters[:i] {
			if p.Text == q.Text {
				c.report(problem.DuplicateParameter, p.Span(), "`%s` is a parameter twice", p.Text).Relate(q.Span(), "first here")
				ok = false
			}
		}
	}
	return ok
}

// statement evaluates one statement; definitions that others used are evaluated already.
func (c *checker) statement(s syntax.Statement) {
	switch s := s.(type) {
	case *syntax.Param:
		c.resolve(c.globals[s.Name.Text])
	case *syntax.Assign:
		c.resolve(c.globals[s.Name.Text])
	case *syntax.Sink:
		before := len(c.program.Sinks)
		errors := c.diags.Len()
		v := c.eval(s.Value, nil)
		if v != nil && len(c.program.Sinks) == before && c.diags.Len() == errors {
			c.report(problem.UnusedValue, origin(s.Value), "the value goes nowhere").Helpf("add `| show` or `| write(\"name.npy\")`, or give it a name")
		}
	}
}

// resolve evaluates a definition once.
func (c *checker) resolve(b *binding) ops.Value {
	if b.state != fresh || b.value == nil {
		return b.out
	}
	b.state = busy
	c.solving = append(c.solving, b)
	b.out = c.wanted(b.value, c.eval(b.value, nil))
	c.solving = c.solving[:len(c.solving)-1]
	b.state = done
	if op := instanceOf(b.out); op != nil && op.Label == "" {
		op.Label = b.name.Text
	}
	if b.kind == paramKind {
		if b.out != nil && b.out.Kind()&(ops.KNumber|ops.KText|ops.KBool|ops.KRange|ops.KList) == 0 {
			c.report(problem.ParameterNotConstant, b.value.Span(), "param `%s` is %s, not a constant", b.name.Text, b.out.Kind()).Helpf("write `%s = ...` without param", b.name.Text)
			b.out = nil
		}
		if b.out != nil {
			_, over := c.opt.Params[b.name.Text]
			c.program.Params = append(c.program.Params, Param{b.name.Text, b.out, over})
		}
	}
	return b.out
}

// unused warns about definitions nothing refers to.
func (c *checker) unused() {
	for _, b := range c.order {
		if b.used || b.kind == badKind || len(b.name.Text) > 0 && b.name.Text[0] == '_' {
			continue
		}
		if a, ok := b.out.(ops.Array); ok && c.isSinkInput(a) {
			continue // x = a | write("f"): the pipeline itself is the use
		}
		c.report(problem.UnusedName, b.name.Span(), "`%s` is defined and never used", b.name.Text).Helpf("remove it, or use it in something that is written or shown")
	}
}

// noSink warns about a file that asks for nothing, at its last definition.
func (c *checker) noSink() {
	at := diag.Span{Source: c.program.Source}
	if n := len(c.order); n > 0 {
		at = c.order[n-1].name.Span()
	}
	c.report(problem.NoSink, at, "nothing runs: no statement writes or shows anything").Helpf("end a pipeline with `| write(\"out.npy\")` or `| show`")
}

func (c *checker) isSinkInput(a ops.Array) bool {
	return slices.ContainsFunc(c.program.Sinks, func(s *ops.Instance) bool {
		used := false
		s.Call.Arrays(func(_ string, b ops.Array) { used = used || a == b })
		return used
	})
}

// outputs refuses two sinks to one file, and a sink to a file that is also read.
func (c *checker) outputs() {
	written := map[fileio.Identity]*ops.Instance{}
	read := map[fileio.Identity]bool{}
	var visit func(op *ops.Instance)
	seen := map[*ops.Instance]bool{}
	visit = func(op *ops.Instance) {
		if seen[op] {
			return
		}
		seen[op] = true
		if op.IsSource() && op.File() != "" {
			read[fileio.Identify(op.File())] = true
		}
		op.Call.Arrays(func(_ string, a ops.Array) { visit(a.Of) })
	}
	for _, s := range c.program.Sinks {
		visit(s)
	}
	for _, s := range c.program.Sinks {
		if s.File() == "" {
			continue
		}
		path, at := filepath.Clean(s.File()), c.paths[s]
		file := fileio.Identify(path)
		if old := written[file]; old != nil {
			c.report(problem.DuplicateOutput, at, "%s is written twice", path).Relate(c.paths[old], "first written here").Helpf("write to another file")
		}
		written[file] = s
		if read[file] {
			c.report(problem.OutputIsInput, at, "%s is read and written by the same program", path).Helpf("write to another file")
		}
	}
}
