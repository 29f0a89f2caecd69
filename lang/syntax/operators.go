package syntax

import (
	"github.com/alecthomas/participle/v2/lexer"

	"weft/ops/problem"
)

// level is a precedence level of the operators between values.
type level struct {
	name      string // of the production in the EBNF
	operators []string
	form      form
}

// form is how the operators of a level combine.
type form int

const (
	leftward  form = iota // a - b - c is (a - b) - c
	rightward             // a ^ b ^ c is a ^ (b ^ c)
	single                // a < b < c is a mistake
	prefix                // one operand, behind the operator
	interval              // a .. b, with in or by
)

// levels lists the operators from the weakest to the strongest. The pipe is weaker, calls, indices and fields
// are stronger.
var levels = []level{
	{"Disjunction", []string{"or"}, leftward},
	{"Conjunction", []string{"and"}, leftward},
	{"Negation", []string{"not"}, prefix},
	{"Comparison", []string{"<", "<=", ">", ">=", "==", "!="}, single},
	{"Range", []string{".."}, interval},
	{"Sum", []string{"+", "-"}, leftward},
	{"Product", []string{"*", "/"}, leftward},
	{"Sign", []string{"-"}, prefix},
	{"Power", []string{"^"}, rightward},
}

// infixes and prefixes map an operator to its level.
var infixes, prefixes = operatorLevels()

func operatorLevels() (infix, pre map[string]int) {
	infix, pre = map[string]int{}, map[string]int{}
	for i, l := range levels {
		for _, op := range l.operators {
			if l.form == prefix {
				pre[op] = i
			} else {
				infix[op] = i
			}
		}
	}
	return infix, pre
}

// Bounds on the depth of the tree, so that whatever walks it may recurse.
const (
	maxNesting = 256  // operations inside operations
	maxChain   = 2000 // operators, or suffixes, of one chain
)

// operation parses operators of at least a level and their operands, by precedence climbing.
func (g *grammar) operation(lex *lexer.PeekingLexer, least int) (Expr, error) {
	g.depth++
	defer func() { g.depth-- }()
	if g.depth > maxNesting {
		return nil, fail(lex, problem.TooComplex, "expression is nested too deeply", nameParts)
	}
	start := lex.RawCursor()
	left, err := g.operand(lex, least)
	if err != nil {
		return nil, err
	}
	for n := 0; ; n++ {
		at, ok := levelOf(lex.Peek(), infixes)
		if !ok || at < least {
			return left, nil
		}
		if n == maxChain {
			return nil, fail(lex, problem.TooComplex, "expression has too many operators", nameParts)
		}
		if left, err = g.infix(lex, left, at, start); err != nil {
			return nil, err
		}
	}
}

const nameParts = "give parts of it names, in statements of their own"

// levelOf looks an operator up.
func levelOf(t *lexer.Token, operators map[string]int) (int, bool) {
	if t.Type != punctuationType && t.Type != keywordType {
		return 0, false
	}
	at, ok := operators[t.Value]
	return at, ok
}

// operand parses what stands to the left of an infix operator: a prefix operator and its operand, or a value.
func (g *grammar) operand(lex *lexer.PeekingLexer, least int) (Expr, error) {
	at, ok := levelOf(lex.Peek(), prefixes)
	if !ok {
		return g.postfix(lex)
	}
	start := lex.RawCursor()
	if op := lex.Peek().Value; at < least {
		return nil, fail(lex, problem.NotNeedsParentheses, "`"+op+"` needs parentheses here", "write `("+op+" ...)`")
	}
	op := operator(lex)
	operand, err := g.operation(lex, at)
	if err != nil {
		return nil, err
	}
	return &Unary{extent: since(lex, start), Operator: op, Operand: operand}, nil
}

// infix parses an operator at a level and its right operand.
func (g *grammar) infix(lex *lexer.PeekingLexer, left Expr, at int, start lexer.RawCursor) (Expr, error) {
	op := operator(lex)
	next := at + 1
	if levels[at].form == rightward {
		next = prefixes["-"] // a ^ -b needs no parentheses, and a ^ b ^ c goes on to the right
	}
	right, err := g.operation(lex, next)
	if err != nil {
		return nil, err
	}
	again, ok := levelOf(lex.Peek(), infixes)
	switch repeated := ok && again == at; {
	case levels[at].form == interval:
		return g.interval(lex, left, right, start)
	case levels[at].form == single && repeated:
		return nil, fail(lex, problem.ChainedComparison, "comparisons cannot be chained", "join two comparisons with `and`")
	}
	return &Binary{extent: since(lex, start), Operator: op, Left: left, Right: right}, nil
}

