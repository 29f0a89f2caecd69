package lsp

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strings"

	"weft/lang/check"
	"weft/lang/complete"
	"weft/lang/diag"
	"weft/lang/format"
	"weft/lang/library"
	"weft/lang/syntax"
	"weft/ops"
	"weft/ops/catalogue"
)

// described is what a value is, for people; empty where it is wrong, or a function.
func described(v ops.Value) string {
	switch v := v.(type) {
	case nil:
		return ""
	case ops.Array:
		return v.Type().String()
	case ops.Record:
		var parts []string
		for _, n := range v.Names {
			parts = append(parts, n+": "+described(v.Fields[n]))
		}
		return "(" + strings.Join(parts, ", ") + ")"
	}
	return v.String()
}

// dotted is the dotted name at a byte, up to and with the part there: signal.demodulate.
func (d *document) dotted(at int) (name string, span diag.Span) {
	n, around := d.name(at)
	if n == nil {
		return "", diag.Span{}
	}
	name, span = n.Text, n.Span()
	if len(around) > 0 {
		if f, ok := around[len(around)-1].(*syntax.Field); ok && f.Name == n {
			if p, ok := syntax.PathOf(f); ok {
				name, span = p.String(), p.Span()
			}
		}
	}
	return name, span
}

// documentation is what is said of an operator or a function of a library; empty: there is none of that name.
func documentation(name string) string {
	if text, ok := library.Doc(name); ok {
		return text
	}
	if spec := catalogue.Standard().Lookup(name); spec != nil {
		return ops.Doc(spec)
	}
	return ""
}

func (d *document) hover(p at) (*hover, error) {
	at := offset(d.source, p.Position)
	n, around := d.name(at)
	if n == nil {
		return nil, nil
	}
	name, span := d.dotted(at)
	text := ""
	if def := d.defined(n, around); def != nil {
		if what := described(d.value(def)); what != "" {
			text = "```weft\n" + n.Text + ": " + what + "\n```"
		} else if f := d.function(def); f != nil {
			text = "```weft\nfn " + f.Name.Text + f.Parameters.Span().Text() + "\n```\n" + above(d.source, f.Span().Start)
		} else {
			text = "`" + n.Text + "`, a parameter"
		}
	} else {
		text = documentation(name)
	}
	for e, v := range d.last.Info.Types { // what an expression is that begins as this name does: the part of a record, say
		if text == "" && e.Span() == span {
			text = "```weft\n" + span.Text() + ": " + described(v) + "\n```"
		}
	}
	if text == "" {
		return nil, nil
	}
	return &hover{markup{"markdown", text}, rangeOf(span)}, nil
}

// function is the function of the text that a name defines; nil: it defines something else.
func (d *document) function(def *syntax.Name) *syntax.Function {
	for _, s := range d.file.Statements {
		if f, ok := s.(*syntax.Function); ok && f.Name.Span() == def.Span() {
			return f
		}
	}
	return nil
}

// above are the lines of documentation in front of a byte.
func above(s *diag.Source, at int) string {
	var lines []string
	for n := s.LineOf(at) - 1; n > 0; n-- {
		text, ok := strings.CutPrefix(s.Line(n), "##")
		if !ok {
			break
		}
		lines = append(lines, strings.TrimPrefix(text, " "))
	}
	slices.Reverse(lines)
	return strings.Join(lines, "\n")
}

func (d *document) completions(p at) ([]completion, error) {
	at := offset(d.source, p.Position)
	defined := map[string]ops.Value{}
	for n, v := range d.last.Info.Defs {
		defined[n.Text] = v
	}
	word, offers := complete.Word(d.source.Text[:at], defined)
	out := []completion{}
	for _, o := range offers {
		out = append(out, completion{o.Text, o.Doc, textEdit{textRange{positionOf(d.source, at-len(word)), positionOf(d.source, at)}, o.Text}})
	}
	return out, nil
}

