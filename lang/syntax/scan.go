package syntax

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"weft/lang/diag"
	"weft/ops/problem"
)

// Units tells the scanner which names are units. The zero value knows none.
type Units struct {
	IsUnit func(name string) bool // whether a name behind a number is a unit
	Names  func() []string        // names to suggest for a misspelt one; may be nil
}

func (u Units) has(name string) bool { return u.IsUnit != nil && u.IsUnit(name) }

func (u Units) nearest(name string) []string {
	if u.Names == nil {
		return nil
	}
	return diag.Nearest(name, u.Names())
}

// Scan cuts a source into tokens, newlines and comments included, and reports what is no token.
func Scan(src *diag.Source, units Units, diags *diag.List) []Token {
	s := &scanner{src: src, text: src.Text, units: units, diags: diags}
	s.at = len(s.text) - len(strings.TrimPrefix(s.text, "\ufeff"))
	for s.at < len(s.text) {
		s.next()
	}
	return s.tokens
}

type scanner struct {
	src    *diag.Source
	text   string
	at     int // byte offset of the next token
	units  Units
	diags  *diag.List
	tokens []Token
}

func (s *scanner) next() {
	rest := s.text[s.at:]
	switch c := rest[0]; {
	case isBlank(c):
		s.at++
	case c == '\n':
		s.emit(Newline, 1)
	case c == '#':
		s.emit(Comment, len(strings.TrimRight(firstLine(rest), " \t\r")))
	case c == '"':
		s.str()
	case isDigit(c) || c == '.' && len(rest) > 1 && isDigit(rest[1]):
		s.number()
	case nameLength(rest) > 0:
		s.word()
	default:
		s.special()
	}
}

// emit adds a token of n bytes.
func (s *scanner) emit(kind Kind, n int) {
	s.tokens = append(s.tokens, Token{kind, s.text[s.at : s.at+n], s.at})
	s.at += n
}

// span is the next n bytes from an offset.
func (s *scanner) span(from, n int) diag.Span {
	return diag.Span{Source: s.src, Start: from, End: from + n}
}

func (s *scanner) word() {
	n := nameLength(s.text[s.at:])
	kind := Ident
	if isKeyword(s.text[s.at : s.at+n]) {
		kind = Keyword
	}
	s.emit(kind, n)
}

func (s *scanner) special() {
	rest := s.text[s.at:]
	for _, p := range punctuation {
		if strings.HasPrefix(rest, p) {
			s.emit(Punctuation, len(p))
			return
		}
	}
	s.unknown()
}

// foreign gives advice on characters that other languages use.
var foreign = map[rune]string{
	'\'': "strings use double quotes",
	';':  "a statement ends with its line",
	'&':  "logical and is the word `and`",
	'!':  "logical not is the word `not`",
	'%':  "parts of a hundred are written as a number, such as 0.05",
	'$':  "parameters are used by their bare name",
	'`':  "strings use double quotes",
	'“':  "strings use straight double quotes",
	'”':  "strings use straight double quotes",
	'–':  "subtraction uses the hyphen -",
	'−':  "subtraction uses the hyphen -",
	'×':  "multiplication is *",
	'·':  "multiplication is *",
	'°':  "angles are written in deg, temperatures in degC",
	'²':  "powers are written with ^, such as m^2",
	'³':  "powers are written with ^, such as m^3",
	'…':  "a range is written with two points",
	'≤':  "less or equal is <=",
	'≥':  "greater or equal is >=",
	'≠':  "not equal is !=",
	'\\': "a statement goes on with the next line inside brackets, or when that line begins with |",
}

