package syntax

import (
	"errors"
	"unicode/utf8"

	"github.com/alecthomas/participle/v2"

	"weft/lang/diag"
	"weft/ops/problem"
)

// explain reports a statement that participle could not parse. participle knows where; the tokens around that place
// tell what the user meant.
func explain(src *diag.Source, tokens []Token, err error, diags *diag.List) {
	var at participle.Error
	if !errors.As(err, &at) {
		panic(err) // participle returns nothing else for a constant grammar
	}
	s := situate(tokens, at.Position().Offset)
	f, ok := at.(*failure)
	if !ok {
		f = s.diagnose()
	}
	diags.Report(f.code, s.span(src), "%s", f.message).Help = f.help
}

// situation is the surroundings of a syntax error.
type situation struct {
	tokens []Token
	i      int    // the token in error, or len(tokens) at the end of the statement
	at     Token  // tokens[i], or the zero Token
	prev   Token  // the token before it, or the zero Token
	inside nest   // the brackets around it
	level  string // "|" in a pipe stage, "@" behind an annotation, or empty
}

// nest is the kind of the innermost brackets around a place.
type nest int

const (
	nowhere nest = iota
	inGroup
	inCall
	inList
	inIndex
)

// situate describes the place of the token at a byte offset.
func situate(tokens []Token, offset int) situation {
	s := situation{tokens: tokens}
	type frame struct {
		inside nest
		level  string
	}
	stack := []frame{{}}
	for s.i < len(tokens) && tokens[s.i].Start < offset {
		t := tokens[s.i]
		top := &stack[len(stack)-1]
		switch {
		case t.opens():
			stack = append(stack, frame{inside: nestOf(t, s.prev)})
		case t.closes() && len(stack) > 1:
			stack = stack[:len(stack)-1]
		case t.is("|"), t.is("@"):
			top.level = t.Text
		case t.is(","):
			top.level = ""
		}
		s.prev = t
		s.i++
	}
	if s.i < len(tokens) {
		s.at = tokens[s.i]
	}
	s.inside, s.level = stack[len(stack)-1].inside, stack[len(stack)-1].level
	return s
}

func nestOf(opener, before Token) nest {
	behindValue := before.endsOperand()
	switch {
	case opener.is("(") && behindValue:
		return inCall
	case opener.is("("):
		return inGroup
	case behindValue:
		return inIndex
	}
	return inList
}

// ended reports whether the statement ends where a token is missing.
func (s situation) ended() bool { return s.i == len(s.tokens) }

// adjacent reports whether nothing stands between the token in error and the one before it.
func (s situation) adjacent() bool { return s.prev.End() == s.at.Start }

// span is the token in error, or the place behind the last one.
func (s situation) span(src *diag.Source) diag.Span {
	if s.ended() {
		return s.prev.Span(src).After()
	}
	return s.at.Span(src)
}

// found names the token in error.
func (s situation) found() string {
	if s.ended() {
		return "the end of the statement"
	}
	return quote(s.at.Text)
}

// quote shows the text of a token, shortened.
func quote(text string) string {
	const most = 24
	if utf8.RuneCountInString(text) > most {
		text = string([]rune(text)[:most]) + "…"
	}
	return "`" + text + "`"
}

// diagnose finds the first rule that fits.
func (s situation) diagnose() *failure {
	for _, rule := range rules {
		if f := rule(s); f != nil {
			return f
		}
	}
	return &failure{code: problem.UnexpectedToken, message: "unexpected " + s.found()}
}

// rules name the mistakes, the particular ones before the general ones. Each returns nil when it does not apply.
var rules = []func(situation) *failure{
	pairRule, definitionRule, equalsRule, colonRule, keywordRule, pipeRule, nameRule, stageRule, neighbourRule, commaRule, valueRule,
}

func mistake(code, message, help string) *failure {
	return &failure{code: code, message: message, help: help}
}

// mistaken maps two adjacent operators to what the user of another language means by them.
var mistaken = map[string]string{
	"**": "powers are written with `^`",
	"//": "comments start with `#`",
	"||": "logical or is the word `or`",
	"|>": "the pipe is a single `|`",
	"=>": "greater or equal is `>=`",
	"=<": "less or equal is `<=`",
	"<>": "not equal is `!=`",
	"->": "a pipe is written `|`",
	"++": "values do not change; give the new one a name of its own",
	"+=": "values do not change; give the new one a name of its own",
	"-=": "values do not change; give the new one a name of its own",
	"*=": "values do not change; give the new one a name of its own",
	"/=": "not equal is `!=`; values do not change",
}

