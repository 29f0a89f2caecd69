package diag

// Names and arguments.
const (
	UnknownName          = "E0201"
	UnknownOperator      = "E0202"
	UnknownArgument      = "E0203"
	DuplicateName        = "E0204"
	DuplicateParameter   = "E0205"
	DuplicateArgument    = "E0206"
	MissingArgument      = "E0207"
	TooManyArguments     = "E0208"
	PositionalAfterNamed = "E0209"
	CyclicDefinition     = "E0210"
	UnusedName           = "E0211"
	NoSink               = "E0212"
	HiddenOperator       = "E0213"
	UnknownField         = "E0214"
	NotARecord           = "E0215"
	NotCallable          = "E0216"
	OperatorAsValue      = "E0217"
	UnknownOverride      = "E0218"
	ParameterNotConstant = "E0219"
	UnknownAnnotation    = "E0220"
	BadAnnotation        = "E0221"
	DuplicateAnnotation  = "E0222"
	UnknownChoice        = "E0223"
	RecursiveFunction    = "E0224"
	UnusedValue          = "E0225"
	TakesNoInput         = "E0226"
	BadOverride          = "E0227"
)

var nameCodes = []Code{
	{Code: UnknownName, Title: "unknown name",
		Explanation: "No statement of the file defines the name. Definitions may stand anywhere in the file, in any order.",
		Wrong:       "volume = read(\"iq.npy\")\nvolum | show",
		Right:       "volume = read(\"iq.npy\")\nvolume | show"},
	{Code: UnknownOperator, Title: "unknown operator",
		Explanation: "Neither the catalogue nor a fn of the file has this name. `weft ops` lists the catalogue.",
		Wrong:       `read("iq.npy") | envelop | show`,
		Right:       `read("iq.npy") | envelope | show`},
	{Code: UnknownArgument, Title: "unknown argument",
		Explanation: "The operator has no argument of this name. `weft ops NAME` shows its arguments.",
		Wrong:       `read("iq.npy") | decibel(rnage: 60 dB) | show`,
		Right:       `read("iq.npy") | decibel(range: 60 dB) | show`},
	{Code: DuplicateName, Title: "name defined twice",
		Explanation: "A name has one definition in a file: values do not change. Give the second value its own name.",
		Wrong:       "a = 1 mm\na = 2 mm\nshow(a)",
		Right:       "a = 1 mm\nb = 2 mm\nshow(a + b)"},
	{Code: DuplicateParameter, Title: "parameter defined twice",
		Explanation: "Two param statements, or two parameters of one fn, have the same name.",
		Wrong:       "param c = 1540 m/s\nparam c = 1480 m/s\nshow(c)",
		Right:       "param c = 1540 m/s\nshow(c)"},
	{Code: DuplicateArgument, Title: "argument given twice",
		Explanation: "An argument is given once: by name, or by position, or by the pipe, which fills the first one.",
		Wrong:       `read("iq.npy") | decibel(range: 60 dB, range: 40 dB) | show`,
		Right:       `read("iq.npy") | decibel(range: 60 dB) | show`},
	{Code: MissingArgument, Title: "missing argument",
		Explanation: "The argument has no default, so it must be given.",
		Wrong:       `matrix_probe(nx: 32, ny: 32) | show`,
		Right:       `matrix_probe(nx: 32, ny: 32, pitch: 0.3 mm) | show`},
	{Code: TooManyArguments, Title: "too many positional arguments",
		Explanation: "More values are given by position than the operator takes. The value that a pipe brings is the first of them.",
		Wrong:       `show(abs(1, 2))`,
		Right:       `show(abs(1))`},
	{Code: PositionalAfterNamed, Title: "positional argument behind a named one",
		Explanation: "Arguments by position come first, then arguments by name.",
		Wrong:       `read("iq.npy") | abs | clamp(low: 0, 1) | show`,
		Right:       `read("iq.npy") | abs | clamp(low: 0, high: 1) | show`},
	{Code: CyclicDefinition, Title: "definition in a circle",
		Explanation: "The value of a name depends on itself. Give one of the names in the circle a value of its own.",
		Wrong:       "a = b + 1\nb = a + 1\nshow(a)",
		Right:       "a = 1\nb = a + 1\nshow(b)"},
	{Code: UnusedName, Title: "unused name", Severity: Warning,
		Explanation: "Nothing uses the name, so its value is never calculated. Remove it, or use it in a sink.",
		Wrong:       "a = 1 mm\nb = 2 mm\nshow(b)",
		Right:       "a = 1 mm\nb = 2 mm\nshow(a + b)"},
	{Code: NoSink, Title: "nothing to do", Severity: Warning,
		Explanation: "Only what a sink asks for is calculated, and the file has none. Add a statement that ends in write or show.",
		Wrong:       `a = read("iq.npy")`,
		Right:       "a = read(\"iq.npy\")\na | show"},
	{Code: HiddenOperator, Title: "name hides an operator",
		Explanation: "An operator of the catalogue has this name already. Choose another.",
		Wrong:       "max = 3\nshow(max)",
		Right:       "largest = 3\nshow(largest)"},
	{Code: UnknownField, Title: "unknown field",
		Explanation: "The record has no output of this name. The operator's documentation lists them.",
		Wrong:       "dsm = read(\"dsm.npy\", dims: [y, x], unit: m) | with_coordinates(y, 63 m .. 0 m) | with_coordinates(x, 0 m .. 63 m)\ns = dsm | skyview\nshow(s.totl)",
		Right:       "dsm = read(\"dsm.npy\", dims: [y, x], unit: m) | with_coordinates(y, 63 m .. 0 m) | with_coordinates(x, 0 m .. 63 m)\ns = dsm | skyview\nshow(s.total)"},
	{Code: NotARecord, Title: "field of something that is no record",
		Explanation: "Only the result of an operator with several outputs has fields.",
		Wrong:       "a = read(\"iq.npy\")\nshow(a.total)",
		Right:       "a = read(\"iq.npy\")\nshow(a)"},
	{Code: NotCallable, Title: "call of a value",
		Explanation: "Brackets behind a name call an operator, and this name is a value. Index an array with square brackets, multiply with *.",
		Wrong:       "a = 3\nshow(a(2))",
		Right:       "a = 3\nshow(a * 2)"},
	{Code: OperatorAsValue, Title: "operator used as a value",
		Explanation: "An operator is not a value: call it with arguments, or pipe a value into it.",
		Wrong:       `show(envelope + 1)`,
		Right:       `show(envelope(read("iq.npy")) + 1)`},
	{Code: UnknownOverride, Title: "override of an unknown parameter",
		Explanation: "-p on the command line sets a param of the file, and the file has none of this name.",
		Wrong:       "# weft run file.weft -p speed=1480m/s\nparam c = 1540 m/s\nshow(c)",
		Right:       "# weft run file.weft -p c=1480m/s\nparam c = 1540 m/s\nshow(c)"},
	{Code: ParameterNotConstant, Title: "parameter is no constant",
		Explanation: "The value of a param is known before anything runs: numbers, strings, lists and arithmetic on them and on other params. Use a plain name for a calculated value.",
		Wrong:       "param a = read(\"iq.npy\")\nshow(a)",
		Right:       "param path = \"iq.npy\"\nshow(read(path))"},
	{Code: UnknownAnnotation, Title: "unknown annotation",
		Explanation: "Annotations are @precision, @device, @tolerance, @tile, @keep and @fuse.",
		Wrong:       `read("iq.npy") | envelope @kep | show`,
		Right:       `read("iq.npy") | envelope @keep | show`},
	{Code: BadAnnotation, Title: "bad annotation",
		Explanation: "The arguments of the annotation are not what it takes, such as @tolerance(0.1 dB), @tile(z: 8), @precision(f32), @device(cpu).",
		Wrong:       `read("iq.npy") | envelope @tolerance(true) | show`,
		Right:       `read("iq.npy") | envelope @tolerance(0.1 dB) | show`},
	{Code: DuplicateAnnotation, Title: "annotation given twice",
		Explanation: "A stage takes each annotation once.",
		Wrong:       `read("iq.npy") | envelope @keep @keep | show`,
		Right:       `read("iq.npy") | envelope @keep | show`},
	{Code: UnknownChoice, Title: "unknown choice",
		Explanation: "The argument takes one of a few names, which `weft ops NAME` lists.",
		Wrong:       `read("iq.npy") | abs | cast(f31) | show`,
		Right:       `read("iq.npy") | abs | cast(f32) | show`},
	{Code: RecursiveFunction, Title: "function calls itself",
		Explanation: "A fn is written out where it is called, so it cannot call itself, directly or through another.",
		Wrong:       "fn f(a) = f(a) + 1\nshow(f(2))",
		Right:       "fn f(a) = a + 1\nshow(f(2))"},
	{Code: UnusedValue, Title: "value that nothing uses", Severity: Warning,
		Explanation: "The statement has no name and does not end in a sink, so its value is never calculated.",
		Wrong:       "a = read(\"iq.npy\")\na | envelope\nshow(a)",
		Right:       "a = read(\"iq.npy\")\na | envelope | show"},
	{Code: TakesNoInput, Title: "pipe into an operator without input",
		Explanation: "The operator makes a value from its arguments alone. Call it, and give its result a name.",
		Wrong:       `read("iq.npy") | matrix_probe(nx: 32, ny: 32, pitch: 0.3 mm) | show`,
		Right:       `matrix_probe(nx: 32, ny: 32, pitch: 0.3 mm) | show`},
	{Code: BadOverride, Title: "unreadable override",
		Explanation: "-p name=value takes a value as it is written in a file; a value for a string needs no quotes. It has the kind and unit of the default it replaces.",
		Wrong:       "# weft run file.weft -p c=fast\nparam c = 1540 m/s\nshow(c)",
		Right:       "# weft run file.weft -p c=1480m/s\nparam c = 1540 m/s\nshow(c)"},
}
