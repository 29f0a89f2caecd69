// Package check turns the tree of a pipeline file into a typed program: names resolved, functions written out, constants
// computed, every operator's arguments bound and its outputs' shapes and units inferred. It reports everything it finds wrong.
//
// Definitions may stand anywhere in the file. A value that could not be computed poisons what uses it, so that one mistake is
// reported once.
package check

import (
	"maps"
	"math"
	"path/filepath"
	"slices"
	"strings"

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
	// Open takes a text that is being written: names that nothing uses yet are fine, and so is a text that asks for nothing.
	Open bool
	// Values come from outside: each is what its name stands for, in place of the value that the text defines, where it does.
	Values map[string]ops.Value
}

// Program is a checked file.
type Program struct {
	File   string
	Source *diag.Source
	Tree   *syntax.File    // as far as it can be read
	Sinks  []*ops.Instance // what the file asks for, in order
	Params []Param
	Info   Info

	data map[string]*diag.Source // files of values that it uses
}

// Param is a constant the command line may override.
type Param struct {
	Name       string
	Value      ops.Value
	Overridden bool
}

// Info is what a check finds out about a text besides, for editors.
type Info struct {
	Defs  map[*syntax.Name]ops.Value    // the values of definitions; nil for functions and for what is wrong
	Uses  map[*syntax.Name]*syntax.Name // from a name that is used to the one that defines it
	Types map[syntax.Expr]ops.Value     // what expressions outside of functions are; nil where they are wrong
}

// File checks a pipeline text. The program is complete only if the list has no errors.
func File(name string, text []byte, cat *catalogue.Catalogue, opt Options) (*Program, diag.List) {
	c := newChecker(name, text, cat, opt)
	file := syntax.Parse(c.program.Source, c.units, c.diags)
	c.program.Tree = file
	c.declare(file)
	c.outside()
	for _, s := range file.Statements {
		c.statement(s)
	}
	c.program.Sinks = c.sinks
	c.outputs()
	c.unknownOverrides()
	c.tolerate()
	switch {
	case opt.Open || slices.ContainsFunc(file.Statements, isBad): // what cannot be read may use any name
	case len(c.program.Sinks) > 0 || c.diags.HasErrors():
		c.unused()
	case c.diags.Len() == 0:
		c.noSink()
	}
	return c.program, *c.diags
}

func newChecker(name string, text []byte, cat *catalogue.Catalogue, opt Options) *checker {
	c := &checker{cat: cat, opt: opt, units: Units(), paths: map[*ops.Instance]diag.Span{}, bodies: map[*ops.Spec]*function{}, libraries: map[string]*module{},
		making: map[syntax.Expr]*making{}, plain: map[string]string{}, parts: map[partAt]ops.Value{}}
	c.lasting = newFindings()
	c.findings, c.scope = c.lasting, &scope{names: map[string]*binding{}}
	src := diag.NewSource(name, string(text))
	c.program = &Program{File: name, Source: src, data: map[string]*diag.Source{}, Info: Info{map[*syntax.Name]ops.Value{}, map[*syntax.Name]*syntax.Name{}, map[syntax.Expr]ops.Value{}}}
	return c
}

func isBad(s syntax.Statement) bool { _, bad := s.(*syntax.Bad); return bad }

// Units are the unit names of the language.
func Units() syntax.Units {
	return syntax.Units{IsUnit: ops.IsUnit, Names: ops.AllUnitNames}
}

type checker struct {
	*findings           // of the evaluation in work
	lasting   *findings // of the text; see trial
	cat       *catalogue.Catalogue
	opt       Options
	units     syntax.Units
	program   *Program
	scope     *scope
	order     []*binding                  // definitions in order of the text
	frames    []frame                     // calls being written out
	whole     *ops.Instance               // use of an operator whose body is being written out
	loading   []string                    // files being read, each used by the one before it
	endless   map[syntax.Expr]bool        // bodies of functions that call themselves
	bodies    map[*ops.Spec]*function     // operators that are functions of others, as far as they are used
	libraries map[string]*module          // of functions, by what they are called
	making    map[syntax.Expr]*making     // what bodies of functions say of dimensions, as far as it was asked
	plain     map[string]string           // names of dimensions that go by another, from that
	parts     map[partAt]ops.Value        // of objects, as far as they were asked for
	solving   []*binding                  // definitions being evaluated, each for the one before it
	paths     map[*ops.Instance]diag.Span // where the outputs of sinks are named
	nextID    int
	calls     int // of functions, written out so far
	indices   int // around what is evaluated
}

// findings is what an evaluation reports and asks for.
type findings struct {
	diags *diag.List
	sinks []*ops.Instance
	told  map[diag.Span]bool // calls of functions in which an error was found
	bare  map[string]bool    // texts of values that were found to have no parts
}