// pairRule explains operators of other languages.
func pairRule(s situation) *failure {
	pair := s.prev.Text + s.at.Text
	if help := mistaken[pair]; help != "" && !s.ended() && s.adjacent() {
		return mistake(problem.UnexpectedToken, "`"+pair+"` is no operator", help)
	}
	return nil
}

// definitionRule explains the heads of param and fn.
func definitionRule(s situation) *failure {
	first := s.tokens[0]
	const param, fn = "a parameter is defined by `param name = value`", "a function is defined by `fn name(a, b) = expression`"
	form := map[string]string{"param": param, "fn": fn}[first.Text]
	switch {
	case first.Kind != Keyword || form == "" || s.i == 0:
		return nil
	case s.i == 1 && s.at.Kind == Keyword:
		return nil
	case s.i == 1:
		return mistake(problem.MissingName, "expected a name after `"+first.Text+"`, found "+s.found(), form)
	case first.is("param") && s.i == 2:
		return mistake(problem.MissingEquals, "expected `=` after "+quote(s.prev.Text)+", found "+s.found(), form)
	case first.is("fn") && s.i == 2:
		return mistake(problem.UnexpectedToken, "expected the parameters of "+quote(s.prev.Text)+", found "+s.found(), form)
	case first.is("fn") && s.inside == inCall && !s.has("=") && s.prev.Kind == Ident:
		return mistake(problem.MissingComma, "expected `,` or `)`, found "+s.found(), "parameters are names, separated by commas")
	case first.is("fn") && s.inside == inCall && !s.has("=") && s.at.Kind != Keyword:
		return mistake(problem.MissingName, "expected the name of a parameter, found "+s.found(), "parameters are names, separated by commas")
	case first.is("fn") && s.prev.is(")") && !s.has("="):
		return mistake(problem.MissingEquals, "expected `=` after the parameters, found "+s.found(), form)
	}
	return nil
}

// has reports whether a token stands before the one in error.
func (s situation) has(text string) bool {
	for _, t := range s.tokens[:s.i] {
		if t.is(text) {
			return true
		}
	}
	return false
}

func equalsRule(s situation) *failure {
	switch {
	case !s.at.is("="):
		return nil
	case s.inside == inCall || s.inside == inIndex:
		if s.prev.Kind == Ident {
			return mistake(problem.EqualsInArgument, "`=` in an argument", "write `"+s.prev.Text+": value`")
		}
		return mistake(problem.EqualsInArgument, "`=` in an argument", "compare with `==`; name an argument with `:`")
	case s.inside == nowhere && s.i == 1 && s.prev.Kind == Keyword:
		return mistake(problem.KeywordAsName, quote(s.prev.Text)+" is a keyword", "choose another name")
	case s.inside == nowhere && s.prev.endsOperand() && !s.has("="):
		return mistake(problem.BadTarget, "only a name can be given a value", "the left side of `=` is a single name; compare with `==`")
	}
	return mistake(problem.UnexpectedToken, "unexpected `=`", "compare with `==`; a statement defines one name")
}

func colonRule(s situation) *failure {
	if !s.at.is(":") {
		return nil
	}
	switch s.inside {
	case nowhere:
		return mistake(problem.ColonOutsideArguments, "`:` outside the arguments of an operator", "a name gets its value with `=`")
	case inGroup, inList:
		return mistake(problem.ColonOutsideArguments, "`:` outside the arguments of an operator", "only calls and indices have named arguments")
	}
	return mistake(problem.MissingName, "expected a plain name before `:`", "a named argument is written `name: value`")
}

// keywordRule explains a keyword where a value or a name should be, and where nothing should be.
func keywordRule(s situation) *failure {
	switch {
	case s.at.Kind != Keyword:
		return nil
	case s.prev.endsOperand() && (s.at.is("in") || s.at.is("by")):
		return mistake(problem.UnexpectedToken, "`"+s.at.Text+"` without a range", "a range is written `a .. b "+s.at.Text+" n`")
	case s.prev.endsOperand() && (s.at.is("param") || s.at.is("fn")):
		return mistake(problem.UnexpectedToken, "`"+s.at.Text+"` inside a statement", "each statement has its own line")
	case s.prev.endsOperand():
		return nil
	case (s.at.is("and") || s.at.is("or")) && s.prev.Text != "":
		return nil
	}
	return mistake(problem.KeywordAsName, quote(s.at.Text)+" is a keyword", "choose another name")
}

