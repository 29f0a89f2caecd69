package syntax

import (
	"errors"

	"github.com/alecthomas/participle/v2/lexer"
)

// What is written as it should be is parsed by hand, by a method a production: in a tenth of the time that the grammar takes, which need not
// even be built. A statement with a mistake is left to the grammar, which says what is wrong with it. A test compares the trees of both.

// errMistaken says that the grammar has to look.
var errMistaken = errors.New("syntax: not as it should be")

// plainly parses a statement by hand; ok is false where it has a mistake.
func (g *grammar) plainly(lex *lexer.PeekingLexer) (s Statement, ok bool) {
	g.depth, g.plain = 0, true
	defer func() { g.plain = false }()
	s, err := g.statement(lex)
	return s, err == nil && lex.Peek().EOF()
}

// word reports whether a keyword comes next.
func word(lex *lexer.PeekingLexer, text string) bool {
	t := lex.Peek()
	return t.Type == keywordType && t.Value == text
}

// skip takes a sign or a keyword that comes next.
func skip(lex *lexer.PeekingLexer, text string) bool {
	there := punctuated(lex, text) || word(lex, text)
	if there {
		lex.Next()
	}
	return there
}

// must takes one that has to come next.
func must(lex *lexer.PeekingLexer, text string) error {
	if !skip(lex, text) {
		return errMistaken
	}
	return nil
}

func nameNext(lex *lexer.PeekingLexer) (*Name, error) {
	start := lex.RawCursor()
	if lex.Peek().Type != tokenType(Ident) {
		return nil, errMistaken
	}
	return &Name{Text: lex.Next().Value, extent: since(lex, start)}, nil
}

// listed takes items with commas between them, and perhaps behind the last one, up to a closing sign, which it takes too.
func listed(lex *lexer.PeekingLexer, closing string, item func() error) error {
	for !skip(lex, closing) {
		if err := item(); err != nil {
			return err
		}
		if !skip(lex, ",") && !punctuated(lex, closing) {
			return errMistaken
		}
	}
	return nil
}

// follows reports whether a token has a type, and a text if one is given.
func follows(lex *lexer.PeekingLexer, kind lexer.TokenType, then string) bool {
	start := lex.MakeCheckpoint()
	defer lex.LoadCheckpoint(start)
	return lex.Next().Type == kind && punctuated(lex, then)
}

func (g *grammar) statement(lex *lexer.PeekingLexer) (Statement, error) {
	start := lex.RawCursor()
	switch {
	case skip(lex, "use"):
		u := &Use{}
		if t := lex.RawCursor(); lex.Peek().Type == tokenType(Text) {
			u.Path = &String{Text: lex.Next().Value, extent: since(lex, t)}
		} else if n, err := nameNext(lex); err == nil {
			u.Library = n
		} else {
			return nil, err
		}
		u.extent = since(lex, start)
		return u, nil
	case skip(lex, "param"):
		q, err := g.parameter(lex)
		if err != nil || q.Dims != nil || q.Default == nil {
			return nil, errMistaken
		}
		return &Param{since(lex, start), q.Name, q.Kind, q.Limits, q.Default}, nil
	case word(lex, "fn"):
		return g.function(lex)
	case follows(lex, tokenType(Ident), "="):
		n, err := nameNext(lex)
		if err != nil {
			return nil, err
		}
		lex.Next()
		v, err := g.expr(lex)
		return &Assign{since(lex, start), n, v}, err
	}
	v, err := g.expr(lex)
	return &Sink{since(lex, start), v}, err
}

func (g *grammar) function(lex *lexer.PeekingLexer) (f *Function, err error) {
	start := lex.RawCursor()
	f = &Function{}
	lex.Next()
	if f.Name, err = nameNext(lex); err != nil {
		return nil, err
	}
	of := lex.RawCursor()
	if err := must(lex, "("); err != nil {
		return nil, err
	}
	f.Parameters = &Parameters{}
	if err := listed(lex, ")", func() error {
		p, err := g.parameter(lex)
		f.Parameters.List = append(f.Parameters.List, p)
		return err
	}); err != nil {
		return nil, err
	}
	f.Parameters.extent = since(lex, of)
	if skip(lex, "=") {
		f.Body, err = g.expr(lex)
	} else {
		f.Block, err = g.block(lex)
	}
	f.extent = since(lex, start)
	return f, err
}

