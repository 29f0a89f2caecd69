package syntax

import (
	"slices"

	"weft/lang/diag"
)

// Kind classifies a token.
type Kind int

// Kinds of token. Blanks are no tokens; newlines and comments are.
const (
	Newline Kind = iota
	Comment
	Ident
	Keyword
	Numeral
	Text      // a string with its quotes
	UnitWord  // the name of a unit
	UnitJoin  // * or / between two units
	UnitPower // ^ and a whole number behind a unit
	Punctuation
	Illegal // already reported
)

// keywords are the reserved words.
var keywords = []string{"param", "fn", "true", "false", "and", "or", "not", "in", "by", "if", "then", "else", "use"}

// isKeyword reports whether a word is reserved.
func isKeyword(word string) bool { return slices.Contains(keywords, word) }

// punctuation lists the tokens made of special characters, longer ones first.
var punctuation = []string{
	"..", "<=", ">=", "==", "!=", "->",
	"(", ")", "[", "]", "{", "}", ",", ":", "=", "|", "@", ".", "+", "-", "*", "/", "^", "<", ">",
}

// closers maps an opening bracket to the one that closes it.
var closers = map[string]string{"(": ")", "[": "]", "{": "}"}

// Token is a piece of the source.
type Token struct {
	Kind  Kind
	Text  string // as written
	Start int    // byte offset
}

// End is the byte offset behind the token.
func (t Token) End() int { return t.Start + len(t.Text) }

// Span is where the token stands in its source.
func (t Token) Span(src *diag.Source) diag.Span {
	return diag.Span{Source: src, Start: t.Start, End: t.End()}
}

// is reports whether the token is a given keyword or punctuation.
func (t Token) is(text string) bool {
	return (t.Kind == Punctuation || t.Kind == Keyword) && t.Text == text
}

// opens and closes report whether the token is a bracket.
func (t Token) opens() bool  { return closers[t.Text] != "" && t.Kind == Punctuation }
func (t Token) closes() bool { return t.is(")") || t.is("]") || t.is("}") }

// followed are the words and signs besides operators behind which a statement goes on.
var followed = []string{"=", "->", "in", "by", "if", "then", "else"}

// wantsMore reports whether a value must follow the token: it is an operator, or gives a name its value.
func (t Token) wantsMore() bool {
	_, infix := infixes[t.Text]
	_, pre := prefixes[t.Text]
	return (t.Kind == Punctuation || t.Kind == Keyword) && (infix || pre || slices.Contains(followed, t.Text))
}

// startsOperand reports whether a value may begin with the token, prefix operators aside.
func (t Token) startsOperand() bool {
	switch t.Kind {
	case Ident, Numeral, Text:
		return true
	}
	return t.is("(") || t.is("[") || t.is("true") || t.is("false") || t.is("if")
}

// endsOperand reports whether a value may end with the token.
func (t Token) endsOperand() bool {
	switch t.Kind {
	case Ident, Numeral, Text, UnitWord, UnitPower:
		return true
	}
	return t.closes() || t.is("true") || t.is("false")
}
