// Package notebook is a program that is entered a statement at a time: `weft repl` is one. A name that is defined again takes the place
// of its first definition, and what is made of it follows. Nothing runs until a value is asked for; what was computed is kept by what it is
// made of, so that only what a change touches runs again.
package notebook

import (
	"context"
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"strings"
	"unicode"

	"weft/lang/check"
	"weft/lang/diag"
	"weft/lang/syntax"
	"weft/ops"
	"weft/ops/problem"
	"weft/planner/bound"
	"weft/runtime"
	"weft/runtime/result"
	"weft/runtime/session"
)

// Notebook is what was entered so far.
type Notebook struct {
	Folder string // from which files that are used are named; empty: where weft runs

	session *session.Session
	cells   []cell // definitions, in the order of their first entry
	asked   []string
	kept    kept

	values map[string]ops.Value // that were given, by name
	keys   map[string]string    // what tells them from others
	gifts  int
}

// cell is a definition.
type cell struct {
	name, text string
	at         int // where it begins in the text of its entry
}

// New is an empty notebook. It keeps values of at most so many bytes.
func New(s *session.Session, most int64) *Notebook {
	return &Notebook{session: s, kept: kept{most: most, arrays: map[string]*array{}}, values: map[string]ops.Value{}, keys: map[string]string{}}
}

// Defined is a name that an entry defined, and what it is; nil for a function or a file.
type Defined struct {
	Name  string
	Value ops.Value
}

// Entry is a text that was checked behind what the notebook holds, and not entered yet.
type Entry struct {
	*session.Program
	Defined []Defined

	cells  []cell
	values map[string]ops.Value // that were given, but for what it defines
	keys   map[string]string
	names  map[string]bool // that it defines
	asks   []string        // statements that are no definitions, as they are to be run
	askAt  []int           // where they begin in the text
	sinks  []*ops.Instance // what it asks for
	all    string          // the text of the program
	typed  *diag.Source    // that of the entry
	pieces []piece         // what the program is made of
}

// Asks reports whether there is anything to run.
func (e *Entry) Asks() bool { return len(e.sinks) > 0 }

// Text is what a file would hold that does all that was entered, less what asks for names that are no more.
func (n *Notebook) Text() string {
	var b strings.Builder
	for _, c := range n.cells {
		b.WriteString(c.text + "\n")
	}
	for _, a := range n.asked {
		e := &Entry{cells: n.cells, asks: []string{a}, askAt: []int{0}}
		if n.check(e); e.Err() == nil {
			b.WriteString(a + "\n")
		}
	}
	return b.String()
}

// Definitions is the text of all that is defined, in order.
func (n *Notebook) Definitions() []string {
	var out []string
	for _, c := range n.cells {
		out = append(out, c.text)
	}
	return out
}

// Names are those that are defined, in order.
func (n *Notebook) Names() []string {
	var out []string
	for _, c := range n.cells {
		out = append(out, c.name)
	}
	return out
}

// Params are the names of the params.
func (n *Notebook) Params() (out []string) {
	for _, c := range n.cells {
		if strings.HasPrefix(c.text, "param ") {
			out = append(out, c.name)
		}
	}
	return out
}

// All are the definitions of the notebook with the entry, and what they are.
func (e *Entry) All() (out []Defined) {
	for _, d := range e.definitions() {
		out = append(out, Defined{d.name, e.Info.Defs[d.at]})
	}
	return out
}

// Values are the definitions and what they are.
func (n *Notebook) Values() (out []Defined) {
	e := &Entry{cells: n.cells}
	n.check(e)
	return e.All()
}

// Forget takes a definition away; false: there is none.
func (n *Notebook) Forget(name string) bool {
	before := len(n.cells)
	n.cells = slices.DeleteFunc(n.cells, func(c cell) bool { return c.name == name })
	return len(n.cells) < before
}

// Reset forgets everything.
func (n *Notebook) Reset() { *n = *New(n.session, n.kept.most) }

