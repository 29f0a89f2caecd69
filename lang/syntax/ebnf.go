package syntax

import (
	"fmt"
	"strings"
)

// EBNF returns the grammar, a production a line, as the parser holds it. Names in angle brackets are tokens.
func EBNF() string {
	lines := []string{"File = Statement? (<newline> Statement?)* ."}
	for _, line := range strings.Split(withoutLookahead(build().root.String()), "\n")[1:] { // the first is the root
		if strings.HasPrefix(line, "Pipeline ") {
			lines = append(lines, "Expr = Lambda | If | Segment | Pipeline .")
		}
		if strings.HasPrefix(line, "Atom ") {
			lines = append(lines, operations()...)
		}
		lines = append(lines, line)
	}
	return strings.Join(lines, "\n") + "\n"
}

// withoutLookahead removes the groups (?= ...) and (?! ...), which only guide the parser.
func withoutLookahead(grammar string) string {
	for {
		start := strings.Index(grammar, "(?")
		if start < 0 {
			return grammar
		}
		end, depth := start, 0
		for {
			if !strings.HasPrefix(grammar[end:], `"`) {
				depth += strings.Count(grammar[end:end+1], "(") - strings.Count(grammar[end:end+1], ")")
			} else {
				end += strings.Index(grammar[end+1:], `"`) + 1
			}
			end++
			if depth == 0 {
				break
			}
		}
		grammar = grammar[:start] + strings.TrimPrefix(grammar[end:], " ")
	}
}

// operations writes the precedence table as productions.
func operations() []string {
	lines := []string{"Operation = " + levels[0].name + " ."}
	for i, l := range levels {
		next := "Operand"
		if i+1 < len(levels) {
			next = levels[i+1].name
		}
		lines = append(lines, l.name+" = "+l.production(next)+" .")
	}
	return append(lines, "Operand = Atom Suffix* .")
}

// production is the right side of a level's production, given the name of the next level.
func (l level) production(next string) string {
	quoted := make([]string, len(l.operators))
	for i, op := range l.operators {
		quoted[i] = fmt.Sprintf("%q", op)
	}
	operator := strings.Join(quoted, " | ")
	if len(quoted) > 1 {
		operator = "(" + operator + ")"
	}
	switch l.form {
	case leftward:
		return fmt.Sprintf("%s (%s %s)*", next, operator, next)
	case rightward:
		return fmt.Sprintf("%s (%s %s)?", next, operator, levels[prefixes["-"]].name)
	case single:
		return fmt.Sprintf("%s (%s %s)?", next, operator, next)
	case prefix:
		return fmt.Sprintf("%s %s | %s", operator, l.name, next)
	case interval:
		return fmt.Sprintf(`%s (%s %s (("in" | "by") %s)?)?`, next, operator, next, next)
	}
	panic(fmt.Sprintf("syntax: level %s has no form", l.name))
}
