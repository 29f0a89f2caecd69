package syntax

import (
	"slices"

	"weft/lang/diag"
	"weft/ops/problem"
)

// sentence holds the tokens of one statement without newlines and comments.
type sentence struct {
	tokens []Token
	broken bool // a mistake in it is reported already
}

// split cuts the tokens of a file into statements. A newline ends a statement unless a bracket is open or the next
// line that is neither blank nor a comment begins with |, or the line ends with an operator. Brackets that do not match are reported.
func split(src *diag.Source, tokens []Token, diags *diag.List) []sentence {
	sp := splitter{src: src, diags: diags}
	continued := beforePipe(tokens)
	for i, t := range tokens {
		switch {
		case t.Kind == Comment:
		case t.Kind == Newline:
			more := continued[i] || sp.unfinished()
			switch inBlock := len(sp.open) > 0 && sp.open[len(sp.open)-1].is("{"); {
			case inBlock && !sp.startsDefinition(tokens[i+1:]):
				if !more {
					sp.separate(t)
				}
			case len(sp.open) == 0 && !more || sp.startsDefinition(tokens[i+1:]):
				sp.end()
			}
		default:
			sp.add(t)
		}
	}
	sp.end()
	return sp.done
}

type splitter struct {
	src     *diag.Source
	diags   *diag.List
	done    []sentence
	current sentence
	open    []Token // brackets not closed yet
}

// separate ends a statement of a block, by a newline.
func (sp *splitter) separate(newline Token) {
	if last := sp.current.tokens[len(sp.current.tokens)-1]; last.Kind != Newline && !last.is("{") {
		sp.current.tokens = append(sp.current.tokens, newline)
	}
}

// unfinished reports whether the line ends with what something must follow.
func (sp *splitter) unfinished() bool {
	n := len(sp.current.tokens)
	return n > 0 && sp.current.tokens[n-1].wantsMore()
}

func (sp *splitter) add(t Token) {
	if n := len(sp.current.tokens); t.is("}") && n > 0 && sp.current.tokens[n-1].Kind == Newline {
		sp.current.tokens = sp.current.tokens[:n-1]
	}
	sp.current.tokens = append(sp.current.tokens, t)
	switch {
	case t.Kind == Illegal:
		sp.current.broken = true
	case t.opens():
		sp.open = append(sp.open, t)
	case t.closes():
		sp.close(t)
	}
}

func (sp *splitter) close(t Token) {
	if len(sp.open) == 0 {
		if !sp.current.broken { // else a bracket of the other kind closed too much
			sp.diags.Report(problem.UnmatchedBracket, t.Span(sp.src), "`%s` closes nothing", t.Text).Helpf("remove it, or write the bracket that it should close")
		}
		sp.current.broken = true
		return
	}
	opener := sp.open[len(sp.open)-1]
	sp.open = sp.open[:len(sp.open)-1]
	if want := closers[opener.Text]; want != t.Text {
		// it closes the nearest bracket of its kind as well, so that the next lines are statements again
		for i, o := range slices.Backward(sp.open) {
			if closers[o.Text] == t.Text {
				sp.open = sp.open[:i]
				break
			}
		}
		sp.diags.Report(problem.UnmatchedBracket, t.Span(sp.src), "`%s` closes `%s`", t.Text, opener.Text).
			Relate(opener.Span(sp.src), "opened here").
			Helpf("write `%s`", want)
		sp.current.broken = true
	}
}

// end finishes the current statement. Only the innermost open bracket is reported: closing it may close the rest.
func (sp *splitter) end() {
	if n := len(sp.open); n > 0 {
		opener := sp.open[n-1]
		if !sp.current.broken {
			sp.diags.Report(problem.UnclosedBracket, opener.Span(sp.src), "`%s` is never closed", opener.Text).
				Helpf("add `%s`", closers[opener.Text])
		}
		sp.current.broken = true
		sp.open = nil
	}
	if len(sp.current.tokens) > 0 {
		sp.done = append(sp.done, sp.current)
	}
	sp.current = sentence{}
}

// beforePipe tells of each token whether the next one that is neither newline nor comment is a pipe.
func beforePipe(tokens []Token) []bool {
	out := make([]bool, len(tokens))
	pipe := false
	for i, t := range slices.Backward(tokens) {
		out[i] = pipe
		if t.Kind != Newline && t.Kind != Comment {
			pipe = t.is("|")
		}
	}
	return out
}

// startsDefinition reports whether a line looks like the start of a definition: param, fn, or a name in the first
// column that gets a value. Inside brackets it means that one of them was left open.
func (sp *splitter) startsDefinition(line []Token) bool {
	if len(line) == 0 {
		return false
	}
	first := line[0].Start
	inFirstColumn := first == 0 || sp.src.Text[first-1] == '\n'
	inBlock := slices.ContainsFunc(sp.open, func(t Token) bool { return t.is("{") })
	switch {
	case line[0].is("param"), line[0].is("fn"):
		return inFirstColumn || !inBlock
	}
	return inFirstColumn && len(line) > 1 && line[0].Kind == Ident && line[1].is("=")
}

// Unfinished reports whether a text needs another line: a bracket is open, or it ends with what something must follow.
func Unfinished(text string, units Units) bool {
	src, diags := diag.NewSource("", text), new(diag.List)
	sp := splitter{src: src, diags: diags}
	for _, t := range Scan(src, units, diags) {
		if t.Kind != Newline && t.Kind != Comment {
			sp.add(t)
		}
	}
	return len(sp.open) > 0 || sp.unfinished()
}
