package syntax

import (
	"fmt"
	"strings"
	"testing"

	"weft/lang/diag"
	"weft/ops/problem"
)

// mistakes are programs with the place of each error marked by «», and what is said there, one error a line.
var mistakes = []struct{ marked, want string }{
	// Characters, strings, numbers.
	{"show(«''»a«'»)", "E0101 unknown character `'` / strings use double quotes\nE0101 unknown character `'` / strings use double quotes"},
	{"show(«''''''»)", "E0101 unknown character `'` / strings use double quotes"},
	{"a = 1«;»", "E0101 unknown character `;` / a statement ends with its line"},
	{"a «&&» b", "E0101 unknown character `&` / logical and is the word `and`"},
	{"a = «\x00»", "E0101 unknown character U+0000"},
	{"a = «\xff\xff»", "E0101 byte 0xff is no text in UTF-8"},
	{"a = \"b«\xff»\"", "E0101 byte 0xff is no text in UTF-8"},
	{"a = f(«\"b, c)»  \nb = 1", "E0102 string without end / a string ends with `\"` on the line where it began"},
	{`a = "c:«\d»ata"`, "E0103 unknown escape `\\d` in a string / a backslash itself is written `\\\\`; paths may use `/`"},
	{`a = "«\u»12"`, "E0103 unknown escape `\\u` in a string / a backslash itself is written `\\\\`; paths may use `/`"},
	{"a = «1.2.3»", "E0104 malformed number `1.2.3` / numbers are written 1, 1.5, .5, 1e-3 or 1_000"},
	{"a = «1e»", "E0104 malformed number `1e` / numbers are written 1, 1.5, .5, 1e-3 or 1_000"},
	{"a = «1e-» * 2", "E0104 malformed number `1e-` / numbers are written 1, 1.5, .5, 1e-3 or 1_000"},
	{"a = «1.»", "E0104 malformed number `1.` / numbers are written 1, 1.5, .5, 1e-3 or 1_000"},
	{"a = «1__0»", "E0104 malformed number `1__0` / numbers are written 1, 1.5, .5, 1e-3 or 1_000"},
	{"a = «1e999»", "E0104 number `1e999` is too large"},
	{"a = «9223372036854775808»", "E0104 number `9223372036854775808` is too large"},
	{"a = «9007199254740993»", "E0104 whole number `9007199254740993` cannot be held exactly: beyond 2^53 not every one can / write `9007199254740993.0` for the number nearest to it"},
	{"a = «1e-999»", "E0104 number `1e-999` is too small to tell from zero"},

	// Brackets.
	{"a = f«(»b\nc = 2", "E0105 `(` is never closed / add `)`"},
	{"a = f«(»b", "E0105 `(` is never closed / add `)`"},
	{"a = f(«[»b\nparam c = 2", "E0105 `[` is never closed / add `]`"},
	{"a = [1«)»\nb = 2", "E0106 `)` closes `[` / write `]`"},
	{"a = 1«]»", "E0106 `]` closes nothing / remove it, or write the bracket that it should close"},

	// Values.
	{"a =«»", "E0107 expected a value after `=` / a statement goes on with the next line inside brackets, or when that line begins with `|`"},
	{"a = 1 +«»\nb = 2", "E0107 expected a value after `+` / a statement goes on with the next line inside brackets, or when that line begins with `|`"},
	{"a = (1 + «)»", "E0107 expected a value after `+`, found `)`"},
	{"a = f(b, -«)»", "E0107 expected a value after `-`, found `)`"},
	{"a = f(-«)»", "E0107 expected a value after `-`, found `)`"},
	{"a = f((«)»)", "E0107 nothing stands between the brackets"},
	{"a = f(b,«,» c)", "E0107 expected a value after `,`, found `,`"},
	{"a = f(b: «)»", "E0107 expected a value after `:`, found `)`"},
	{"a = f(b: c + «,» d)", "E0107 expected a value after `+`, found `,`"},
	{"a = b[«]»", "E0107 nothing stands between the brackets"},
	{"a = («)»", "E0107 nothing stands between the brackets"},
	{"«*» 2", "E0107 no value before `*`"},
	{"a = b *«*» 2", "E0116 `**` is no operator / powers are written with `^`"},
	{"a = b /«/» why", "E0116 `//` is no operator / comments start with `#`"},
	{"a = 1 .. «in» 5", "E0115 `in` is a keyword / choose another name"},
	{"a = b + «and» c", "E0107 expected a value after `+`, found `and`"},

	// Commas, equals, colons.
	{"a = f(b «c»)", "E0108 expected `,` before `c` / separate arguments and items with commas"},
	{"a = f(x: 1 «y»: 2)", "E0108 expected `,` before `y` / separate arguments and items with commas"},
	{"a = f(x: 1 mm «y»: 2)", "E0108 expected `,` before `y` / separate arguments and items with commas"},
	{"a = [1 «2»]", "E0108 expected `,` before `2` / separate arguments and items with commas"},
	{"a = f(\n  b\n  «c»: 2)", "E0108 expected `,` before `c` / separate arguments and items with commas"},
	{"a = f(range «=» 3)", "E0109 `=` in an argument / write `range: value`"},
	{"a = b[x «=» 3]", "E0109 `=` in an argument / write `x: value`"},
	{"a | f @tile(z «=» 3)", "E0109 `=` in an argument / write `z: value`"},
	{"a «:» 3", "E0124 `:` outside the arguments of an operator / a name gets its value with `=`"},
	{"a «:»= 3", "E0124 `:` outside the arguments of an operator / a name gets its value with `=`"},
	{"a = (1«:» 3)", "E0124 `:` outside the arguments of an operator / only calls and indices have named arguments"},
	{"a = [b«:» 3]", "E0124 `:` outside the arguments of an operator / only calls and indices have named arguments"},
	{"a = f(1«:» 3)", "E0118 expected a plain name before `:` / a named argument is written `name: value`"},

	// Pipes.
	{"«|» f", "E0110 nothing stands before `|` / a pipe follows the value that it carries"},
	{"a | «|» f", "E0110 no operator between two pipes / remove one `|`"},
	{"a |«|» b", "E0116 `||` is no operator / logical or is the word `or`"},
	{"a |«»\nf", "E0110 no operator follows `|` / put `|` at the start of the next line, or remove it"},
	{"a = «|» f", "E0110 no value between `=` and `|`"},
	{"a | «2»", "E0111 expected the name of an operator after `|`, found `2` / the right side of `|` is an operator, such as `envelope` or `decibel(range: 60 dB)`"},
	{"a | «(»f)", "E0111 expected the name of an operator after `|`, found `(` / the right side of `|` is an operator, such as `envelope` or `decibel(range: 60 dB)`"},
	{"b = a | f «+» 1", "E0112 `+` behind a pipe stage / put the pipeline in parentheses to calculate with its result"},
	{"b = a | f(x)«[»y: 1]", "E0112 `[` behind a pipe stage / put the pipeline in parentheses to calculate with its result"},
	{"b = a | f(x)«.»y", "E0112 `.` behind a pipe stage / put the pipeline in parentheses to calculate with its result"},
	{"b = a @keep «+» 1", "E0112 `+` behind an annotation / put the annotated value in parentheses to calculate with it"},

	// Operators.
	{"a < b «<» c", "E0113 comparisons cannot be chained / join two comparisons with `and`"},
	{"a == b «!=» c", "E0113 comparisons cannot be chained / join two comparisons with `and`"},
	{"1 .. 2 «..» 3", "E0114 a range has two ends / give a step with `by`, or a number of points with `in`"},
	{"1 .. 2 in 3 «..» 3", "E0114 a range has two ends / give a step with `by`, or a number of points with `in`"},
	{"a == «not» b", "E0120 `not` needs parentheses here / write `(not ...)`"},
	{"a «in» b", "E0116 `in` behind a name goes with two ends / a part of a dimension is written `a in first .. last`; a range is written `a .. b in n`"},
	{"sum(a, over: k «in» 1 .. 2 in 3)", "E0116 `in` behind a name goes with two ends / a part of a dimension is written `k in first .. last`; a range is written `a .. b in n`"},
	{"b = f(x) «in» 1 .. 2", "E0116 `in` without a range / a range is written `a .. b in n`"},
	{"a = 1 .. 2 in 3 «by» 4", "E0116 `by` without a range / a range is written `a .. b by n`"},

	// Statements and names.
	{"«in» = 3", "E0115 `in` is a keyword / choose another name"},
	{"true «=» 3", "E0115 `true` is a keyword / choose another name"},
	{"param «in» = 3", "E0115 `in` is a keyword / choose another name"},
	{"f(«by»: 3)", "E0115 `by` is a keyword / choose another name"},
	{"param «3» = 3", "E0118 expected a name after `param`, found `3` / a parameter is defined by `param name = value`"},
	{"param a«»", "E0119 expected `=` after `a`, found the end of the statement / a parameter is defined by `param name = value`"},
	{"fn f«» ", "E0116 expected the parameters of `f`, found the end of the statement / a function is defined by `fn name(a, b) = expression`"},
	{"fn f(a «b») = 1", "E0108 expected `,` or `)`, found `b` / parameters are names, separated by commas"},
	{"fn f(«3») = 1", "E0118 expected the name of a parameter, found `3` / parameters are names, separated by commas"},
	{"fn f(a) «a»", "E0119 expected `=` after the parameters, found `a` / a function is defined by `fn name(a, b) = expression`"},
	{"parm «c» = 3", "E0116 unexpected `c` / did you mean `param`?"},
	{"a = 1 «b» = 2", "E0116 expected an operator or the end of the line before `b` / each statement has its own line"},
	{"a = 1 mm «b» = 2", "E0116 expected an operator or the end of the line before `b` / each statement has its own line"},
	{"a = b «param» c = 2", "E0116 `param` inside a statement / each statement has its own line"},
	{"a[x: 0] «=» 2", "E0117 only a name can be given a value / the left side of `=` is a single name; compare with `==`"},
	{"f(x) «=» 2", "E0117 only a name can be given a value / the left side of `=` is a single name; compare with `==`"},
	{"a = b «=» 2", "E0116 unexpected `=` / compare with `==`; a statement defines one name"},
	{"a | f @«»", "E0118 expected the name of an annotation after `@`, found the end of the statement"},
	{"a«.3»", "E0116 expected an operator or the end of the line before `.3` / arguments stand in parentheses: `a(...)`"},
	{"read «\"a\"»", "E0116 expected an operator or the end of the line before `\"a\"` / arguments stand in parentheses: `read(...)`"},
	{"a«,» b = c", "E0116 `,` outside brackets / a statement defines one name; several outputs make a record, whose parts are `name.part`"},
	{"a +«=» 1", "E0116 `+=` is no operator / values do not change; give the new one a name of its own"},
	{"a |«>» b", "E0116 `|>` is no operator / the pipe is a single `|`"},
	{"«@» keep", "E0107 no value before `@` / annotations stand behind a stage, on its line"},
	{"a[x «3»]", "E0108 expected `:` after `x` / an index is written `[dimension: value]`"},
	{"a. «(»b)", "E0118 expected a name after `.`, found `(`"},
	{"a = (b «c»)", "E0116 expected `)` or an operator before `c`"},

	// Units.
	{"a = 3 «mhz»", "E0301 unknown unit `mhz` / did you mean `MHz`?"},
	{"a = 3 «x»", "E0301 unknown unit `x` / to multiply, write `*` between the number and `x`"},
	{"a = 3 N «m»", "E0122 unit `m` follows another unit / join units with `*` or `/`, such as `N*m`"},
	{"a = 3 m«^1.5»", "E0123 exponent of a unit is no whole number / put the quantity in parentheses to raise it to a power"},
	{"a = 3 m«^100»", "E0123 exponent of a unit is beyond 99"},
}

