package syntax

import "weft/lang/diag"

// Parse turns a source into its tree and reports every syntax error. A statement with an error becomes a *Bad, save
// for an unknown unit, which leaves the tree whole.
func Parse(src *diag.Source, units Units, diags *diag.List) *File {
	file := &File{Source: src}
	for _, s := range split(src, Scan(src, units, diags), diags) {
		file.Statements = append(file.Statements, parseStatement(src, s, diags))
	}
	return file
}

// parseStatement parses one statement.
func parseStatement(src *diag.Source, s sentence, diags *diag.List) (out Statement) {
	if s.broken {
		return bad(src, s.tokens)
	}
	p := &parser{src: src, tokens: s.tokens}
	defer func() {
		switch f := recover().(type) {
		case nil:
		case *failure:
			explain(src, s.tokens, p.i, f, diags)
			out = bad(src, s.tokens)
		default:
			panic(f)
		}
	}()
	out = p.statement()
	if p.i < len(p.tokens) {
		panic(&failure{})
	}
	return out
}

// bad makes the stand-in for a statement with errors.
func bad(src *diag.Source, tokens []Token) *Bad {
	b := &Bad{extent: extent{tokens[0].Span(src).To(tokens[len(tokens)-1].Span(src))}}
	name := tokens
	if tokens[0].is("param") || tokens[0].is("fn") {
		name = tokens[1:]
	} else if len(tokens) < 2 || !tokens[1].is("=") {
		return b
	}
	if len(name) > 0 && name[0].Kind == Ident {
		b.Name = &Name{extent{name[0].Span(src)}, name[0].Text}
	}
	return b
}

// parser is a recursive descent through the tokens of a statement. Every alternative is chosen by the next token or two, so the
// first token that fits nothing is the mistake: it ends the descent by a panic with a failure.
type parser struct {
	src    *diag.Source
	tokens []Token
	i      int // the next one
	depth  int // of operations inside operations
}

// peek is a token ahead; beyond the end the zero Token, which is nothing.
func (p *parser) peek(ahead int) Token {
	if p.i+ahead < len(p.tokens) {
		return p.tokens[p.i+ahead]
	}
	return Token{}
}

func (p *parser) at(text string) bool { return p.peek(0).is(text) }

// accept takes the next token if it is this one.
func (p *parser) accept(text string) bool {
	if !p.at(text) {
		return false
	}
	p.i++
	return true
}

func (p *parser) expect(text string) {
	if !p.accept(text) {
		panic(&failure{})
	}
}

// take takes a token of a kind.
func (p *parser) take(kind Kind) Token {
	t := p.peek(0)
	if t.Kind != kind || p.i == len(p.tokens) {
		panic(&failure{})
	}
	p.i++
	return t
}

// since is the extent of what was parsed from a token on.
func (p *parser) since(start int) extent {
	return extent{p.tokens[start].Span(p.src).To(p.tokens[p.i-1].Span(p.src))}
}

func (p *parser) statement() Statement {
	switch {
	case p.accept("param"):
		s := &Param{Name: p.name()}
		p.expect("=")
		s.Value = p.expr()
		s.extent = p.since(0)
		return s
	case p.accept("fn"):
		s := &Function{Name: p.name()}
		p.expect("(")
		p.commas(")", func() { s.Parameters = append(s.Parameters, p.name()) })
		p.expect("=")
		s.Body = p.expr()
		s.extent = p.since(0)
		return s
	case p.peek(0).Kind == Ident && p.peek(1).is("="):
		s := &Assign{Name: p.name()}
		p.expect("=")
		s.Value = p.expr()
		s.extent = p.since(0)
		return s
	}
	s := &Sink{Value: p.expr()}
	s.extent = p.since(0)
	return s
}

// commas parses what stands between commas up to a closing bracket, which it takes.
func (p *parser) commas(closer string, item func()) {
	for !p.at(closer) {
		if item(); !p.accept(",") {
			break
		}
	}
	p.expect(closer)
}

func (p *parser) name() *Name {
	start := p.i
	t := p.take(Ident)
	return &Name{p.since(start), t.Text}
}

