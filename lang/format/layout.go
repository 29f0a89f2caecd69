package format

import (
	"strings"

	"weft/lang/syntax"
)

// lay lays a block out as lines.
func (b *block) lay() []line {
	if b.statement == nil {
		return []line{{comment: b.parts[0].Text, blank: b.blank}}
	}
	r := rolesOf(b.statement)
	lines := layout(b, r, false)
	if stages(b.parts) > 1 && widest(lines) > lineWidth {
		lines = layout(b, r, true)
	}
	lines[0].blank = b.blank
	lines[len(lines)-1].comment = b.trailing
	return lines
}

// stages counts the pipes outside brackets.
func stages(parts []part) int {
	n, depth := 0, 0
	for _, p := range parts {
		switch {
		case isSign(p.Token, "(", "[", "{"):
			depth++
		case isSign(p.Token, ")", "]", "}"):
			depth--
		case isSign(p.Token, "|") && depth == 0:
			n++
		}
	}
	return n
}

func widest(lines []line) int {
	w := 0
	for _, l := range lines {
		w = max(w, l.width())
	}
	return w
}

// bracket is an open bracket with the columns of what begins a line inside it.
type bracket struct {
	content, closing int
	block            bool // of statements
}

// typesetter sets the parts of a statement into lines.
type typesetter struct {
	roles roles
	lines []line
	text  strings.Builder // of the current line
	width int             // of text, in columns
	open  []bracket
	pipe  int          // column of stages that begin a line
	mark  bool         // whether = or the first pipe has set it
	prev  syntax.Token // the token set last
}

// layout sets a statement; with split, every pipe outside brackets begins a line.
func layout(b *block, r roles, split bool) []line {
	s := &typesetter{roles: r, lines: []line{{}}, pipe: indentWidth}
	for i, p := range b.parts {
		outside := len(s.open) == 0
		pipe := outside && isSign(p.Token, "|")
		if pipe && split && p.newlines == 0 && i > 0 {
			p.newlines = 1
		}
		if p.Kind == syntax.Comment {
			s.comment(p)
			continue
		}
		s.token(p, b.parts[i+1:])
		if outside && !s.mark && (pipe || isSign(p.Token, "=")) {
			s.mark = true
			if at := s.column() - 1; len(s.lines) == 1 && at <= deepestPipe {
				s.pipe = at
			}
		}
	}
	s.flush()
	return s.lines
}

// current is the line in work.
func (s *typesetter) current() *line { return &s.lines[len(s.lines)-1] }

// column is where the next text goes.
func (s *typesetter) column() int { return s.current().indent + s.width }

// put adds to the current line.
func (s *typesetter) put(text string) {
	s.text.WriteString(text)
	s.width += columns(text)
}

func (s *typesetter) flush() {
	s.current().text, s.width = s.text.String(), 0
	s.text.Reset()
}

// begin starts a line at a column.
func (s *typesetter) begin(column int, blank bool) {
	s.flush()
	s.lines = append(s.lines, line{indent: column, blank: blank})
}

// comment sets a comment behind the current line, or on a line of its own.
func (s *typesetter) comment(p part) {
	if p.newlines > 0 {
		s.begin(s.indent(syntax.Token{}), s.keepsBlank(p))
	}
	s.current().comment = p.Text
}

// token sets a token, on a new line where the source has one, or where a comment ends the current line.
func (s *typesetter) token(p part, rest []part) {
	commented := s.current().comment != ""
	switch {
	case commented, p.newlines > 0 && !isSign(p.Token, ","):
		s.begin(s.indent(p.Token), s.keepsBlank(p) && !isSign(p.Token, ")", "]", "}"))
	case s.prev.Text != "":
		s.put(strings.Repeat(" ", s.roles.gap(s.prev, p.Token)))
	}
	if isSign(p.Token, ")", "]", "}") {
		s.open = s.open[:len(s.open)-1]
	}
	at := s.column()
	s.put(spelling(p.Token))
	if isSign(p.Token, "(", "[", "{") {
		s.open = append(s.open, s.bracket(at, isSign(p.Token, "{"), rest))
	}
	s.prev = p.Token
}

// keepsBlank reports whether a blank line of the source before a part is kept: not behind an opening bracket.
func (s *typesetter) keepsBlank(p part) bool {
	return p.newlines > 1 && !(isSign(s.prev, "(", "[", "{") && s.current().comment == "")
}

// indent is the column where a token, or a comment, begins a line.
func (s *typesetter) indent(t syntax.Token) int {
	if len(s.open) == 0 {
		return s.pipe
	}
	innermost := s.open[len(s.open)-1]
	switch {
	case isSign(t, ")", "]", "}"):
		return innermost.closing
	case isSign(t, "|") && innermost.block:
		return innermost.content + indentWidth
	}
	return innermost.content
}

// bracket opens a bracket at a column. What follows it on its line sets the column of the lines below;
// otherwise they are indented by one step.
func (s *typesetter) bracket(at int, block bool, rest []part) bracket {
	if len(rest) > 0 && (rest[0].newlines > 0 || rest[0].Kind == syntax.Comment) {
		base := s.current().indent
		if block { // what comes before it may go on from a bracket
			base = s.statement(base)
		}
		return bracket{base + indentWidth, base, block}
	}
	return bracket{at + 1, at, false}
}

// statement is the column where the statement in work begins, or, within brackets, the line.
func (s *typesetter) statement(line int) int {
	switch n := len(s.open); {
	case n == 0:
		return 0
	case s.open[n-1].block:
		return s.open[n-1].content
	}
	return line
}
