package diag

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strings"
)

// Severity orders diagnostics by what they do to a run.
type Severity int

// An Error stops the run, a Warning does not, a Note only informs.
const (
	Error Severity = iota
	Warning
	Note
)

var severityNames = [...]string{Error: "error", Warning: "warning", Note: "note"}

func (s Severity) String() string { return severityNames[s] }

// Related is a second place that helps to understand a diagnostic, such as an earlier definition.
type Related struct {
	Span    Span
	Message string
}

// Diagnostic is one thing to tell the user.
type Diagnostic struct {
	Code     string // of the table in codes.go
	Severity Severity
	Message  string // what is wrong, in one line without a full stop
	Span     Span
	Related  []Related
	Help     string   // what to do about it; may be empty
	Instead  []string // what may have been meant, to be written in place of the span
}

// Relate adds a second place and returns d, so that calls chain.
func (d *Diagnostic) Relate(span Span, format string, args ...any) *Diagnostic {
	d.Related = append(d.Related, Related{span, fmt.Sprintf(format, args...)})
	return d
}

// Helpf sets the help line and returns d, so that calls chain.
func (d *Diagnostic) Helpf(format string, args ...any) *Diagnostic {
	d.Help = fmt.Sprintf(format, args...)
	return d
}

// Suggest sets the help line to "did you mean" when there is a name to offer.
// The caller offers only names that mend the program.
func (d *Diagnostic) Suggest(names ...string) *Diagnostic {
	if len(names) == 0 {
		return d
	}
	quoted := make([]string, len(names))
	for i, n := range names {
		quoted[i] = "`" + n + "`"
	}
	d.Instead = names
	return d.Helpf("did you mean %s?", strings.Join(quoted, " or "))
}

// Error makes a diagnostic usable as an error: one line, with place and code.
func (d *Diagnostic) Error() string {
	head := d.Severity.String() + "[" + d.Code + "]: " + d.Message
	if d.Span.IsZero() {
		return head
	}
	return d.Span.String() + ": " + head
}

// List collects the diagnostics of a run of the front end. The zero List is ready to use.
type List struct {
	items []*Diagnostic
}

// Report adds a diagnostic with the severity that the table gives to its code, and returns it for more detail.
// It panics when the code is not in the table: that is a mistake of the programmer.
func (l *List) Report(code string, span Span, format string, args ...any) *Diagnostic {
	c, ok := Lookup(code)
	if !ok {
		panic("diag: code " + code + " is not in the table")
	}
	d := &Diagnostic{Code: code, Severity: c.Severity, Message: fmt.Sprintf(format, args...), Span: span}
	l.Add(d)
	return d
}

// Add appends diagnostics.
func (l *List) Add(ds ...*Diagnostic) { l.items = append(l.items, ds...) }

// Len is the number of diagnostics collected, duplicates included.
func (l *List) Len() int { return len(l.items) }

// Count is the number of distinct diagnostics of a severity.
func (l *List) Count(s Severity) int {
	n := 0
	for _, d := range l.Sorted() {
		if d.Severity == s {
			n++
		}
	}
	return n
}

// HasErrors reports whether anything collected stops the run.
func (l *List) HasErrors() bool {
	return slices.ContainsFunc(l.items, func(d *Diagnostic) bool { return d.Severity == Error })
}

// Sorted returns the distinct diagnostics by source name, position, severity and code. Diagnostics of no
// source come first. Two are the same when code, span and message are.
func (l *List) Sorted() []*Diagnostic {
	out := slices.Clone(l.items)
	slices.SortStableFunc(out, compare)
	return slices.CompactFunc(out, func(a, b *Diagnostic) bool {
		return a.Code == b.Code && a.Span == b.Span && a.Message == b.Message
	})
}

func compare(a, b *Diagnostic) int {
	return cmp.Or(
		cmp.Compare(sourceName(a.Span), sourceName(b.Span)),
		cmp.Compare(a.Span.Start, b.Span.Start),
		cmp.Compare(a.Severity, b.Severity),
		cmp.Compare(a.Code, b.Code),
		cmp.Compare(a.Span.End, b.Span.End),
		cmp.Compare(a.Message, b.Message),
	)
}

func sourceName(s Span) string {
	if s.IsZero() {
		return ""
	}
	return s.Source.Name
}

// Err returns nil when no error was collected, and otherwise an error that joins them all, one a line.
func (l *List) Err() error {
	var errs []error
	for _, d := range l.Sorted() {
		if d.Severity == Error {
			errs = append(errs, d)
		}
	}
	return errors.Join(errs...)
}
