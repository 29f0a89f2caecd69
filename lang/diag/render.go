package diag

import (
	"fmt"
	"io"
	"strings"

	"weft/ops/problem"
)

// Renderer writes diagnostics as text.
type Renderer struct {
	Color bool // ANSI colours, for terminals
	Limit int  // errors, and warnings, shown before the rest are only counted; 0 shows all
	Width int  // columns a source line may take before it is cut around the span; 0 means 120
}

const defaultWidth = 120

// ANSI colours of the parts of a message.
const (
	reset  = "\x1b[0m"
	bold   = "\x1b[1m"
	red    = "\x1b[1;31m"
	yellow = "\x1b[1;33m"
	cyan   = "\x1b[1;36m"
	green  = "\x1b[1;32m"
)

var severityColors = [...]string{Error: red, Warning: yellow, Note: cyan}

// String renders the list without colour or limit.
func (l *List) String() string {
	var b strings.Builder
	_ = Renderer{}.Write(&b, l) // a Builder never fails
	return b.String()
}

// Write renders the distinct diagnostics of the list in order.
func (r Renderer) Write(w io.Writer, l *List) error {
	var b strings.Builder
	var shown, hidden [len(severityNames)]int
	for _, d := range l.Sorted() {
		if r.Limit > 0 && shown[d.Severity] == r.Limit {
			hidden[d.Severity]++
			continue
		}
		shown[d.Severity]++
		r.render(&b, d)
	}
	for severity, n := range hidden {
		if n > 0 {
			fmt.Fprintf(&b, "%s\n", r.paint(bold, Plural(n, "more "+severityNames[severity])+" not shown"))
		}
	}
	_, err := io.WriteString(w, b.String())
	return err
}

// Summary counts what was found, such as "2 errors, 1 warning", or is empty.
func (l *List) Summary() string {
	var parts []string
	for _, s := range []Severity{Error, Warning} {
		if n := l.Count(s); n > 0 {
			parts = append(parts, Plural(n, s.String()))
		}
	}
	return strings.Join(parts, ", ")
}

// Plural is a count of things: 1 tile, 2 tiles.
func Plural(n int, what string) string {
	if n == 1 {
		return "1 " + what
	}
	if strings.HasSuffix(what, "s") {
		what += "e"
	}
	return fmt.Sprintf("%d %ss", n, what)
}

func (r Renderer) paint(color, text string) string {
	if !r.Color {
		return text
	}
	return color + text + reset
}

func (r Renderer) render(b *strings.Builder, d *Diagnostic) {
	color := severityColors[d.Severity]
	r.header(b, d.Span, r.paint(color, d.Severity.String()+"["+d.Code+"]:")+" "+r.paint(bold, problem.Printable(d.Message)))
	if !d.Span.IsZero() {
		r.snippet(b, d.Span, color)
	}
	for _, rel := range d.Related {
		r.header(b, rel.Span, r.paint(cyan, "note:")+" "+problem.Printable(rel.Message))
	}
	if d.Help != "" {
		fmt.Fprintf(b, "%s %s\n", r.paint(green, "help:"), problem.Printable(d.Help))
	}
}

func (r Renderer) header(b *strings.Builder, s Span, text string) {
	if !s.IsZero() {
		b.WriteString(r.paint(bold, problem.Printable(s.String())+":") + " ")
	}
	b.WriteString(text + "\n")
}

// snippet writes the first line of the span with its columns marked and, when the span ends on another line, that
// line too.
func (r Renderer) snippet(b *strings.Builder, s Span, color string) {
	first := s.Source.LineOf(s.Start)
	last := first
	if s.End > s.Start {
		last = s.Source.LineOf(s.End - 1)
	}
	digits := max(3, len(fmt.Sprint(last)))
	r.markedLine(b, s, first, digits, color)
	if last == first {
		return
	}
	if last > first+1 {
		fmt.Fprintf(b, "%*s\n", digits, "...")
	}
	r.markedLine(b, s, last, digits, color)
}

func (r Renderer) markedLine(b *strings.Builder, s Span, line, digits int, color string) {
	start, end := s.Source.lineBounds(line)
	width := r.Width
	if width == 0 {
		width = defaultWidth
	}
	text, pad, carets := mark(s.Source.Text[start:end], s.Start-start, s.End-start, width)
	fmt.Fprintln(b, strings.TrimRight(fmt.Sprintf("%*d | %s", digits, line, text), " "))
	fmt.Fprintf(b, "%*s | %s%s\n", digits, "", strings.Repeat(" ", pad), r.paint(color, strings.Repeat("^", carets)))
}