// Uses reports whether a definition uses a file, by its path from Folder.
func (n *Notebook) Uses() bool {
	return slices.ContainsFunc(n.cells, func(c cell) bool { return strings.HasPrefix(c.text, `use "`) })
}

// Set gives a param another value, of the same unit.
func (n *Notebook) Set(name, value string) (*Entry, error) {
	i := slices.IndexFunc(n.cells, func(c cell) bool { return c.name == name })
	if i < 0 || !strings.HasPrefix(strings.TrimSpace(n.cells[i].text), "param ") {
		return nil, fmt.Errorf("there is no param %s", name)
	}
	head, _, _ := strings.Cut(n.cells[i].text, "=")
	e := n.Check(head + "= " + value)
	was := n.Values()[i].Value
	if old, ok := was.(ops.Number); ok && e.Err() == nil && len(e.Defined) == 1 {
		if now, ok := e.Defined[0].Value.(ops.Number); ok && !old.Unit.Same(now.Unit) {
			return nil, fmt.Errorf("%s is %s, which %s does not measure", name, old, now)
		}
	}
	return e, nil
}

// Check checks a text behind what the notebook holds. A value that goes nowhere is shown. Mistakes are in the program.
func (n *Notebook) Check(text string) *Entry {
	e := &Entry{cells: slices.Clone(n.cells), names: map[string]bool{}}
	e.typed = diag.NewSource("input", text)
	file := syntax.Parse(diag.NewSource("", text), check.Units(), new(diag.List))
	from := 0
	for i, s := range file.Statements {
		to := len(text)
		if i+1 < len(file.Statements) {
			to = lineStart(text, file.Statements[i+1].Span().Start)
		}
		from = min(from, to)
		from += len(text[from:to]) - len(strings.TrimLeftFunc(text[from:to], unicode.IsSpace))
		part := strings.TrimSpace(text[from:to])
		if name := nameOf(s); name != "" {
			e.define(cell{name, part, from})
			e.names[name] = true
		} else {
			e.asks, e.askAt = append(e.asks, part), append(e.askAt, from)
		}
		from = to
	}
	if len(file.Statements) == 0 && strings.TrimSpace(text) != "" {
		e.asks, e.askAt = append(e.asks, strings.TrimSpace(text)), append(e.askAt, len(text)-len(strings.TrimLeftFunc(text, unicode.IsSpace)))
	}
	n.check(e)
	if e.showValues() {
		n.check(e)
	}
	e.relocate()
	for _, d := range e.definitions() {
		if e.names[d.name] {
			e.Defined = append(e.Defined, Defined{d.name, e.Info.Defs[d.at]})
		}
	}
	return e
}

// define puts a definition in the place of the one with its name, or behind all.
func (e *Entry) define(c cell) {
	if at := slices.IndexFunc(e.cells, func(old cell) bool { return old.name == c.name }); at >= 0 {
		e.cells[at] = c
		return
	}
	e.cells = append(e.cells, c)
}

// check checks the whole program.
func (n *Notebook) check(e *Entry) {
	e.values, e.keys = maps.Clone(n.values), n.keys
	for name := range e.names {
		delete(e.values, name)
	}
	var b strings.Builder
	var asked []int // the lines of what the entry asks for, in pairs
	line := 1
	e.pieces = nil
	add := func(text string, asks bool, at int) {
		p := piece{from: b.Len(), to: b.Len() + len(text), in: e.typed, at: at}
		if !asks {
			p.in, p.at = diag.NewSource("before", text), 0
		}
		e.pieces = append(e.pieces, p)
		b.WriteString(text + "\n")
		lines := strings.Count(text, "\n") + 1
		if asks {
			asked = append(asked, line, line+lines)
		}
		line += lines
	}
	for _, c := range e.cells {
		add(c.text, e.names[c.name], c.at)
	}
	for i, a := range e.asks {
		add(a, true, e.askAt[i])
	}
	e.all = b.String()
	e.Program = session.CheckText(filepath.Join(n.Folder, "notebook"), []byte(e.all), check.Options{Open: true, Values: e.values})
	entered := func(line int) bool {
		for i := 0; i < len(asked); i += 2 {
			if line >= asked[i] && line < asked[i+1] {
				return true
			}
		}
		return false
	}
	e.sinks = nil
	for _, s := range e.Program.Sinks { // definitions that were entered before have had theirs, and their warnings
		if entered(s.Line()) {
			e.sinks = append(e.sinks, s)
		}
	}
	e.Program.Sinks = e.sinks
	concerns := e.concerns()
	var found diag.List
	for _, d := range e.Found.Sorted() {
		if d.Severity == diag.Error && concerns(d.Span) || d.Severity != diag.Error && (d.Span.Source != e.Source || entered(d.Span.Position().Line)) {
			found.Add(d)
		}
	}
	e.Found = found
}