func (g *grammar) parameter(lex *lexer.PeekingLexer) (p *Parameter, err error) {
	start := lex.RawCursor()
	p = &Parameter{}
	if p.Name, err = nameNext(lex); err != nil {
		return nil, err
	}
	if punctuated(lex, "[") {
		if p.Dims, err = dims(lex); err != nil {
			return nil, err
		}
	}
	if skip(lex, "in") {
		if p.Kind, err = constraint(lex); err != nil {
			return nil, err
		}
	}
	for {
		at, sign := lex.RawCursor(), lex.Peek()
		if s := sign.Value; sign.Type != punctuationType || s != "<=" && s != ">=" && s != "<" && s != ">" {
			break
		}
		l := &Limit{Sign: lex.Next().Value, Minus: skip(lex, "-")}
		if l.Number, err = number(lex); err != nil {
			return nil, err
		}
		l.extent = since(lex, at)
		p.Limits = append(p.Limits, l)
	}
	if skip(lex, "=") {
		p.Default, err = g.expr(lex)
	}
	p.extent = since(lex, start)
	return p, err
}

func dims(lex *lexer.PeekingLexer) (*Dims, error) {
	start, d := lex.RawCursor(), &Dims{}
	lex.Next()
	err := listed(lex, "]", func() error {
		n, err := nameNext(lex)
		d.Names = append(d.Names, n)
		return err
	})
	if d.extent = since(lex, start); len(d.Names) == 0 {
		return nil, errMistaken
	}
	return d, err
}

func constraint(lex *lexer.PeekingLexer) (c *Constraint, err error) {
	start := lex.RawCursor()
	c = &Constraint{}
	if punctuated(lex, "[") {
		c.Choices, err = dims(lex)
		c.extent = since(lex, start)
		return c, err
	}
	take := func(kind Kind) bool {
		there := lex.Peek().Type == tokenType(kind)
		if there {
			c.Unit = append(c.Unit, lex.Next().Value)
		}
		return there
	}
	if !take(Ident) {
		return nil, errMistaken
	}
	for punctuated(lex, "*") || punctuated(lex, "/") || punctuated(lex, "^") {
		power := punctuated(lex, "^")
		c.Unit = append(c.Unit, lex.Next().Value)
		if power && punctuated(lex, "-") {
			c.Unit = append(c.Unit, lex.Next().Value)
		}
		if power && !take(Numeral) || !power && !take(Ident) {
			return nil, errMistaken
		}
	}
	c.extent = since(lex, start)
	return c, nil
}

func (g *grammar) block(lex *lexer.PeekingLexer) (*Block, error) {
	start, b := lex.RawCursor(), &Block{}
	if err := must(lex, "{"); err != nil {
		return nil, err
	}
	for !skip(lex, "}") {
		if len(b.Statements) > 0 && lex.Next().Type != tokenType(Newline) {
			return nil, errMistaken
		}
		s, err := g.statement(lex)
		if err != nil {
			return nil, err
		}
		b.Statements = append(b.Statements, s)
	}
	b.extent = since(lex, start)
	return b, nil
}

func (g *grammar) lambda(lex *lexer.PeekingLexer) (*Lambda, error) {
	start, l := lex.RawCursor(), &Lambda{}
	each := func() error {
		n, err := nameNext(lex)
		l.Parameters = append(l.Parameters, n)
		return err
	}
	err := error(nil)
	if skip(lex, "(") {
		err = listed(lex, ")", each)
	} else {
		err = each()
	}
	if err != nil {
		return nil, err
	}
	if err := must(lex, "->"); err != nil {
		return nil, err
	}
	l.Body, err = g.expr(lex)
	l.extent = since(lex, start)
	return l, err
}

func (g *grammar) choice(lex *lexer.PeekingLexer) (*If, error) {
	start, x := lex.RawCursor(), &If{}
	for _, part := range []struct {
		word string
		to   *Expr
	}{{"if", &x.Condition}, {"then", &x.Then}, {"else", &x.Else}} {
		err := must(lex, part.word)
		if err == nil {
			*part.to, err = g.expr(lex)
		}
		if err != nil {
			return nil, err
		}
	}
	x.extent = since(lex, start)
	return x, nil
}

