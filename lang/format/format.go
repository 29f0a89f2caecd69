// Package format lays a pipeline file out in the one style of weft: the formatter behind `weft fmt`.
//
// It keeps every comment, at most one blank line in a row, the line breaks inside brackets, and the choice of which
// pipe stages begin a line, unless a line is too long for its stages. It decides on spaces, indentation, alignment of
// definitions and of comments. It changes no meaning, and formatting its own output changes nothing.
package format

import (
	"strings"

	"github.com/rivo/uniseg"

	"weft/lang/diag"
	"weft/lang/syntax"
)

const (
	lineWidth   = 100 // columns above which pipe stages get lines of their own
	indentWidth = 4
	deepestPipe = 24 // column behind which stages are not aligned with = or the first pipe
)

// Source formats a file. With syntax errors, which it reports, it returns false and the text unchanged.
func Source(src *diag.Source, units syntax.Units, diags *diag.List) (string, bool) {
	var own diag.List
	file := syntax.Parse(src, units, &own)
	diags.Add(own.Sorted()...)
	if own.HasErrors() {
		return src.Text, false
	}
	tokens := syntax.Scan(src, units, &diag.List{}) // the parser has reported what there is to report
	return print(arrange(blocks(file, tokens))), true
}

// block is a statement, or a comment on a line of its own, at the top of a file.
type block struct {
	statement syntax.Statement // nil for a comment
	parts     []part
	blank     bool   // a blank line stands before it
	trailing  string // the comment behind it on its last line
}

// part is a token or comment of a block with the line breaks before it.
type part struct {
	syntax.Token
	newlines int
}

// blocks groups tokens by statement, and finds where comments belong.
func blocks(file *syntax.File, tokens []syntax.Token) []*block {
	var out []*block
	statements := file.Statements
	newlines := 0
	for _, t := range tokens {
		if t.Kind == syntax.Newline {
			newlines++
			continue
		}
		for len(statements) > 0 && t.Start >= statements[0].Span().End {
			statements = statements[1:]
		}
		inside := len(statements) > 0 && t.Start >= statements[0].Span().Start
		switch {
		case inside && t.Start > statements[0].Span().Start:
			last := out[len(out)-1]
			last.parts = append(last.parts, part{t, newlines})
		case inside:
			out = append(out, &block{statement: statements[0], parts: []part{{t, 0}}, blank: newlines > 1})
		case newlines == 0 && len(out) > 0:
			out[len(out)-1].trailing = t.Text
		default:
			out = append(out, &block{parts: []part{{t, 0}}, blank: newlines > 1})
		}
		newlines = 0
	}
	if len(out) > 0 {
		out[0].blank = false
	}
	return out
}

// line is a line of the result.
type line struct {
	indent  int
	text    string
	comment string // behind the text, or alone
	blank   bool   // a blank line stands before it
}

// print writes lines, with the comments behind neighbouring lines in one column.
func print(lines []line) string {
	var b strings.Builder
	for i := 0; i < len(lines); {
		end := i + 1
		for lines[i].trails() && end < len(lines) && lines[end].trails() && !lines[end].blank {
			end++
		}
		column := 0
		for _, l := range lines[i:end] {
			column = max(column, l.width())
		}
		for _, l := range lines[i:end] {
			l.write(&b, column)
		}
		i = end
	}
	return b.String()
}

// trails reports whether a comment stands behind text.
func (l line) trails() bool { return l.text != "" && l.comment != "" }

// width is the number of columns without the comment.
func (l line) width() int { return l.indent + columns(l.text) }

// write prints a line with its comment behind a column.
func (l line) write(b *strings.Builder, column int) {
	if l.blank {
		b.WriteByte('\n')
	}
	b.WriteString(strings.Repeat(" ", l.indent))
	b.WriteString(l.text)
	if l.trails() {
		b.WriteString(strings.Repeat(" ", column-l.width()+2))
	}
	b.WriteString(l.comment)
	b.WriteByte('\n')
}

// columns is the display width of a text.
func columns(text string) int { return uniseg.StringWidth(text) }
