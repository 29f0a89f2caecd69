// Package problem is what a person is told is wrong: a code, a sentence, the argument it is about. Every other package of the
// language, the operators and the engine speaks of mistakes by it.
package problem

import (
	"errors"
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Problem is something a user got wrong, or should know. Arg names the argument it is about and, behind a point, one item of
// it (over.1 of a list, index.x of pairs); empty: the call as a whole.
type Problem struct {
	Code    string
	Arg     string
	Message string
	Help    string
	Warning bool
	Known   []string // the names that could stand in place of the one the problem is about
	At      Where    // where in the text, for problems found behind the checker; zero: unknown
}

// Where is a place in a source text.
type Where struct {
	File       string
	Line, Col  int // from 1
	Start, End int // byte offsets
}

func (p Problem) Error() string { return p.Message }

// Wrong makes a Problem about an argument.
func Wrong(code, arg, help, format string, a ...any) Problem {
	return Problem{Code: code, Arg: arg, Help: help, Message: fmt.Sprintf(format, a...)}
}

// Among adds the names that could stand in place of the one the problem is about.
func (p Problem) Among(known []string) Problem { p.Known = known; return p }

// Each are the errors that errors.Join made one of, in order; one alone of any other error, none of nil.
func Each(err error) []error {
	if joined, ok := err.(interface{ Unwrap() []error }); ok {
		var all []error
		for _, e := range joined.Unwrap() {
			all = append(all, Each(e)...)
		}
		return all
	}
	if err == nil {
		return nil
	}
	return []error{err}
}

// Printable is a text in which what would steer a terminal, or is no UTF-8, is written as an escape.
func Printable(text string) string {
	var b strings.Builder
	for i, c := range text {
		switch _, size := utf8.DecodeRuneInString(text[i:]); {
		case c == utf8.RuneError && size == 1:
			fmt.Fprintf(&b, `\x%02x`, text[i])
		case unicode.IsControl(c) && c != '\n' && c != '\t', unicode.Is(unicode.Bidi_Control, c):
			fmt.Fprintf(&b, `\u%04x`, c)
		default:
			b.WriteRune(c)
		}
	}
	return b.String()
}

// Has reports an error that is, or wraps, a problem of this code.
func Has(err error, code string) bool {
	var p Problem
	return errors.As(err, &p) && p.Code == code
}