// showValues makes statements whose values go nowhere show them; false: there are none, or something else is wrong.
func (e *Entry) showValues() bool {
	if e.Found.HasErrors() {
		return false
	}
	begin := 1 + strings.Count(e.all, "\n") - strings.Count(strings.Join(e.asks, "\n")+"\n", "\n")
	shown := false
	for _, d := range e.Found.Sorted() {
		if d.Code != problem.UnusedValue {
			continue
		}
		line := d.Span.Position().Line - begin
		for i, a := range e.asks {
			lines := strings.Count(a, "\n") + 1
			if line >= 0 && line < lines && !strings.HasPrefix(a, "show(") {
				e.askAt[i] -= len("show(")
				e.asks[i], shown = "show("+a+"\n)", true
				if !strings.Contains(a, "#") {
					e.asks[i] = "show(" + a + ")"
				}
			}
			line -= lines
		}
	}
	return shown
}

// Plan plans what an entry asks for, from values that are kept. Those that it names are kept once they are computed, where there is room.
func (n *Notebook) Plan(ctx context.Context, e *Entry) (*bound.Plan, error) {
	if err := e.Err(); err != nil {
		return nil, err
	}
	defer e.relocate()
	used := e.uses()
	n.kept.take(used, e.Info.Defs)
	e.Program.Sinks = slices.Concat(n.kept.sinks(used, e.Info.Defs), e.sinks)
	return n.session.Plan(ctx, e.Program, session.PlanOptions{})
}

// Enter runs what an entry asks for and makes its definitions part of the notebook. An entry with a mistake, or whose run fails, changes
// nothing.
func (n *Notebook) Enter(ctx context.Context, e *Entry, opt runtime.Options) (*result.Result, error) {
	if err := e.Err(); err != nil {
		return nil, err
	}
	defer e.relocate()
	var r *result.Result
	if e.Asks() {
		p, err := n.Plan(ctx, e)
		if err != nil {
			return nil, err
		}
		if r, err = n.session.Run(ctx, e.Program, p, opt); err != nil {
			return r, err
		}
		if err := e.Err(); err != nil { // of a result that is not what float64 gives
			return r, err
		}
		if opt.Verify {
			n.kept.keep()
		}
	}
	n.cells, n.values = e.cells, e.values
	for _, a := range e.asks {
		if !slices.Contains(n.asked, a) {
			n.asked = append(n.asked, a)
		}
	}
	return r, nil
}

// nameOf is the name that a statement defines; empty: none.
func nameOf(s syntax.Statement) string {
	var name *syntax.Name
	switch s := s.(type) {
	case *syntax.Use:
		name = s.Name()
	case *syntax.Param:
		name = s.Name
	case *syntax.Assign:
		name = s.Name
	case *syntax.Function:
		name = s.Name
	case *syntax.Bad:
		name = s.Name
	}
	if name == nil {
		return ""
	}
	return name.Text
}

// lineStart is where the line of an offset begins, or the comments right above it.
func lineStart(text string, at int) int {
	at = strings.LastIndexByte(text[:at], '\n') + 1
	for at > 0 {
		above := strings.LastIndexByte(text[:at-1], '\n') + 1
		if !strings.HasPrefix(strings.TrimSpace(text[above:at]), "#") {
			break
		}
		at = above
	}
	return at
}