// unmark removes the marks and returns the places they enclose.
func unmark(marked string) (text string, spans [][2]int) {
	var b strings.Builder
	start := 0
	for marked != "" {
		switch {
		case strings.HasPrefix(marked, "«"):
			start = b.Len()
			marked = marked[len("«"):]
		case strings.HasPrefix(marked, "»"):
			spans = append(spans, [2]int{start, b.Len()})
			marked = marked[len("»"):]
		default:
			b.WriteByte(marked[0])
			marked = marked[1:]
		}
	}
	return b.String(), spans
}

func TestMistakes(t *testing.T) {
	for _, tt := range mistakes {
		text, spans := unmark(tt.marked)
		_, diags := parse(text)
		var got []string
		for i, d := range diags.Sorted() {
			line := d.Code + " " + d.Message
			if d.Help != "" {
				line += " / " + d.Help
			}
			got = append(got, line)
			if i < len(spans) && (d.Span.Start != spans[i][0] || d.Span.End != spans[i][1]) {
				got = append(got, fmt.Sprintf("at %d..%d, want %v", d.Span.Start, d.Span.End, spans[i]))
			}
		}
		if s := strings.Join(got, "\n"); s != tt.want {
			t.Errorf("%q:\ngot  %s\nwant %s", tt.marked, s, tt.want)
		}
	}
}