// interval parses what follows the two ends of a range.
func (g *grammar) interval(lex *lexer.PeekingLexer, left, right Expr, start lexer.RawCursor) (Expr, error) {
	r := &Range{Start: left, End: right}
	target := map[string]*Expr{"in": &r.Count, "by": &r.Step}[lex.Peek().Value]
	if target != nil && lex.Peek().Type == keywordType {
		lex.Next()
		var err error
		if *target, err = g.operation(lex, infixes[".."]+1); err != nil {
			return nil, err
		}
	}
	if t := lex.Peek(); t.Type == punctuationType && t.Value == ".." {
		return nil, fail(lex, problem.ChainedRange, "a range has two ends", "give a step with `by`, or a number of points with `in`")
	}
	r.extent = since(lex, start)
	return r, nil
}

// postfix parses an atom and the calls, indices and fields behind it.
func (g *grammar) postfix(lex *lexer.PeekingLexer) (Expr, error) {
	start := lex.RawCursor()
	left, err := g.atom(lex)
	if err != nil {
		return nil, err
	}
	for n := 0; startsSuffix(lex.Peek()); n++ {
		if n == maxChain {
			return nil, fail(lex, problem.TooComplex, "expression has too many parts", nameParts)
		}
		suffix, err := g.suffix(lex)
		if err != nil {
			return nil, err
		}
		left = suffix.apply(left)
		*left.extents() = since(lex, start)
	}
	return left, nil
}

// atom parses a name or a plain number, which most atoms are, by its token, and others by the grammar.
func (g *grammar) atom(lex *lexer.PeekingLexer) (Expr, error) {
	start, t := lex.RawCursor(), *lex.Peek()
	switch t.Type {
	case tokenType(Ident):
		lex.Next()
		return &Name{extent: since(lex, start), Text: t.Value}, nil
	case tokenType(Numeral):
		before := lex.MakeCheckpoint()
		if lex.Next(); !isUnit(lex.Peek()) {
			return &Number{extent: since(lex, start), Text: t.Value}, nil
		}
		lex.LoadCheckpoint(before)
	}
	atom, err := parseWith(lex, g.atoms)
	if err != nil {
		return nil, err
	}
	return *atom, nil
}

// suffix parses what stands behind an atom. One that is not as it should be is left to the grammar, which says what is wrong with it.
func (g *grammar) suffix(lex *lexer.PeekingLexer) (Suffix, error) {
	start, before := lex.RawCursor(), lex.MakeCheckpoint()
	switch t := lex.Next(); t.Value {
	case ".":
		if name := lex.RawCursor(); lex.Peek().Type == tokenType(Ident) {
			n := &Name{Text: lex.Next().Value, extent: since(lex, name)}
			return &Member{extent: since(lex, start), Name: n}, nil
		}
	case "(", "[":
		list, err := g.list(lex)
		switch closed := punctuated(lex, closers[t.Value]); {
		case err != nil:
			return nil, err
		case closed && t.Value == "(":
			lex.Next()
			return &Arguments{extent: since(lex, start), List: list}, nil
		case closed && len(list) > 0:
			lex.Next()
			return &Selection{extent: since(lex, start), List: list}, nil
		}
	}
	lex.LoadCheckpoint(before)
	suffix, err := parseWith(lex, g.suffixes)
	if err != nil {
		return nil, err
	}
	return *suffix, nil
}

// list parses arguments with commas between them, and behind the last one, as far as they go.
func (g *grammar) list(lex *lexer.PeekingLexer) (out []*Argument, err error) {
	for !punctuated(lex, ")") && !punctuated(lex, "]") {
		a, start, before := &Argument{}, lex.RawCursor(), lex.MakeCheckpoint()
		if lex.Peek().Type == tokenType(Ident) {
			a.Name = &Name{Text: lex.Next().Value, extent: since(lex, start)}
			if punctuated(lex, ":") {
				lex.Next()
			} else {
				lex.LoadCheckpoint(before)
				a.Name = nil
			}
		}
		if a.Value, err = g.expr(lex); err != nil {
			return nil, err
		}
		a.extent = since(lex, start)
		if out = append(out, a); !punctuated(lex, ",") {
			return out, nil
		}
		lex.Next()
	}
	return out, nil
}

func isUnit(t *lexer.Token) bool {
	return t.Type == tokenType(UnitJoin) || t.Type == tokenType(UnitWord)
}

func startsSuffix(t *lexer.Token) bool {
	return t.Type == punctuationType && (t.Value == "(" || t.Value == "[" || t.Value == ".")
}

func operator(lex *lexer.PeekingLexer) *Operator {
	start := lex.RawCursor()
	text := lex.Next().Value
	return &Operator{extent: since(lex, start), Text: text}
}

// since is the extent of the tokens parsed from a cursor on.
func since(lex *lexer.PeekingLexer, start lexer.RawCursor) extent {
	return extent{Tokens: lex.Range(start, lex.RawCursor())}
}
