package syntax

import (
	"errors"
	"io"
	"sync"

	"github.com/alecthomas/participle/v2"
	"github.com/alecthomas/participle/v2/lexer"

	"weft/lang/diag"
	"weft/ops/problem"
)

// Parse turns a source into its tree and reports every syntax error. A statement with an error becomes a *Bad, save
// for an unknown unit, which leaves the tree whole.
func Parse(src *diag.Source, units Units, diags *diag.List) *File {
	file := &File{Source: src}
	g := grammars.Get().(*grammar)
	defer grammars.Put(g)
	for _, s := range split(src, Scan(src, units, diags), diags) {
		file.Statements = append(file.Statements, g.parse(src, s, diags))
	}
	return file
}

// grammar is the parser with the state of the statement in work.
type grammar struct {
	statements  *participle.Parser[Statement]
	annotations *participle.Parser[Annotation]
	stages      *participle.Parser[Stage]
	atoms       *participle.Parser[Atom]
	suffixes    *participle.Parser[Suffix]
	lambdas     *participle.Parser[Lambda]
	ifs         *participle.Parser[If]
	segments    *participle.Parser[Segment]
	root        *participle.Parser[production]

	depth int // of operations inside operations
}

// grammars are those that nobody parses with: building one takes longer than parsing most files.
var grammars = sync.Pool{New: func() any { return build() }}

func build() *grammar {
	g := &grammar{}
	g.root = participle.MustBuild[production](
		participle.Lexer(vocabulary{}),
		participle.UseLookahead(0),
		participle.ParseTypeWith(g.expr),
		participle.ParseTypeWith(func(lex *lexer.PeekingLexer) (Operation, error) { return g.operation(lex, 0) }),
		participle.Union[Statement](&Use{}, &Param{}, &Function{}, &Assign{}, &Sink{}),
		participle.Union[Atom](&Name{}, &Number{}, &String{}, &Bool{}, &List{}, &Record{}, &Paren{}),
		participle.Union[Suffix](&Arguments{}, &Selection{}, &Member{}),
	)
	// Every production that a struct or union names is in the root parser, so it parses any of them.
	g.statements = (*participle.Parser[Statement])(g.root)
	g.annotations = (*participle.Parser[Annotation])(g.root)
	g.stages = (*participle.Parser[Stage])(g.root)
	g.atoms = (*participle.Parser[Atom])(g.root)
	g.suffixes = (*participle.Parser[Suffix])(g.root)
	g.lambdas = (*participle.Parser[Lambda])(g.root)
	g.ifs = (*participle.Parser[If])(g.root)
	g.segments = (*participle.Parser[Segment])(g.root)
	return g
}

func parseWith[P any](lex *lexer.PeekingLexer, p *participle.Parser[P]) (*P, error) {
	return p.ParseFromLexer(lex, participle.AllowTrailing(true))
}

// expr parses a function, a choice, a segment or a pipeline, and returns the head of a pipeline alone when nothing follows it.
func (g *grammar) expr(lex *lexer.PeekingLexer) (Expr, error) {
	g.depth++
	defer func() { g.depth-- }()
	switch t := lex.Peek(); {
	case g.depth > maxNesting:
		return nil, fail(lex, problem.TooComplex, "expression is nested too deeply", nameParts)
	case t.Type == keywordType && t.Value == "if":
		return parseWith(lex, g.ifs)
	case startsLambda(lex):
		return parseWith(lex, g.lambdas)
	case startsSegment(lex):
		return g.segment(lex)
	}
	start := lex.RawCursor()
	head, err := g.operation(lex, 0)
	if err != nil || !punctuated(lex, "@") && !punctuated(lex, "|") {
		return head, err
	}
	p := &Pipeline{Head: head}
	for punctuated(lex, "@") {
		a, err := parseWith(lex, g.annotations)
		if err != nil {
			return nil, err
		}
		p.Annotations = append(p.Annotations, a)
	}
	for punctuated(lex, "|") {
		lex.Next()
		s, err := parseWith(lex, g.stages)
		if err != nil {
			return nil, err
		}
		p.Stages = append(p.Stages, s)
	}
	p.extent = since(lex, start)
	return p, nil
}

func punctuated(lex *lexer.PeekingLexer, text string) bool {
	t := lex.Peek()
	return t.Type == punctuationType && t.Value == text
}

// startsLambda reports whether a name, or names in parentheses, stand before an arrow.
func startsLambda(lex *lexer.PeekingLexer) bool {
	start := lex.MakeCheckpoint()
	defer lex.LoadCheckpoint(start)
	group := punctuated(lex, "(")
	if group {
		lex.Next()
	}
	for lex.Peek().Type == tokenType(Ident) {
		lex.Next()
		if !group || !punctuated(lex, ",") {
			break
		}
		lex.Next()
	}
	if group {
		if !punctuated(lex, ")") {
			return false
		}
		lex.Next()
	}
	return punctuated(lex, "->")
}