func (g *grammar) annotation(lex *lexer.PeekingLexer) (a *Annotation, err error) {
	start := lex.RawCursor()
	a = &Annotation{}
	if err := must(lex, "@"); err != nil {
		return nil, err
	}
	if a.Name, err = nameNext(lex); err == nil {
		a.Arguments, err = g.arguments(lex)
	}
	a.extent = since(lex, start)
	return a, err
}

// arguments are those behind a name, if there are any.
func (g *grammar) arguments(lex *lexer.PeekingLexer) (*Arguments, error) {
	if !punctuated(lex, "(") {
		return nil, nil
	}
	s, err := g.suffix(lex)
	if err != nil {
		return nil, err
	}
	return s.(*Arguments), nil
}

func (g *grammar) stage(lex *lexer.PeekingLexer) (s *Stage, err error) {
	start := lex.RawCursor()
	s = &Stage{Operator: &Path{}}
	for len(s.Operator.Names) == 0 || skip(lex, ".") {
		n, err := nameNext(lex)
		if err != nil {
			return nil, err
		}
		s.Operator.Names = append(s.Operator.Names, n)
	}
	s.Operator.extent = since(lex, start)
	if s.Arguments, err = g.arguments(lex); err != nil {
		return nil, err
	}
	for punctuated(lex, "@") {
		a, err := g.annotation(lex)
		if err != nil {
			return nil, err
		}
		s.Annotations = append(s.Annotations, a)
	}
	s.extent = since(lex, start)
	return s, nil
}

// part is what segment parses.
func (g *grammar) part(lex *lexer.PeekingLexer) (s *Segment, err error) {
	start := lex.RawCursor()
	s = &Segment{}
	if s.Dim, err = nameNext(lex); err != nil {
		return nil, err
	}
	if err := must(lex, "in"); err != nil {
		return nil, err
	}
	s.Ends, err = g.operation(lex, 0)
	s.extent = since(lex, start)
	return s, err
}

// value is an atom that is no name.
func (g *grammar) value(lex *lexer.PeekingLexer) (*Atom, error) {
	x, err := g.literal(lex)
	return &x, err
}

func (g *grammar) literal(lex *lexer.PeekingLexer) (Atom, error) {
	start, t := lex.RawCursor(), *lex.Peek()
	switch {
	case t.Type == tokenType(Numeral):
		return number(lex)
	case t.Type == tokenType(Text):
		lex.Next()
		return &String{extent: since(lex, start), Text: t.Value}, nil
	case word(lex, "true") || word(lex, "false"):
		lex.Next()
		return &Bool{extent: since(lex, start), Text: t.Value}, nil
	case skip(lex, "["):
		l := &List{}
		err := listed(lex, "]", func() error {
			x, err := g.expr(lex)
			l.Items = append(l.Items, x)
			return err
		})
		l.extent = since(lex, start)
		return l, err
	case skip(lex, "("):
		if follows(lex, tokenType(Ident), ":") {
			r, err := &Record{}, error(nil)
			if r.List, err = g.list(lex); err == nil {
				err = must(lex, ")")
			}
			r.extent = since(lex, start)
			return r, err
		}
		inner, err := g.expr(lex)
		if err == nil {
			err = must(lex, ")")
		}
		return &Paren{since(lex, start), inner}, err
	}
	return nil, errMistaken
}

func number(lex *lexer.PeekingLexer) (*Number, error) {
	start := lex.RawCursor()
	if lex.Peek().Type != tokenType(Numeral) {
		return nil, errMistaken
	}
	n := &Number{Text: lex.Next().Value}
	if isUnit(lex.Peek()) {
		at, u := lex.RawCursor(), &Unit{}
		for isUnit(lex.Peek()) {
			from, f := lex.RawCursor(), &UnitFactor{}
			if lex.Peek().Type == tokenType(UnitJoin) {
				f.Join = lex.Next().Value
			}
			name := lex.RawCursor()
			if lex.Peek().Type != tokenType(UnitWord) {
				return nil, errMistaken
			}
			f.Name = &UnitName{Text: lex.Next().Value, extent: since(lex, name)}
			if lex.Peek().Type == tokenType(UnitPower) {
				f.Power = lex.Next().Value
			}
			f.extent = since(lex, from)
			u.Factors = append(u.Factors, f)
		}
		u.extent = since(lex, at)
		n.Unit = u
	}
	n.extent = since(lex, start)
	return n, nil
}