func TestEveryStatementIsReported(t *testing.T) {
	text := "a = f(x = 1)\nb = 2 +\nc = [1 2]\nd = a | | b\ne = 3 mhz\nf = 'x'\ng = (1\nh = 5 m\nshow(h"
	file, diags := parse(text)
	want := "E0109 E0107 E0108 E0110 E0301 E0101 E0105 E0105"
	var got []string
	for _, d := range diags.Sorted() {
		got = append(got, d.Code)
	}
	if s := strings.Join(got, " "); s != want {
		t.Errorf("got  %s\nwant %s", s, want)
	}
	names := ""
	for _, s := range file.Statements {
		switch s := s.(type) {
		case *Bad:
			if s.Name != nil {
				names += s.Name.Text
			}
		case *Assign:
			names += strings.ToUpper(s.Name.Text)
		}
	}
	if names != "abcdEfgH" {
		t.Errorf("names %s: definitions with mistakes must keep their names", names)
	}
}

// Each code of this package has an example that gives it, and no example of any code has syntax errors beside.
func TestExamplesOfCodes(t *testing.T) {
	for _, c := range diag.Codes() {
		_, diags := parse(c.Right)
		if diags.Len() > 0 {
			t.Errorf("%s: the right example has mistakes:\n%s", c.Code, diags)
		}
		_, diags = parse(c.Wrong)
		syntactic := strings.HasPrefix(c.Code, "E01") || c.Code == problem.UnknownUnit
		found := diags.Sorted()
		switch {
		case !syntactic && len(found) > 0:
			t.Errorf("%s: the wrong example has other mistakes:\n%s", c.Code, diags)
		case !syntactic:
		case len(found) == 0:
			t.Errorf("%s: the wrong example has no mistakes", c.Code)
		default:
			for _, d := range found {
				if d.Code != c.Code {
					t.Errorf("%s: the wrong example gives\n%s", c.Code, diags)
				}
			}
		}
	}
}

func TestDeepExpressionsAreRefused(t *testing.T) {
	for _, text := range []string{
		strings.Repeat("(", 20_000),
		strings.Repeat("(", 20_000) + strings.Repeat(")", 20_000),
		strings.Repeat("[f(", 10_000) + strings.Repeat(")]", 10_000),
		strings.Repeat("-", 20_000) + "1",
		strings.Repeat("not ", 20_000) + "a",
		strings.Repeat("1^", 20_000) + "1",
		strings.Repeat("1+", 20_000) + "1",
		"a" + strings.Repeat(".a", 20_000),
		"a" + strings.Repeat("()", 20_000),
	} {
		file, diags := parse(text)
		if !diags.HasErrors() || len(file.Statements) != 1 {
			t.Errorf("%.20q... is accepted", text)
		}
	}
}