// startsSegment reports whether a name stands before the word in.
func startsSegment(lex *lexer.PeekingLexer) bool {
	start := lex.MakeCheckpoint()
	defer lex.LoadCheckpoint(start)
	if lex.Peek().Type != tokenType(Ident) {
		return false
	}
	lex.Next()
	return lex.Peek().Type == keywordType && lex.Peek().Value == "in"
}

// segment parses a part of a dimension, whose ends are those of a range.
func (g *grammar) segment(lex *lexer.PeekingLexer) (Expr, error) {
	start := lex.MakeCheckpoint()
	lex.Next()
	word := *lex.Peek()
	lex.LoadCheckpoint(start)
	s, err := parseWith(lex, g.segments)
	if err != nil {
		return nil, err
	}
	if r, ok := s.Ends.(*Range); !ok || r.Count != nil || r.Step != nil {
		return nil, &failure{word, problem.UnexpectedToken, "`in` behind a name goes with two ends",
			"a part of a dimension is written `" + s.Dim.Text + " in first .. last`; a range is written `a .. b in n`"}
	}
	return s, nil
}

// parse parses one statement.
func (g *grammar) parse(src *diag.Source, s sentence, diags *diag.List) Statement {
	if s.broken {
		return bad(src, s.tokens)
	}
	lex, err := lexer.Upgrade(&feed{tokens: s.tokens})
	if err != nil {
		panic(err) // a feed never fails
	}
	g.depth = 0
	statement, err := g.statements.ParseFromLexer(lex)
	if err != nil {
		explain(src, s.tokens, err, diags)
		return bad(src, s.tokens)
	}
	finish(src, *statement)
	return *statement
}

// bad makes the stand-in for a statement with errors.
func bad(src *diag.Source, tokens []Token) *Bad {
	b := &Bad{}
	b.span = tokens[0].Span(src).To(tokens[len(tokens)-1].Span(src))
	name := tokens
	if tokens[0].is("param") || tokens[0].is("fn") {
		name = tokens[1:]
	} else if len(tokens) < 2 || !tokens[1].is("=") {
		return b
	}
	if len(name) > 0 && name[0].Kind == Ident {
		b.Name = &Name{extent: extent{span: name[0].Span(src)}, Text: name[0].Text}
	}
	return b
}

// failure is a syntax error with its own message. It satisfies participle.Error.
type failure struct {
	at            lexer.Token
	code          string
	message, help string
}

func (f *failure) Error() string            { return f.message }
func (f *failure) Message() string          { return f.message }
func (f *failure) Position() lexer.Position { return f.at.Pos }

// fail makes a failure at the next token.
func fail(lex *lexer.PeekingLexer, code, message, help string) error {
	return &failure{*lex.Peek(), code, message, help}
}

// feed hands the tokens of a statement to participle.
type feed struct {
	tokens []Token
	end    int
}

// Next implements lexer.Lexer.
func (f *feed) Next() (lexer.Token, error) {
	if len(f.tokens) == 0 {
		return lexer.EOFToken(lexer.Position{Offset: f.end}), nil
	}
	t := f.tokens[0]
	f.tokens, f.end = f.tokens[1:], t.End()
	return lexer.Token{Type: tokenType(t.Kind), Value: t.Text, Pos: lexer.Position{Offset: t.Start}}, nil
}

// tokenType is participle's number of a kind; -1 is the end of the statement.
func tokenType(k Kind) lexer.TokenType { return lexer.EOF - 1 - lexer.TokenType(k) }

var punctuationType, keywordType = tokenType(Punctuation), tokenType(Keyword)

// vocabulary names the kinds of token that the grammar mentions.
type vocabulary struct{}

// Symbols implements lexer.Definition.
func (vocabulary) Symbols() map[string]lexer.TokenType {
	return map[string]lexer.TokenType{
		"EOF":         lexer.EOF,
		"Ident":       tokenType(Ident),
		"Keyword":     keywordType,
		"Number":      tokenType(Numeral),
		"String":      tokenType(Text),
		"Unit":        tokenType(UnitWord),
		"UnitJoin":    tokenType(UnitJoin),
		"UnitPower":   tokenType(UnitPower),
		"Newline":     tokenType(Newline),
		"Punctuation": punctuationType,
	}
}

// Lex implements lexer.Definition. Statements are fed token by token instead.
func (vocabulary) Lex(string, io.Reader) (lexer.Lexer, error) {
	return nil, errors.ErrUnsupported
}