// expr parses a pipeline, and returns its head alone when nothing follows it.
func (p *parser) expr() Expr {
	start := p.i
	pipe := &Pipeline{Head: p.operation(0), Annotations: p.annotations()}
	for p.accept("|") {
		pipe.Stages = append(pipe.Stages, p.stage())
	}
	if len(pipe.Annotations) == 0 && len(pipe.Stages) == 0 {
		return pipe.Head
	}
	pipe.extent = p.since(start)
	return pipe
}

func (p *parser) stage() *Stage {
	start := p.i
	path := &Path{Names: []*Name{p.name()}}
	for p.accept(".") {
		path.Names = append(path.Names, p.name())
	}
	path.extent = p.since(start)
	s := &Stage{Operator: path, Arguments: p.optionalArguments(), Annotations: p.annotations()}
	s.extent = p.since(start)
	return s
}

func (p *parser) annotations() (list []*Annotation) {
	for start := p.i; p.accept("@"); start = p.i {
		a := &Annotation{Name: p.name(), Arguments: p.optionalArguments()}
		a.extent = p.since(start)
		list = append(list, a)
	}
	return list
}

func (p *parser) optionalArguments() *Arguments {
	if !p.at("(") {
		return nil
	}
	return p.arguments()
}

func (p *parser) arguments() *Arguments {
	start := p.i
	p.expect("(")
	a := &Arguments{}
	p.commas(")", func() { a.List = append(a.List, p.argument()) })
	a.extent = p.since(start)
	return a
}

// selection has one argument at least.
func (p *parser) selection() *Selection {
	start := p.i
	p.expect("[")
	s := &Selection{}
	if p.at("]") {
		panic(&failure{})
	}
	p.commas("]", func() { s.List = append(s.List, p.argument()) })
	s.extent = p.since(start)
	return s
}

func (p *parser) argument() *Argument {
	start := p.i
	a := &Argument{}
	if p.peek(0).Kind == Ident && p.peek(1).is(":") {
		a.Name = p.name()
		p.expect(":")
	}
	a.Value = p.expr()
	a.extent = p.since(start)
	return a
}

// atom parses a value that no operator divides.
func (p *parser) atom() Expr {
	start := p.i
	switch t := p.peek(0); {
	case t.Kind == Ident:
		return p.name()
	case t.Kind == Numeral:
		return p.number()
	case t.Kind == Text:
		p.i++
		return &String{p.since(start), unquote(t.Text)}
	case p.accept("true"), p.accept("false"):
		return &Bool{p.since(start), t.Text == "true"}
	case p.accept("("):
		g := &Paren{Inner: p.expr()}
		p.expect(")")
		g.extent = p.since(start)
		return g
	}
	p.expect("[")
	l := &List{}
	p.commas("]", func() { l.Items = append(l.Items, p.expr()) })
	l.extent = p.since(start)
	return l
}

func (p *parser) number() *Number {
	start := p.i
	n := &Number{}
	n.Value, n.Whole = numberValue(p.take(Numeral).Text)
	if p.peek(0).Kind == UnitWord {
		unit, at := &Unit{}, p.i
		for k := p.peek(0).Kind; k == UnitWord || k == UnitJoin; k = p.peek(0).Kind {
			unit.Factors = append(unit.Factors, p.unitFactor())
		}
		unit.extent = p.since(at)
		n.Unit = unit
	}
	n.extent = p.since(start)
	return n
}

func (p *parser) unitFactor() *UnitFactor {
	start := p.i
	f := &UnitFactor{Exponent: 1}
	sign := 1
	if p.peek(0).Kind == UnitJoin && p.take(UnitJoin).Text == "/" {
		sign = -1
	}
	at := p.i
	word := p.take(UnitWord)
	f.Name = &UnitName{p.since(at), word.Text}
	if p.peek(0).Kind == UnitPower {
		f.Exponent = exponent(p.take(UnitPower).Text)
	}
	f.Exponent *= sign
	f.extent = p.since(start)
	return f
}
