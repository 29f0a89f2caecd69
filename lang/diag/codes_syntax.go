package diag

import "strings"

// Syntax.
const (
	UnknownCharacter      = "E0101"
	UnterminatedString    = "E0102"
	BadEscape             = "E0103"
	BadNumber             = "E0104"
	UnclosedBracket       = "E0105"
	UnmatchedBracket      = "E0106"
	MissingValue          = "E0107"
	MissingComma          = "E0108"
	EqualsInArgument      = "E0109"
	StrayPipe             = "E0110"
	StageNotOperator      = "E0111"
	OperatorAfterStage    = "E0112"
	ChainedComparison     = "E0113"
	ChainedRange          = "E0114"
	KeywordAsName         = "E0115"
	UnexpectedToken       = "E0116"
	BadTarget             = "E0117"
	MissingName           = "E0118"
	MissingEquals         = "E0119"
	NotNeedsParentheses   = "E0120"
	TooComplex            = "E0121"
	JuxtaposedUnits       = "E0122"
	BadUnitExponent       = "E0123"
	ColonOutsideArguments = "E0124"
)

var syntaxCodes = []Code{
	{Code: UnknownCharacter, Title: "unknown character",
		Explanation: "The character has no meaning in weft. Strings use double quotes, comments start with #, statements end with their line.",
		Wrong:       `show('beam.npy')`,
		Right:       `show("beam.npy")`},
	{Code: UnterminatedString, Title: "string without end",
		Explanation: "A string ends with a double quote on the line where it began. Write \\n for a line break inside it.",
		Wrong:       `read("iq.npy | show`,
		Right:       `read("iq.npy") | show`},
	{Code: BadEscape, Title: "unknown escape in a string",
		Explanation: "Known escapes are \\\\, \\\", \\n, \\t and \\u followed by four hexadecimal digits. A backslash in a path is written twice, or as a slash.",
		Wrong:       `read("data\iq.npy") | show`,
		Right:       `read("data/iq.npy") | show`},
	{Code: BadNumber, Title: "malformed number",
		Explanation: "Numbers are 1, 1.5, .5, 1e-3 and 1_000. Digits stand on both sides of an underscore and behind a point or an e.",
		Wrong:       `show(1.2.3)`,
		Right:       `show(1.23)`},
	{Code: UnclosedBracket, Title: "bracket without end",
		Explanation: "Every (, [ needs its ) or ]. Inside brackets a statement goes on over several lines.",
		Wrong:       "show(max(1, 2)\nshow(3)",
		Right:       "show(max(1, 2))\nshow(3)"},
	{Code: UnmatchedBracket, Title: "closing bracket without opening one",
		Explanation: "The bracket closes nothing, or closes a bracket of the other kind.",
		Wrong:       `show([1, 2))`,
		Right:       `show([1, 2])`},
	{Code: MissingValue, Title: "missing value",
		Explanation: "An operator, an =, a comma or a colon must be followed by a value. A statement goes on with the next line only inside brackets, or when that line begins with |.",
		Wrong:       `show(3 + )`,
		Right:       `show(3 + 4)`},
	{Code: MissingComma, Title: "missing comma",
		Explanation: "Arguments and list items are separated by commas. A trailing comma is allowed.",
		Wrong:       `show([1 mm 2 mm])`,
		Right:       `show([1 mm, 2 mm])`},
	{Code: EqualsInArgument, Title: "= instead of : in an argument",
		Explanation: "A named argument is written name: value.",
		Wrong:       `read("iq.npy") | decibel(range = 60 dB) | show`,
		Right:       `read("iq.npy") | decibel(range: 60 dB) | show`},
	{Code: StrayPipe, Title: "pipe with nothing to carry",
		Explanation: "The | hands the value on its left to the operator on its right, so it needs both. Logical or is the word or.",
		Wrong:       `read("iq.npy") | | show`,
		Right:       `read("iq.npy") | show`},
	{Code: StageNotOperator, Title: "pipe into something that is no operator",
		Explanation: "The right side of | is an operator: its name, or its name with arguments.",
		Wrong:       `read("iq.npy") | (2 * 3)`,
		Right:       `show(read("iq.npy") * (2 * 3))`},
	{Code: OperatorAfterStage, Title: "arithmetic behind a pipe stage",
		Explanation: "The pipe binds weaker than every other operator, so a stage ends at the next | or at the end of the statement. Parentheses around the pipeline make it a value to calculate with.",
		Wrong:       "a = read(\"iq.npy\")\nb = a | envelope + 1\nshow(b)",
		Right:       "a = read(\"iq.npy\")\nb = (a | envelope) + 1\nshow(b)"},
	{Code: ChainedComparison, Title: "chained comparison",
		Explanation: "A comparison yields true or false, which has no order. Join two comparisons with and.",
		Wrong:       "a = abs(read(\"iq.npy\"))\nshow(0 < a < 1)",
		Right:       "a = abs(read(\"iq.npy\"))\nshow(0 < a and a < 1)"},
	{Code: ChainedRange, Title: "chained range",
		Explanation: "A range has two ends. A step is given with by, a number of points with in.",
		Wrong:       `show(0 mm .. 2 mm .. 10 mm)`,
		Right:       `show(0 mm .. 10 mm by 2 mm)`},
	{Code: KeywordAsName, Title: "keyword used as a name",
		Explanation: "param, fn, true, false, and, or, not, in and by are reserved.",
		Wrong:       "in = read(\"iq.npy\")\nin | show",
		Right:       "input = read(\"iq.npy\")\ninput | show"},
	{Code: UnexpectedToken, Title: "statement should have ended",
		Explanation: "A complete statement is followed by something that cannot continue it. Each statement has its own line.",
		Wrong:       "show(3 mm) show(4 mm)",
		Right:       "show(3 mm)\nshow(4 mm)"},
	{Code: BadTarget, Title: "value assigned to something that is no name",
		Explanation: "The left side of = is a single name. Arrays are not changed in place: give the changed array a new name.",
		Wrong:       "a = abs(read(\"iq.npy\", dims: [x, y]))\na[x: 0] = 3\nshow(a)",
		Right:       "a = abs(read(\"iq.npy\", dims: [x, y]))\nb = where(a > 3, a, 3)\nshow(b)"},
	{Code: MissingName, Title: "missing name",
		Explanation: "param, fn, @ and . are followed by a name: letters, digits and underscores, not beginning with a digit.",
		Wrong:       `read("iq.npy") | show @`,
		Right:       `read("iq.npy") | show @keep`},
	{Code: MissingEquals, Title: "definition without a value",
		Explanation: "param and fn define a name, so they need = and a value.",
		Wrong:       "param c\nshow(c)",
		Right:       "param c = 1540 m/s\nshow(c)"},
	{Code: NotNeedsParentheses, Title: "not inside a tighter operator",
		Explanation: "not binds weaker than comparisons and arithmetic, so behind such an operator it needs parentheses.",
		Wrong:       `show(true == not false)`,
		Right:       `show(true == (not false))`},
	{Code: TooComplex, Title: "expression too complex",
		Explanation: "Brackets are nested too deeply, or one chain of operators is too long. Name parts of the expression in statements of their own.",
		Wrong:       strings.Repeat("(", 300) + "1" + strings.Repeat(")", 300),
		Right:       `show(1)`},
	{Code: JuxtaposedUnits, Title: "units without an operator between them",
		Explanation: "The factors of a unit are joined by * or /, such as 5 N*m or 9.81 m/s^2.",
		Wrong:       `show(5 N m)`,
		Right:       `show(5 N*m)`},
	{Code: BadUnitExponent, Title: "exponent of a unit is no whole number",
		Explanation: "Units have whole exponents, such as m^2 or s^-1.",
		Wrong:       `show(5 m^1.5)`,
		Right:       `show(5 m^2)`},
	{Code: ColonOutsideArguments, Title: "colon outside arguments",
		Explanation: "name: value gives an argument inside the brackets of a call or an index. Elsewhere a name gets its value with =.",
		Wrong:       "c: 1540 m/s",
		Right:       "c = 1540 m/s\nc | show"},
}
