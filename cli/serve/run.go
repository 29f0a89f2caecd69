package serve

import (
	"bytes"
	"context"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"weft/cli/page"
	"weft/kernels/device"
	"weft/lang/check"
	"weft/lang/diag"
	"weft/lang/syntax"
	"weft/ops"
	"weft/ops/files/format"
	"weft/ops/problem"
	"weft/planner/bound"
	weft "weft/runtime"
	"weft/runtime/notebook"
	"weft/runtime/report"
	"weft/runtime/result"
	"weft/runtime/session"
)

// request asks to run a text, or to explain it.
type request struct {
	Session string            `json:"session"` // that the text is entered into, as at a prompt; empty: it is a program of its own
	Text    string            `json:"text"`
	File    string            `json:"file"`   // that the text is from, if it is from one
	Folder  string            `json:"folder"` // from which files are named
	Arrays  map[string]array  `json:"arrays"` // what names stand for
	Params  map[string]string `json:"params"` // values of params, or of names that the text does not define, as they are written in the language
	Spare   []string          `json:"spare"`  // paths of the client's memory that results may be written to
	Want    []string          `json:"want"`   // names whose values are to be handed over; null: those that nothing else is made of
	Format  string            `json:"format"` // of explain: text, html, json, yaml
}

// reply is what a run gave.
type reply struct {
	Values   []value      `json:"values"`   // what was wanted, in the order of the text
	Shown    []page.Piece `json:"shown"`    // texts and pictures, in order
	Files    []string     `json:"files"`    // that were written
	Warnings []mistake    `json:"warnings"` // and their text, as a terminal shows it
	Warned   string       `json:"warned"`
	Kept     []string     `json:"kept"`    // paths of the client's memory that the session reads from now on
	Summary  string       `json:"summary"` // what was done, in a few lines; empty: nothing was run
}

// value is a value under its name: an array, a record of values, or a constant.
type value struct {
	Name   string  `json:"name"`
	Text   string  `json:"text"` // its type or value in words
	Array  *array  `json:"array,omitempty"`
	Record []value `json:"record,omitempty"`
	Number any     `json:"value,omitempty"` // a number in Unit, a text or true and false
	Unit   string  `json:"unit,omitempty"`
}

// program is what a request runs, checked.
type program struct {
	*session.Program
	entry   *notebook.Entry // nil: it is a program of its own
	book    *notebook.Notebook
	values  []notebook.Defined
	given   map[string]*memory
	inputs  map[string]ops.Array // what names stand for
	arrays  []ops.Array          // among the values, in their order
	results []*array

	plan   *bound.Plan                                             // of a program of its own; nil: not yet
	warned []*diag.Diagnostic                                      // before it runs
	take   func(ctx context.Context, i int, h ops.HostArray) error // has the i-th of the arrays
}

// check checks what a request runs. What is wrong with it is an error, and then nothing is kept of it.
func (s *Server) check(q request) (p *program, err error) {
	p = &program{given: map[string]*memory{}, inputs: map[string]ops.Array{}}
	values, params := map[string]ops.Value{}, map[string]string{}
	for name, a := range q.Arrays {
		v, m, err := a.input(name, s.mapped)
		if err != nil {
			return p, err
		}
		values[name], p.inputs[name], p.given[name] = v, v, m
	}
	own := paramsOf(q.Text)
	if q.Session != "" {
		if p.book = s.open[q.Session]; p.book == nil {
			p.book = notebook.New(s.Session, s.Kept)
			s.open[q.Session], s.given[q.Session] = p.book, map[string]*memory{}
		}
		own = p.book.Params()
	}
	for name, text := range q.Params {
		if slices.Contains(own, name) {
			params[name] = text
			continue
		}
		if values[name], err = constant(name, text); err != nil {
			return p, err
		}
	}
	if p.book != nil {
		return p, s.enter(p, q, values, params)
	}
	return p, p.alone(q, values, params)
}

// paramsOf are the names of the params of a text.
func paramsOf(text string) (names []string) {
	for _, s := range syntax.Parse(diag.NewSource("", text), check.Units(), new(diag.List)).Statements {
		if p, ok := s.(*syntax.Param); ok && p.Name != nil {
			names = append(names, p.Name.Text)
		}
	}
	return names
}

// constant is the value of a text of the language.
func constant(name, text string) (ops.Value, error) {
	p := session.CheckText(name, []byte("param "+name+" = "+text), check.Options{Open: true})
	if err := p.Err(); err != nil {
		return nil, err
	}
	if len(p.Params) != 1 {
		return nil, fmt.Errorf("%s = %s is no value", name, text)
	}
	return p.Params[0].Value, nil
}

