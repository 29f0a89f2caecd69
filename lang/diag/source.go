// Package diag holds what weft tells a user about a mistake: where it is, what it is, how to mend it.
//
// A [Diagnostic] is plain data: a code from the table in codes.go, a message, a [Span] of a [Source], related
// places and a help line. A [List] collects them, orders them and renders them as text. The package knows nothing
// of the language, of operators or of plans.
package diag

import (
	"fmt"
	"sort"
	"unicode/utf8"
)

// Source is a named text: a pipeline file, or a command-line value that is read as one.
type Source struct {
	Name string // as the user wrote it, shown in every message
	Text string

	lines []int // byte offset of the first byte of each line
}

// NewSource indexes the lines of text. A line ends with "\n" or "\r\n".
func NewSource(name, text string) *Source {
	lines := []int{0}
	for i := 0; i < len(text); i++ {
		if text[i] == '\n' {
			lines = append(lines, i+1)
		}
	}
	return &Source{Name: name, Text: text, lines: lines}
}

// Lines is the number of lines; a text that ends with a newline has an empty last line.
func (s *Source) Lines() int { return len(s.lines) }

// LineStart is the byte at which line n (from 1) begins.
func (s *Source) LineStart(n int) int { return s.lines[n-1] }

// Line returns line n (from 1) without its end.
func (s *Source) Line(n int) string {
	start, end := s.lineBounds(n)
	return s.Text[start:end]
}

// LineSpan is line n (from 1) without its indentation.
func (s *Source) LineSpan(n int) Span {
	start, end := s.lineBounds(max(1, min(n, len(s.lines))))
	for start < end && (s.Text[start] == ' ' || s.Text[start] == '\t') {
		start++
	}
	return Span{s, start, end}
}

func (s *Source) lineBounds(n int) (start, end int) {
	start, end = s.lines[n-1], len(s.Text)
	if n < len(s.lines) {
		end = s.lines[n] - 1
	}
	if end > start && s.Text[end-1] == '\r' {
		end--
	}
	return start, end
}

// LineOf returns the number (from 1) of the line that holds a byte offset.
func (s *Source) LineOf(offset int) int {
	return sort.Search(len(s.lines), func(i int) bool { return s.lines[i] > offset })
}

// Position is a place as people count: lines and columns from 1, columns in characters.
type Position struct{ Line, Column int }

// Position converts a byte offset. Offsets outside the text are moved to its ends.
func (s *Source) Position(offset int) Position {
	offset = max(0, min(offset, len(s.Text)))
	line := s.LineOf(offset)
	return Position{line, utf8.RuneCountInString(s.Text[s.lines[line-1]:offset]) + 1}
}

// Span is the half-open byte range [Start, End) of a source. A span with Start == End points between two bytes.
// The zero Span is nowhere: a message that belongs to no text.
type Span struct {
	Source     *Source
	Start, End int
}

// IsZero reports whether the span points nowhere.
func (s Span) IsZero() bool { return s.Source == nil }

// Text is the part of the source that the span covers.
func (s Span) Text() string {
	if s.IsZero() {
		return ""
	}
	return s.Source.Text[s.Start:s.End]
}

// Position is where the span starts.
func (s Span) Position() Position {
	if s.IsZero() {
		return Position{}
	}
	return s.Source.Position(s.Start)
}

// To returns the span from the start of s to the end of t, which is in the same source.
func (s Span) To(t Span) Span {
	return Span{s.Source, min(s.Start, t.Start), max(s.End, t.End)}
}

// After returns the empty span just behind s.
func (s Span) After() Span { return Span{s.Source, s.End, s.End} }

// String is file:line:column, or the empty string for the zero span.
func (s Span) String() string {
	if s.IsZero() {
		return ""
	}
	p := s.Position()
	return fmt.Sprintf("%s:%d:%d", s.Source.Name, p.Line, p.Column)
}