func newFindings() *findings {
	return &findings{diags: &diag.List{}, told: map[diag.Span]bool{}, bare: map[string]bool{}}
}

// scope is the names of a text.
type scope struct {
	names map[string]*binding
	used  bool // of a file that is used, whose functions know nothing of the arrays of the one that uses it
}

// lookup finds a name; nil when it is not defined.
func (s *scope) lookup(name string) *binding {
	if s == nil {
		return nil
	}
	return s.names[name]
}

// all lists the names that are known, sorted.
func (s *scope) all() []string {
	if s == nil {
		return nil
	}
	return slices.Sorted(maps.Keys(s.names))
}

// binding is a name of the file: a param, a value or a function.
type binding struct {
	name   *syntax.Name
	kind   diagKind
	value  syntax.Expr        // nil for a function and for a statement with syntax errors
	fn     *syntax.Function   // nil for a value
	read   func()             // finds name and fn of a function that is not parsed yet; nil: it is
	use    *syntax.Use        // nil for what is no file
	asked  *syntax.Constraint // of a param; nil: nothing
	limits []*syntax.Limit    // of a param
	scope  *scope             // that it is defined in
	state  state
	out    ops.Value // nil: poisoned
	used   bool
}

type diagKind string

const (
	paramKind diagKind = "param"
	valueKind diagKind = "value"
	fnKind    diagKind = "fn"
	useKind   diagKind = "use"
	badKind   diagKind = "bad"
)

type state uint8

const (
	fresh state = iota
	busy
	done
)

// report reports a mistake: in a function that is written out, first at the call that a person wrote.
func (c *checker) report(code string, at diag.Span, format string, a ...any) *diag.Diagnostic {
	if len(c.frames) == 0 {
		return c.diags.Report(code, at, format, a...)
	}
	list, call := c.diags, c.asked(at)
	if at.Source != c.program.Source && c.told[call] { // of a function that a person did not write, one mistake a call is enough
		list = &diag.List{}
	}
	d := list.Report(code, call, format, a...)
	c.toldApart(d, d.Message)
	if d.Severity == diag.Error {
		c.told[call] = true
	}
	last := c.frames[len(c.frames)-1]
	d.Relate(at, "here, in `%s`", last.f)
	for i, f := range c.frames {
		if f.at != call && (i > 0 || c.program.isData(call)) {
			d.Relate(f.at, "by way of this call of `%s`", f.f)
		}
	}
	return d
}