// alone checks a text as a program of its own. A value at its end that goes nowhere is named _.
func (p *program) alone(q request, values map[string]ops.Value, params map[string]string) error {
	opt := check.Options{Open: true, Params: params, Values: values}
	name := q.File
	if name == "" {
		name = "text"
	}
	p.Program = session.CheckText(name, []byte(q.Text), opt)
	if at := lastValue(p.Program); at >= 0 {
		p.Program = session.CheckText(name, []byte(q.Text[:at]+"_ = "+q.Text[at:]), opt)
	}
	used := map[string]bool{}
	for _, def := range p.Info.Uses {
		used[def.Text] = true
	}
	for _, name := range slices.Sorted(maps.Keys(values)) {
		if !used[name] && !defines(p.Tree, name) {
			p.Found.Report(problem.UnknownOverride, diag.Span{}, "`%s` is given, and nothing in the text uses it", name).Suggest(diag.Nearest(name, defined(p.Tree))...)
		}
	}
	if err := p.Err(); err != nil {
		return err
	}
	var all []notebook.Defined
	inner := usedByOthers(p.Program)
	for _, s := range p.Tree.Statements {
		var name *syntax.Name
		wanted := false
		switch s := s.(type) {
		case *syntax.Assign:
			name, wanted = s.Name, q.Want == nil && !inner[s.Name.Text]
		case *syntax.Param:
			name = s.Name
		}
		if name != nil && (wanted || slices.Contains(q.Want, name.Text)) {
			all = append(all, notebook.Defined{Name: name.Text, Value: p.Info.Defs[name]})
		}
	}
	return p.want(q.Want, all)
}

// lastValue is where the last statement begins, if its value goes nowhere; -1 otherwise.
func lastValue(p *session.Program) int {
	n := len(p.Tree.Statements)
	if n == 0 {
		return -1
	}
	s, ok := p.Tree.Statements[n-1].(*syntax.Sink)
	for _, d := range p.Found.Sorted() {
		if ok && d.Code == problem.UnusedValue && d.Span.Source == p.Source && d.Span.Start >= s.Span().Start {
			return s.Span().Start
		}
	}
	return -1
}

// defined are the names that a text defines.
func defined(f *syntax.File) (names []string) {
	for _, s := range f.Statements {
		switch s := s.(type) {
		case *syntax.Assign:
			names = append(names, s.Name.Text)
		case *syntax.Param:
			names = append(names, s.Name.Text)
		}
	}
	return names
}

func defines(f *syntax.File, name string) bool { return slices.Contains(defined(f), name) }

// usedByOthers are the names that a definition of the text uses.
func usedByOthers(p *session.Program) map[string]bool {
	within := map[string]bool{}
	for use, def := range p.Info.Uses {
		for _, s := range p.Tree.Statements {
			_, sink := s.(*syntax.Sink)
			if at := s.Span(); !sink && use.Span().Source == p.Source && use.Span().Start >= at.Start && use.Span().Start < at.End {
				within[def.Text] = true
			}
		}
	}
	return within
}

// enter checks a text behind what a session holds.
func (s *Server) enter(p *program, q request, values map[string]ops.Value, params map[string]string) error {
	for _, name := range slices.Sorted(maps.Keys(params)) {
		e, err := p.book.Set(name, params[name])
		if err == nil {
			err = e.Err()
		}
		if err == nil {
			_, err = p.book.Enter(context.Background(), e, weft.Options{}) // which runs nothing
		}
		if err != nil {
			return err
		}
	}
	for name, v := range values {
		p.book.Give(name, v)
		if m := p.given[name]; m != nil {
			s.given[q.Session][name] = m
		} else {
			delete(s.given[q.Session], name)
		}
	}
	p.entry = p.book.Check(q.Text)
	p.Program = p.entry.Program
	if err := p.Err(); err != nil {
		return err
	}
	if q.Want == nil { // values of a session are computed when they are asked for
		if v := p.entry.Last(); v != nil {
			return p.want(nil, []notebook.Defined{{Name: "_", Value: v}})
		}
		return nil
	}
	all := slices.DeleteFunc(p.entry.All(), func(d notebook.Defined) bool { return !slices.Contains(q.Want, d.Name) })
	if v := p.entry.Last(); v != nil && slices.Contains(q.Want, "_") {
		all = append(all, notebook.Defined{Name: "_", Value: v})
	}
	for _, d := range all {
		if d.Value == nil { // it is wrong now, which is said where it is shown
			if err := p.book.Check(d.Name).Err(); err != nil {
				return err
			}
		}
	}
	return p.want(q.Want, all)
}

// want finds the arrays of what is to be handed over.
func (p *program) want(names []string, all []notebook.Defined) error {
	for _, name := range names {
		if !slices.ContainsFunc(all, func(d notebook.Defined) bool { return d.Name == name }) {
			return fmt.Errorf("no value is named %s", name)
		}
	}
	for _, d := range all {
		if d.Value != nil { // functions and files are none
			p.values = append(p.values, d)
			p.collect(d.Value)
		}
	}
	p.results = make([]*array, len(p.arrays))
	return nil
}