// unknown reports a run of one character that has no meaning.
func (s *scanner) unknown() {
	r, size := utf8.DecodeRuneInString(s.text[s.at:])
	unit := s.text[s.at : s.at+size]
	n := max(size, invalidLength(s.text[s.at:]))
	for strings.HasPrefix(s.text[s.at+n:], unit) {
		n += size
	}
	var d *diag.Diagnostic
	switch line := firstLine(s.text[s.at:]); {
	case r == '\'' && n == 1 && strings.Count(line, "'") > 1:
		n = strings.Index(line[1:], "'") + 2
		d = s.diags.Report(problem.UnknownCharacter, s.span(s.at, n), "unknown character `'`")
	case r == utf8.RuneError && size == 1:
		d = s.diags.Report(problem.UnknownCharacter, s.span(s.at, n), "byte 0x%02x is no text in UTF-8", unit[0])
	case unicode.IsPrint(r):
		d = s.diags.Report(problem.UnknownCharacter, s.span(s.at, n), "unknown character `%c`", r)
	default:
		d = s.diags.Report(problem.UnknownCharacter, s.span(s.at, n), "unknown character %U", r)
	}
	d.Help = foreign[r]
	s.emit(Illegal, n)
}

// str scans a string up to its closing quote, and reports its escapes.
func (s *scanner) str() {
	line := firstLine(s.text[s.at:])
	kind := Text
	for i := 1; i < len(line); {
		switch c := line[i]; {
		case c == '"':
			s.emit(kind, i+1)
			return
		case c == '\\':
			n := escapeLength(line[i:])
			if n == 0 {
				n = min(2, len(line)-i)
				s.diags.Report(problem.BadEscape, s.span(s.at+i, n), "unknown escape `%s` in a string", line[i:i+n]).
					Helpf("a backslash itself is written `\\\\`; paths may use `/`")
				kind = Illegal
			}
			i += n
		default:
			n := invalidLength(line[i:])
			if n > 0 {
				s.diags.Report(problem.UnknownCharacter, s.span(s.at+i, n), "byte 0x%02x is no text in UTF-8", c)
				kind = Illegal
			}
			_, size := utf8.DecodeRuneInString(line[i:])
			i += max(n, size)
		}
	}
	n := len(strings.TrimRight(line, " \t\r"))
	s.diags.Report(problem.UnterminatedString, s.span(s.at, n), "string without end").
		Helpf("a string ends with `\"` on the line where it began")
	s.emit(Illegal, n)
}

// invalidLength is the number of bytes at the start of a text that are no UTF-8.
func invalidLength(text string) int {
	for n := 0; n < len(text); n++ {
		if r, size := utf8.DecodeRuneInString(text[n:]); r != utf8.RuneError || size != 1 {
			return n
		}
	}
	return len(text)
}

// escapes maps the letter of an escape to what it stands for.
var escapes = map[byte]string{'\\': "\\", '"': "\"", 'n': "\n", 't': "\t"}

// escapeLength is the length of the escape that a text begins with, or 0 when it is none.
func escapeLength(text string) int {
	if len(text) < 2 {
		return 0
	}
	if _, ok := escapes[text[1]]; ok {
		return 2
	}
	const unicodeEscape = len(`\u0000`)
	if text[1] != 'u' || len(text) < unicodeEscape || strings.Trim(text[2:unicodeEscape], "0123456789abcdefABCDEF") != "" {
		return 0
	}
	if !utf8.ValidRune(hexRune(text[2:unicodeEscape])) {
		return 0
	}
	return unicodeEscape
}

func isBlank(c byte) bool { return c == ' ' || c == '\t' || c == '\r' }
func isDigit(c byte) bool { return '0' <= c && c <= '9' }

// nameLength is the length in bytes of the name that a text begins with: letters, digits and underscores, not
// beginning with a digit.
func nameLength(text string) int {
	for i, r := range text {
		if !(r == '_' || unicode.IsLetter(r) || i > 0 && unicode.IsDigit(r)) {
			return i
		}
	}
	return len(text)
}

// IsName reports whether a text is a name.
func IsName(text string) bool { return text != "" && nameLength(text) == len(text) }

// blankLength is the length in bytes of the blanks that a text begins with.
func blankLength(text string) int {
	for i := range len(text) {
		if !isBlank(text[i]) {
			return i
		}
	}
	return len(text)
}

func firstLine(text string) string {
	line, _, _ := strings.Cut(text, "\n")
	return line
}
