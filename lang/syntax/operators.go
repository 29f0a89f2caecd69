package syntax

import "weft/ops/problem"

// level is a precedence level of the operators between values.
type level struct {
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
	{[]string{"or"}, leftward},
	{[]string{"and"}, leftward},
	{[]string{"not"}, prefix},
	{[]string{"<", "<=", ">", ">=", "==", "!="}, single},
	{[]string{".."}, interval},
	{[]string{"+", "-"}, leftward},
	{[]string{"*", "/"}, leftward},
	{[]string{"-"}, prefix},
	{[]string{"^"}, rightward},
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

const nameParts = "give parts of it names, in statements of their own"

// operation parses operators of at least a level and their operands, by precedence climbing.
func (p *parser) operation(least int) Expr {
	if p.depth++; p.depth > maxNesting {
		panic(mistake(problem.TooComplex, "expression is nested too deeply", nameParts))
	}
	defer func() { p.depth-- }()
	start := p.i
	left := p.operand(least)
	for n := 0; ; n++ {
		at, ok := levelOf(p.peek(0), infixes)
		if !ok || at < least {
			return left
		}
		if n == maxChain {
			panic(mistake(problem.TooComplex, "expression has too many operators", nameParts))
		}
		left = p.infix(left, at, start)
	}
}

// levelOf looks an operator up.
func levelOf(t Token, operators map[string]int) (int, bool) {
	if t.Kind != Punctuation && t.Kind != Keyword {
		return 0, false
	}
	at, ok := operators[t.Text]
	return at, ok
}

// operand parses what stands to the left of an infix operator: a prefix operator and its operand, or a value.
func (p *parser) operand(least int) Expr {
	at, ok := levelOf(p.peek(0), prefixes)
	if !ok {
		return p.postfix()
	}
	if op := p.peek(0).Text; at < least {
		panic(mistake(problem.NotNeedsParentheses, "`"+op+"` needs parentheses here", "write `("+op+" ...)`"))
	}
	start := p.i
	u := &Unary{Operator: p.operator(), Operand: p.operation(at)}
	u.extent = p.since(start)
	return u
}

// infix parses an operator at a level and its right operand.
func (p *parser) infix(left Expr, at, start int) Expr {
	op := p.operator()
	next := at + 1
	if levels[at].form == rightward {
		next = prefixes["-"] // a ^ -b needs no parentheses, and a ^ b ^ c goes on to the right
	}
	right := p.operation(next)
	again, ok := levelOf(p.peek(0), infixes)
	switch repeated := ok && again == at; {
	case levels[at].form == interval:
		return p.interval(left, right, start)
	case levels[at].form == single && repeated:
		panic(mistake(problem.ChainedComparison, "comparisons cannot be chained", "join two comparisons with `and`"))
	}
	return &Binary{extent: p.since(start), Operator: op, Left: left, Right: right}
}

// interval parses what follows the two ends of a range.
func (p *parser) interval(left, right Expr, start int) Expr {
	r := &Range{Start: left, End: right}
	switch {
	case p.accept("in"):
		r.Count = p.operation(infixes[".."] + 1)
	case p.accept("by"):
		r.Step = p.operation(infixes[".."] + 1)
	}
	if p.at("..") {
		panic(mistake(problem.ChainedRange, "a range has two ends", "give a step with `by`, or a number of points with `in`"))
	}
	r.extent = p.since(start)
	return r
}

// postfix parses an atom and the calls, indices and fields behind it.
func (p *parser) postfix() Expr {
	start := p.i
	left := p.atom()
	for n := 0; ; n++ {
		if n == maxChain && (p.at("(") || p.at("[") || p.at(".")) {
			panic(mistake(problem.TooComplex, "expression has too many parts", nameParts))
		}
		switch {
		case p.at("("):
			c := &Call{Callee: left, Arguments: p.arguments()}
			c.extent = p.since(start)
			left = c
		case p.at("["):
			x := &Index{Base: left, Selection: p.selection()}
			x.extent = p.since(start)
			left = x
		case p.accept("."):
			f := &Field{Base: left, Name: p.name()}
			f.extent = p.since(start)
			left = f
		default:
			return left
		}
	}
}

func (p *parser) operator() *Operator {
	start := p.i
	text := p.peek(0).Text
	p.i++
	return &Operator{p.since(start), text}
}