func (p *program) collect(v ops.Value) {
	switch v := v.(type) {
	case ops.Array:
		p.arrays = append(p.arrays, v)
	case ops.Record:
		for _, name := range v.Names {
			p.collect(v.Fields[name])
		}
	}
}

// run runs a text and hands over what is wanted.
func (s *Server) run(ctx context.Context, q request, r *reply) (*reply, error) {
	p, err := s.renewed(q), error(nil)
	before := s.last
	if p == nil {
		before = nil
		p, err = s.check(q)
	}
	s.last = nil
	if err != nil {
		return nil, err
	}
	var shown strings.Builder
	opt := weft.Options{Verify: before.due(), Terminal: page.Terminal{Writer: &shown}}
	p.take = func(ctx context.Context, i int, h ops.HostArray) error {
		a, err := output(ctx, h, func(bytes int) (*memory, error) { return s.room(&q.Spare, bytes) })
		p.results[i] = &a
		return err
	}
	var done *result.Result
	if p.entry != nil {
		p.entry.Ask(p.arrays, p.take)
		done, err = p.book.Enter(ctx, p.entry, opt)
	} else {
		done, err = p.execute(ctx, s.Session, opt)
	}
	if err != nil {
		return nil, err
	}
	if done != nil && len(done.Repairs) == 0 {
		s.remember(q, p, before, done)
	}
	if r.Shown, err = page.Pieces(shown.String()); err != nil {
		return nil, err
	}
	r.Warnings, r.Warned = mistakesOf(&p.Found), p.Found.String()
	if r.Files = []string{}; done != nil {
		var b strings.Builder
		if err := report.Summary(&b, done); err != nil {
			return nil, err
		}
		r.Summary = b.String()
		for _, sink := range p.Sinks {
			if f := sink.File(); f != "" {
				r.Files = append(r.Files, f)
			}
		}
	}
	r.Kept = []string{}
	for _, m := range s.given[q.Session] {
		r.Kept = append(r.Kept, m.path)
	}
	next := 0
	r.Values = []value{}
	for _, d := range p.values {
		r.Values = append(r.Values, p.valueOf(d.Name, d.Value, &next))
	}
	return r, nil
}

// execute plans and runs a program of its own.
func (p *program) execute(ctx context.Context, se *session.Session, opt weft.Options) (*result.Result, error) {
	if p.plan == nil {
		for i, a := range p.arrays {
			p.Sinks = append(p.Sinks, notebook.Handed(i, a, func(ctx context.Context, h ops.HostArray) error { return p.take(ctx, i, h) }))
		}
		if len(p.Sinks) == 0 {
			return nil, nil
		}
		var err error
		if p.plan, err = se.Plan(ctx, p.Program, session.PlanOptions{}); err != nil {
			return nil, err
		}
		p.warned = p.Found.Sorted()
	}
	r, err := se.Run(ctx, p.Program, p.plan, opt)
	if err == nil {
		err = p.Err() // of a result that is not what float64 gives
	}
	return r, err
}

// valueOf is a value as replies have it; arrays come in the order of collect.
func (p *program) valueOf(name string, v ops.Value, next *int) value {
	out := value{Name: name, Text: v.String()}
	switch v := v.(type) {
	case ops.Array:
		out.Text, out.Array = v.Type().String(), p.results[*next]
		*next++
	case ops.Record:
		out.Record = []value{}
		for _, part := range v.Names {
			out.Record = append(out.Record, p.valueOf(part, v.Fields[part], next))
		}
	case ops.Number:
		out.Number, out.Unit = rounded(format.Shown(v.V, v.Unit)), v.Unit.String()
	case ops.Text:
		out.Number = string(v)
	case ops.Flag:
		out.Number = bool(v)
	}
	return out
}

// rounded is a number as it was written, where turning it to SI units and back changed its last digits.
func rounded(v float64) float64 {
	r, err := strconv.ParseFloat(strconv.FormatFloat(v, 'g', 15, 64), 64)
	if err != nil { // NaN and infinities are numbers too
		return v
	}
	return r
}

// explain plans a text and says what would run.
func (s *Server) explain(ctx context.Context, q request, _ *reply) (string, error) {
	p, err := s.check(q)
	if err != nil {
		return "", err
	}
	var plan *bound.Plan
	if p.entry != nil {
		p.entry.Ask(p.arrays, nil)
		plan, err = p.book.Plan(ctx, p.entry)
	} else {
		for i, a := range p.arrays {
			p.Sinks = append(p.Sinks, notebook.Handed(i, a, nil))
		}
		plan, err = s.Session.Plan(ctx, p.Program, session.PlanOptions{})
	}
	if err != nil {
		return "", err
	}
	if err := s.Session.Compile(ctx, plan, device.Options{Describe: true}); err != nil {
		return "", err
	}
	if q.Format == "" {
		q.Format = "text"
	}
	var b bytes.Buffer
	err = report.Write(&b, q.Format, plan, report.Options{})
	return b.String(), err
}