func pipeRule(s situation) *failure {
	switch {
	case s.at.is("|") && s.prev.is("|"):
		return mistake(problem.StrayPipe, "no operator between two pipes", "remove one `|`")
	case s.at.is("|") && s.i == 0:
		return mistake(problem.StrayPipe, "nothing stands before `|`", "a pipe follows the value that it carries")
	case s.at.is("|"):
		return mistake(problem.StrayPipe, "no value between "+quote(s.prev.Text)+" and `|`", "")
	case !s.prev.is("|"):
		return nil
	case s.ended():
		return mistake(problem.StrayPipe, "no operator follows `|`", "put `|` at the start of the next line, or remove it")
	}
	return mistake(problem.StageNotOperator, "expected the name of an operator after `|`, found "+s.found(),
		"the right side of `|` is an operator, such as `envelope` or `decibel(range: 60 dB)`")
}

// nameRule explains missing names behind . and @.
func nameRule(s situation) *failure {
	switch {
	case s.prev.is("."):
		return mistake(problem.MissingName, "expected a name after `.`, found "+s.found(), "")
	case s.prev.is("@"):
		return mistake(problem.MissingName, "expected the name of an annotation after `@`, found "+s.found(), "")
	}
	return nil
}

// stageRule explains operators and indices behind a pipe stage or an annotation.
func stageRule(s situation) *failure {
	_, infix := infixes[s.at.Text]
	operates := s.at.Kind == Punctuation && (infix || s.at.is("[") || s.at.is(".") || s.at.is("(")) ||
		s.at.is("and") || s.at.is("or")
	switch {
	case !operates || !s.prev.endsOperand():
		return nil
	case s.level == "|":
		return mistake(problem.OperatorAfterStage, s.found()+" behind a pipe stage", "put the pipeline in parentheses to calculate with its result")
	case s.level == "@":
		return mistake(problem.OperatorAfterStage, s.found()+" behind an annotation", "put the annotated value in parentheses to calculate with it")
	}
	return nil
}

// neighbourRule explains two values with nothing between them.
func neighbourRule(s situation) *failure {
	if !s.prev.endsOperand() || !(s.at.startsOperand() || s.at.is("not")) {
		return nil
	}
	switch s.inside {
	case inIndex:
		if s.prev.Kind == Ident && s.namesArgument() {
			return mistake(problem.MissingComma, "expected `:` after "+quote(s.prev.Text), "an index is written `[dimension: value]`")
		}
		fallthrough
	case inCall, inList:
		return mistake(problem.MissingComma, "expected `,` before "+s.found(), "separate arguments and items with commas")
	case inGroup:
		return mistake(problem.UnexpectedToken, "expected `)` or an operator before "+s.found(), "")
	}
	if s.i == 1 && s.prev.Kind == Ident && s.at.Kind == Ident && len(s.tokens) > 2 {
		for _, definer := range []struct{ keyword, next string }{{"param", "="}, {"fn", "("}} {
			if s.tokens[2].is(definer.next) && len(diag.Nearest(s.prev.Text, []string{definer.keyword})) > 0 {
				return mistake(problem.UnexpectedToken, "unexpected "+s.found(), "did you mean `"+definer.keyword+"`?")
			}
		}
	}
	help := "each statement has its own line"
	if s.prev.Kind == Ident && s.at.Kind != Ident {
		help = "arguments stand in parentheses: `" + s.prev.Text + "(...)`"
	}
	return mistake(problem.UnexpectedToken, "expected an operator or the end of the line before "+s.found(), help)
}

// namesArgument reports whether the token before the one in error begins an argument.
func (s situation) namesArgument() bool {
	return s.i >= 2 && (s.tokens[s.i-2].opens() || s.tokens[s.i-2].is(","))
}

// commaRule explains commas outside brackets.
func commaRule(s situation) *failure {
	if s.at.is(",") && s.inside == nowhere && s.prev.endsOperand() {
		return mistake(problem.UnexpectedToken, "`,` outside brackets", "a statement defines one name; several outputs make a record, whose parts are `name.part`")
	}
	return nil
}

// valueRule explains a missing value.
func valueRule(s situation) *failure {
	if s.prev.endsOperand() {
		return nil
	}
	switch {
	case s.i == 0 && s.at.is("@"):
		return mistake(problem.MissingValue, "no value before `@`", "annotations stand behind a stage, on its line")
	case s.i == 0:
		return mistake(problem.MissingValue, "no value before "+s.found(), "")
	case s.prev.opens() && s.at.closes():
		return mistake(problem.MissingValue, "nothing stands between the brackets", "")
	case s.ended():
		return mistake(problem.MissingValue, "expected a value after "+quote(s.prev.Text),
			"a statement goes on with the next line inside brackets, or when that line begins with `|`")
	}
	return mistake(problem.MissingValue, "expected a value after "+quote(s.prev.Text)+", found "+s.found(), "")
}