func (d *document) signature(p at) (*signatureHelp, error) {
	at := offset(d.source, p.Position)
	callee, bracket, commas := complete.Open(syntax.Scan(diag.NewSource("", d.source.Text[:at]), check.Units(), new(diag.List)))
	if bracket != "(" || callee == "" {
		return nil, nil
	}
	sig := signature{Label: callee + "("}
	add := func(name, doc string) {
		if len(sig.Parameters) > 0 {
			sig.Label += ", "
		}
		sig.Label += name
		sig.Parameters = append(sig.Parameters, parameter{name, doc})
	}
	spec := catalogue.Standard().Lookup(callee)
	switch {
	case spec != nil:
		sig.Documentation = spec.Doc
		for _, p := range spec.Params {
			add(p.Name, p.Doc)
		}
	default:
		for _, s := range d.file.Statements {
			if f, ok := s.(*syntax.Function); ok && f.Name.Text == callee {
				sig.Documentation = above(d.source, f.Span().Start)
				for _, p := range f.Parameters.List {
					add(p.Span().Text(), "")
				}
			}
		}
	}
	if len(sig.Parameters) == 0 {
		return nil, nil
	}
	sig.Label += ")"
	return &signatureHelp{[]signature{sig}, 0, min(commas, len(sig.Parameters)-1)}, nil
}

// target is the definition that a place is about; nil: there is none in the text.
func (d *document) target(p at) *syntax.Name {
	return d.at(offset(d.source, p.Position))
}

func (d *document) definition(p at) (*location, error) {
	def := d.target(p)
	if def == nil {
		return nil, nil
	}
	return &location{d.uriOf(def.Span().Source), rangeOf(def.Span())}, nil
}

func (d *document) uses(p at) ([]location, error) {
	out := []location{}
	def := d.target(p)
	if def == nil {
		return out, nil
	}
	for _, n := range d.references(def) {
		if p.Context.IncludeDeclaration || n.Span() != def.Span() {
			out = append(out, location{d.uri, rangeOf(n.Span())})
		}
	}
	return out, nil
}

// rename gives a definition another name wherever it stands. What would be wrong then is not done.
func (d *document) rename(p at) (*workspaceEdit, error) {
	def := d.target(p)
	switch tokens := syntax.Scan(diag.NewSource("", p.NewName), check.Units(), new(diag.List)); {
	case def == nil || def.Span().Source != d.source:
		return nil, errors.New("only what this file defines can be given another name")
	case len(tokens) == 0 || tokens[0].Kind != syntax.Ident || tokens[0].Text != p.NewName:
		return nil, fmt.Errorf("%q is no name", p.NewName)
	}
	edits, text, at, own := []textEdit{}, "", 0, 0
	var starts []int // of the new name, in the new text
	for _, n := range d.references(def) {
		s := n.Span()
		edits = append(edits, textEdit{rangeOf(s), p.NewName})
		text += d.source.Text[at:s.Start]
		if starts = append(starts, len(text)); s == def.Span() {
			own = len(text)
		}
		text, at = text+p.NewName, s.End
	}
	after := read(d.uri, text+d.source.Text[at:], nil)
	if !slices.EqualFunc(after.references(after.at(own)), starts, func(n *syntax.Name, at int) bool { return n.Span().Start == at }) {
		return nil, fmt.Errorf("`%s` is the name of something else there", p.NewName)
	}
	if mistakes(after) > mistakes(d) {
		return nil, fmt.Errorf("`%s` cannot be called `%s` here", def.Text, p.NewName)
	}
	return &workspaceEdit{map[string][]textEdit{d.uri: edits}}, nil
}

// mistakes is how many errors a text has.
func mistakes(d *document) (n int) {
	for _, m := range d.program.Found.Sorted() {
		if m.Severity == diag.Error {
			n++
		}
	}
	return n
}

// Kinds of symbols.
const (
	functionSymbol = 12
	variableSymbol = 13
	constantSymbol = 14
	moduleSymbol   = 2
)

func (d *document) symbols(about) ([]symbol, error) {
	out := []symbol{}
	add := func(n *syntax.Name, kind int, of syntax.Node, detail string) {
		out = append(out, symbol{n.Text, detail, kind, rangeOf(of.Span()), rangeOf(n.Span())})
	}
	for _, s := range d.file.Statements {
		switch s := s.(type) {
		case *syntax.Function:
			add(s.Name, functionSymbol, s, s.Parameters.Span().Text())
		case *syntax.Assign:
			add(s.Name, variableSymbol, s, described(d.value(s.Name)))
		case *syntax.Param:
			add(s.Name, constantSymbol, s, described(d.value(s.Name)))
		case *syntax.Use:
			if s.Library != nil {
				add(s.Library, moduleSymbol, s, "library")
			}
		}
	}
	return out, nil
}