// declare records every name the file defines.
func (c *checker) declare(file *syntax.File) {
	for _, s := range file.Statements {
		b := &binding{}
		switch s := s.(type) {
		case *syntax.Param:
			b.name, b.kind, b.value, b.asked, b.limits = s.Name, paramKind, s.Value, s.Kind, s.Limits
		case *syntax.Assign:
			b.name, b.kind, b.value = s.Name, valueKind, s.Value
		case *syntax.Function:
			b.name, b.kind, b.fn = s.Name, fnKind, s
			if !c.parameters(s) {
				b.kind = badKind
			}
		case *syntax.Use:
			b.name, b.kind, b.use = s.Name(), useKind, s
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
	if old := c.scope.names[b.name.Text]; old != nil {
		code := problem.DuplicateName
		if old.kind == paramKind && b.kind == paramKind {
			code = problem.DuplicateParameter
		}
		c.report(code, b.name.Span(), "`%s` is defined twice", b.name.Text).Relate(old.name.Span(), "first defined here").Helpf("give one of them another name")
		old.used = true
		return
	}
	b.scope, c.scope.names[b.name.Text] = c.scope, b
	c.program.Info.Defs[b.name] = nil
	c.order = append(c.order, b)
}

func (c *checker) parameters(f *syntax.Function) bool {
	ok := true
	for i, p := range f.Parameters.List {
		for _, q := range f.Parameters.List[:i] {
			if p.Name.Text == q.Name.Text {
				c.report(problem.DuplicateParameter, p.Name.Span(), "`%s` is a parameter twice", p.Name.Text).Relate(q.Name.Span(), "first here")
				ok = false
			}
		}
		if p.Kind != nil && p.Kind.Choices == nil {
			unit, _ := unitAsked(p.Kind)
			if _, err := ops.ParseUnit(unit); err != nil {
				c.report(problem.UnknownUnit, p.Kind.Span(), "%v", err)
				ok = false
			}
		}
	}
	return ok
}

// statement evaluates one statement; definitions that others used are evaluated already.
func (c *checker) statement(s syntax.Statement) {
	switch s := s.(type) {
	case *syntax.Use:
		c.resolve(c.scope.names[s.Name().Text])
	case *syntax.Param:
		c.resolve(c.scope.names[s.Name.Text])
	case *syntax.Assign:
		c.resolve(c.scope.names[s.Name.Text])
	case *syntax.Sink:
		before := len(c.sinks)
		errors := c.diags.Len()
		v := c.eval(s.Value, nil)
		if c.idle(v, c.sinks[before:]) && c.diags.Len() == errors {
			c.report(problem.UnusedValue, origin(s.Value), "the value goes nowhere").Helpf("add `| show` or `| write(\"name.npy\")`, or give it a name")
		}
	}
}

// idle reports whether nothing takes the value of a statement, of which these are the sinks: those that functions in it require take no more than conditions.
func (c *checker) idle(v ops.Value, sinks []*ops.Instance) bool {
	a, _ := v.(ops.Array)
	return v != nil && !slices.ContainsFunc(sinks, func(s *ops.Instance) bool {
		condition, _ := s.Call.Array("condition")
		return s.Spec.Name != "require" || condition.Of == a.Of
	})
}

// resolve evaluates a definition once.
func (c *checker) resolve(b *binding) ops.Value {
	if b.state == fresh && b.use != nil {
		b.state = done
		b.out = c.load(b)
	}
	if b.state != fresh || b.value == nil {
		return b.out
	}
	b.state = busy
	c.solving = append(c.solving, b)
	before, scope, frames, indices := c.findings, c.scope, c.frames, c.indices
	c.findings, c.scope, c.frames, c.indices = c.lasting, b.scope, nil, 0 // also of a definition that only a trial uses
	defer func() { c.findings, c.scope, c.frames, c.indices = before, scope, frames, indices }()
	value := b.value
	if text, over := c.opt.Params[b.name.Text]; over && b.kind == paramKind {
		value = c.override(b, text)
	}
	if value != nil {
		b.out = c.limited(b, value)
	}
	c.solving = c.solving[:len(c.solving)-1]
	b.state = done
	if op := instanceOf(b.out); op != nil && op.Label == "" {
		if op.Label = b.name.Text; op.Within != nil {
			op.Within.Variable = op.Label
		}
	}
	if b.kind == paramKind {
		if b.out != nil && b.out.Kind()&(ops.KNumber|ops.KText|ops.KBool|ops.KRange|ops.KList) == 0 && (b.asked == nil || b.asked.Choices == nil) {
			c.report(problem.ParameterNotConstant, b.value.Span(), "param `%s` is %s, not a constant", b.name.Text, b.out.Kind()).Helpf("write `%s = ...` without param", b.name.Text)
			b.out = nil
		}
		if n, ok := b.out.(ops.Number); ok {
			n.From = b.name.Text
			b.out = n
		}
		if b.out != nil {
			_, over := c.opt.Params[b.name.Text]
			c.program.Params = append(c.program.Params, Param{b.name.Text, b.out, over})
		}
	}
	c.program.Info.Defs[b.name] = b.out
	return b.out
}

// limited is the value of a definition, of the choices or the unit that it declares.
func (c *checker) limited(b *binding, value syntax.Expr) ops.Value {
	if b.asked != nil && b.asked.Choices != nil {
		choices := texts(b.asked.Choices.Names)
		s, ok := asNames(value, nil).(ops.Symbol)
		if ok && slices.Contains(choices, string(s)) {
			return s
		}
		c.report(problem.UnknownChoice, value.Span(), "`%s` is one of %s", b.name.Text, strings.Join(choices, ", ")).Suggest(diag.Nearest(string(s), choices)...)
		return nil
	}
	v := c.wanted(value, c.eval(value, nil))
	if v == nil || b.asked == nil && !c.holds("`"+b.name.Text+"`", nil, b.limits, value.Span(), v) {
		return nil
	}
	if b.asked == nil {
		return v
	}
	asked, whole := unitAsked(b.asked)
	unit, err := ops.ParseUnit(asked)
	n, number := v.(ops.Number)
	switch {
	case err != nil:
		c.report(problem.UnknownUnit, b.asked.Span(), "%v", err)
		return nil
	case whole && (!number || n.V != math.Trunc(n.V)):
		c.report(problem.NotWhole, value.Span(), "`%s` is a whole number, not %s", b.name.Text, v)
		return nil
	case !unitOf(v).Same(unit) && !(number && n.AnyUnit()):
		c.report(problem.WrongUnit, value.Span(), "`%s` is measured in %s, and this is %s", b.name.Text, unit, v).Helpf("write it as in %s", ops.Number{V: unit.SI(), Unit: unit})
		return nil
	}
	if !c.holds("`"+b.name.Text+"`", b.asked, b.limits, value.Span(), v) {
		return nil
	}
	if number {
		n.Unit = unit
		return n
	}
	return v
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
	ops.Walk(c.program.Sinks, func(op *ops.Instance) {
		if op.IsSource() && op.File() != "" {
			read[fileio.Identify(op.File())] = true
		}
	})
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
