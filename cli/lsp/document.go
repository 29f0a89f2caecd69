package lsp

import (
	"net/url"
	"path/filepath"
	"slices"
	"sync"
	"sync/atomic"
	"unicode/utf8"

	"weft/lang/check"
	"weft/lang/diag"
	"weft/lang/syntax"
	"weft/ops"
	"weft/runtime/report"
	"weft/runtime/session"
)

// document is a text that is open in the editor.
type document struct {
	uri     string
	source  *diag.Source
	file    *syntax.File
	program *session.Program
	// last is the newest program of the text that had no mistakes of syntax: what names are is told from it while somebody writes.
	last *session.Program
	// predicted is what lines will take, once the text is planned.
	predicted atomic.Pointer[[]report.Line]
}

// read checks a text.
func read(uri, text string, before *document) *document {
	path := pathOf(uri)
	d := &document{uri: uri, program: session.CheckText(path, []byte(text), check.Options{})}
	d.source, d.file, d.last = d.program.Source, d.program.Tree, d.program
	if before != nil && slices.ContainsFunc(d.file.Statements, func(s syntax.Statement) bool { _, bad := s.(*syntax.Bad); return bad }) {
		d.last = before.last
	}
	return d
}

// pathOf is the path of a file's URI; other URIs stand for themselves.
func pathOf(uri string) string {
	u, err := url.Parse(uri)
	if err != nil || u.Scheme != "file" {
		return uri
	}
	return filepath.FromSlash(u.Path)
}

// uriOf is the URI of a source: the document's own, or that of a file that it uses.
func (d *document) uriOf(s *diag.Source) string {
	if s.Name == d.source.Name {
		return d.uri
	}
	path, err := filepath.Abs(s.Name)
	if err != nil {
		path = s.Name
	}
	return (&url.URL{Scheme: "file", Path: filepath.ToSlash(path)}).String()
}

// offset is the byte of a position; one outside of the text is moved to its ends.
func offset(s *diag.Source, p position) int {
	if p.Line < 0 {
		return 0
	}
	if p.Line >= s.Lines() {
		return len(s.Text)
	}
	line := s.Line(p.Line + 1)
	at, units := 0, 0
	for at < len(line) && units < p.Character {
		r, n := utf8.DecodeRuneInString(line[at:])
		at, units = at+n, units+utf16Len(r)
	}
	return s.LineStart(p.Line+1) + at
}

// positionOf is the position of a byte.
func positionOf(s *diag.Source, offset int) position {
	n := s.LineOf(offset)
	units := 0
	for _, r := range s.Text[s.LineStart(n):offset] {
		units += utf16Len(r)
	}
	return position{n - 1, units}
}

// utf16Len is how many UTF-16 code units a character takes.
func utf16Len(r rune) int {
	if r >= 1<<16 {
		return 2
	}
	return 1
}

func rangeOf(s diag.Span) textRange {
	if s.IsZero() {
		return textRange{}
	}
	return textRange{positionOf(s.Source, s.Start), positionOf(s.Source, s.End)}
}

// edited is the text after a change.
func edited(s *diag.Source, r textRange, text string) string {
	from, to := offset(s, r.Start), offset(s, r.End)
	return s.Text[:from] + text + s.Text[max(from, to):]
}

// name is the name at a byte, or that ends there, with the nodes around it, the outermost first.
func (d *document) name(at int) (name *syntax.Name, around []syntax.Node) {
	var visit func(n syntax.Node, path []syntax.Node)
	visit = func(n syntax.Node, path []syntax.Node) {
		if s := n.Span(); at < s.Start || at > s.End {
			return
		}
		if x, ok := n.(*syntax.Name); ok {
			name, around = x, append([]syntax.Node(nil), path...)
		}
		for _, c := range syntax.Children(n) {
			visit(c, append(path, n))
		}
	}
	for _, s := range d.file.Statements {
		visit(s, nil)
	}
	return name, around
}

// defined is where a name of the text is defined: among the parameters around it, by the check, or where it stands; nil: it is none of the
// program's.
func (d *document) defined(n *syntax.Name, around []syntax.Node) *syntax.Name {
	for i := len(around) - 1; i >= 0 && !label(n, around); i-- {
		var names []*syntax.Name
		switch f := around[i].(type) {
		case *syntax.Function:
			for _, p := range f.Parameters.List {
				names = append(names, p.Name)
			}
		case *syntax.Lambda:
			names = f.Parameters
		case *syntax.Block:
			for _, s := range f.Statements {
				if a, ok := s.(*syntax.Assign); ok && (a.Span().End <= n.Span().Start || a.Name.Span() == n.Span()) {
					names = append(names, a.Name)
				}
			}
		}
		for _, p := range names {
			if p.Text == n.Text {
				return p
			}
		}
	}
	for use, def := range d.program.Info.Uses {
		if use.Span() == n.Span() {
			return def
		}
	}
	for def := range d.program.Info.Defs {
		if def.Span() == n.Span() || def.Text == n.Text && d.unread(around) && !label(n, around) {
			return def
		}
	}
	return nil
}

// unread reports whether a name stands in a function that nothing calls: the check does not go through it.
func (d *document) unread(around []syntax.Node) bool {
	for _, n := range around {
		f, ok := n.(*syntax.Function)
		if !ok {
			continue
		}
		body := f.Result().Span()
		for use := range d.program.Info.Uses {
			if s := use.Span(); s.Source == body.Source && body.Start <= s.Start && s.End <= body.End {
				return false
			}
		}
		return true
	}
	return false
}

// at is the definition of the name at a byte; nil: there is none in the text.
func (d *document) at(byte int) *syntax.Name {
	n, around := d.name(byte)
	if n == nil {
		return nil
	}
	return d.defined(n, around)
}

// references are the names of the text that stand for a definition, that itself among them, in order.
func (d *document) references(def *syntax.Name) (out []*syntax.Name) {
	if def == nil {
		return nil
	}
	var visit func(n syntax.Node, path []syntax.Node)
	visit = func(n syntax.Node, path []syntax.Node) {
		if x, ok := n.(*syntax.Name); ok && x.Text == def.Text {
			if by := d.defined(x, path); by != nil && by.Span() == def.Span() {
				out = append(out, x)
			}
		}
		for _, c := range syntax.Children(n) {
			visit(c, append(slices.Clone(path), n))
		}
	}
	for _, s := range d.file.Statements {
		visit(s, nil)
	}
	return out
}

// label reports whether a name says which argument, part or dimension is meant, whatever names there are.
func label(n *syntax.Name, around []syntax.Node) bool {
	if len(around) == 0 {
		return false
	}
	switch by := around[len(around)-1].(type) {
	case *syntax.Argument:
		return by.Name == n
	case *syntax.Field:
		return by.Name == n
	case *syntax.Member, *syntax.Dims:
		return true
	}
	return false
}

// value is what a definition is.
func (d *document) value(def *syntax.Name) ops.Value {
	for n, v := range d.program.Info.Defs {
		if n.Span() == def.Span() {
			return v
		}
	}
	return nil
}

// store holds the open documents.
type store struct {
	mu   sync.Mutex
	open map[string]*document
}

func (s *store) get(uri string) *document {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.open[uri]
}

func (s *store) set(uri string, d *document) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if d == nil {
		delete(s.open, uri)
	} else {
		s.open[uri] = d
	}
}