func (d *document) formatting(about) ([]textEdit, error) {
	text, ok := format.Source(d.source, check.Units(), new(diag.List))
	if !ok || text == d.source.Text {
		return []textEdit{}, nil
	}
	return []textEdit{{textRange{position{}, positionOf(d.source, len(d.source.Text))}, text}}, nil
}

// hints say behind each definition what it is, and at the ends of lines what they will take.
func (d *document) hints(p about) ([]inlayHint, error) {
	out := []inlayHint{}
	for _, s := range d.file.Statements {
		a, ok := s.(*syntax.Assign)
		if !ok {
			continue
		}
		place := positionOf(d.source, a.Name.Span().End)
		if what := described(d.value(a.Name)); what != "" && p.Range.Start.Line <= place.Line && place.Line <= p.Range.End.Line {
			out = append(out, inlayHint{Position: place, Label: ": " + short(what), Kind: 1})
		}
	}
	if lines := d.predicted.Load(); lines != nil {
		for _, l := range *lines {
			if n := l.Line; n <= d.source.Lines() && p.Range.Start.Line < n && n <= p.Range.End.Line+1 {
				end := positionOf(d.source, d.source.LineStart(n)+len(d.source.Line(n)))
				out = append(out, inlayHint{Position: end, Label: l.Says, Pad: true})
			}
		}
	}
	return out, nil
}

// longestHint is how many characters of a line a hint may take.
const longestHint = 60

// short is the beginning of a text.
func short(text string) string {
	if r := []rune(text); len(r) > longestHint {
		return string(r[:longestHint-1]) + "…"
	}
	return text
}

// legend are the kinds of tokens by their number among the server's capabilities.
var legend = map[syntax.Kind]int{syntax.Comment: 0, syntax.Keyword: 1, syntax.Numeral: 2, syntax.Text: 3, syntax.UnitWord: 4, syntax.UnitJoin: 4, syntax.UnitPower: 4}

// Kinds of names among the tokens.
const (
	variableToken = 5
	functionToken = 6
)

// tokens are the text cut into what editors colour: for each token the lines and characters behind the one before, its length, its kind, and 0.
func (d *document) tokens(about) (semanticTokens, error) {
	out := semanticTokens{Data: []int{}}
	var before position
	for _, t := range syntax.Scan(d.source, check.Units(), new(diag.List)) {
		kind, ok := legend[t.Kind]
		if t.Kind == syntax.Ident {
			rest := strings.TrimLeft(d.source.Text[t.End():], " ")
			if kind, ok = variableToken, true; strings.HasPrefix(rest, "(") || catalogue.Standard().Lookup(t.Text) != nil {
				kind = functionToken
			}
		}
		if !ok || strings.Contains(t.Text, "\n") {
			continue
		}
		place := positionOf(d.source, t.Start)
		length := 0
		for _, r := range t.Text {
			length += utf16Len(r)
		}
		character := place.Character
		if place.Line == before.Line {
			character -= before.Character
		}
		out.Data = append(out.Data, place.Line-before.Line, character, length, kind, 0)
		before = place
	}
	return out, nil
}

// actions are what was meant instead of what is wrong, to be written in its place.
func (d *document) actions(p actionParams) ([]codeAction, error) {
	out := []codeAction{}
	for _, m := range d.diagnostics() {
		if before(m.Range.End, p.Range.Start) || before(p.Range.End, m.Range.Start) {
			continue
		}
		for _, name := range m.Data {
			out = append(out, codeAction{"Write " + name, "quickfix", []diagnostic{m}, workspaceEdit{map[string][]textEdit{d.uri: {{m.Range, name}}}}})
		}
	}
	return out, nil
}

func before(p, q position) bool { return cmp.Or(p.Line-q.Line, p.Character-q.Character) < 0 }
