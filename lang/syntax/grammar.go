package syntax

// The structs of this file are the grammar, in their tags, and the tree. Fields without a tag are filled when the
// statement is complete. (?= and (?! look ahead, so that every alternative is chosen by its first tokens and no
// mistake behind them is lost to backtracking.

// Param is a constant that the command line may override.
type Param struct {
	extent
	Name   *Name       `parser:"'param' @@"`
	Kind   *Constraint `parser:"('in' @@)?"`
	Limits []*Limit    `parser:"@@*"`
	Value  Expr        `parser:"'=' @@"`
}

// Use makes the definitions of another file known, behind its name and a point.
type Use struct {
	extent
	Path    *String `parser:"'use' (@@"`
	Library *Name   `parser:"| @@)"`
}

// Function is a named expression or block with parameters, written out where it is called.
type Function struct {
	extent
	Name       *Name       `parser:"'fn' @@"`
	Parameters *Parameters `parser:"@@"`
	Body       Expr        `parser:"('=' @@"`
	Block      *Block      `parser:"| @@)"`
}

// Parameters are what a function takes.
type Parameters struct {
	extent
	List []*Parameter `parser:"'(' (@@ ((?! ',' ')') ',' @@)* ','?)? ')'"`
}

// Parameter is a name with what is asked of its value: dimensions, a unit or choices, limits.
type Parameter struct {
	extent
	Name    *Name       `parser:"@@"`
	Dims    *Dims       `parser:"@@?"`
	Kind    *Constraint `parser:"('in' @@)?"`
	Limits  []*Limit    `parser:"@@*"`
	Default Expr        `parser:"('=' @@)?"`
}

// Dims are dimensions that an array must have.
type Dims struct {
	extent
	Names []*Name `parser:"'[' @@ ((?! ',' ']') ',' @@)* ','? ']'"`
}

// Constraint is a list of names of which a value is one, or the unit that it is measured in; Whole in its place says that it is a whole number.
type Constraint struct {
	extent
	Choices *Dims    `parser:"@@"`
	Unit    []string `parser:"| @Ident ((@'*' | @'/') @Ident | @'^' @'-'? @Number)*"`
}

// Whole stands where the unit of a whole number would.
const Whole = "whole"

// Limit is a number on one side of which a value lies.
type Limit struct {
	extent
	Sign   string  `parser:"@('<=' | '>=' | '<' | '>')"`
	Minus  bool    `parser:"@'-'?"`
	Number *Number `parser:"@@"`
}

// Block is what a function computes in several steps: definitions, then its value.
type Block struct {
	extent
	Statements []Statement `parser:"'{' (@@ (Newline @@)*)? '}'"`
}

// Lambda is a function without a name.
type Lambda struct {
	extent
	Parameters []*Name `parser:"(@@ | '(' (@@ ((?! ',' ')') ',' @@)* ','?)? ')')"`
	Body       Expr    `parser:"'->' @@"`
}

// If is one of two values.
type If struct {
	extent
	Condition Expr `parser:"'if' @@"`
	Then      Expr `parser:"'then' @@"`
	Else      Expr `parser:"'else' @@"`
}

// Record is several values by name.
type Record struct {
	extent
	List []*Argument `parser:"(?= '(' Ident ':') '(' @@ ((?! ',' ')') ',' @@)* ','? ')'"`
}

// Segment is a part of a dimension, for each element its own: dim in first .. last.
type Segment struct {
	extent
	Dim  *Name     `parser:"(?= Ident 'in') @@ 'in'"`
	Ends Operation `parser:"@@"` // a *Range
}

// Assign names a value.
type Assign struct {
	extent
	Name  *Name `parser:"(?= Ident '=') @@ '='"`
	Value Expr  `parser:"@@"`
}

// Sink is a value without a name: something to write or show.
type Sink struct {
	extent
	Value Expr `parser:"@@"`
}

// Pipeline is a value, with annotations, that runs through stages. It has annotations or stages, or both.
type Pipeline struct {
	extent
	Head        Operation     `parser:"@@"`
	Annotations []*Annotation `parser:"@@*"`
	Stages      []*Stage      `parser:"('|' @@)*"`
}

// Stage is an operator that a pipe leads into. The value of the pipe is its first argument.
type Stage struct {
	extent
	Operator    *Path         `parser:"@@"`
	Arguments   *Arguments    `parser:"@@?"`
	Annotations []*Annotation `parser:"@@*"`
}

// Path is a dotted name.
type Path struct {
	extent
	Names []*Name `parser:"@@ ('.' @@)*"`
}

// Annotation tells the planner how to treat a stage.
type Annotation struct {
	extent
	Name      *Name      `parser:"'@' @@"`
	Arguments *Arguments `parser:"@@?"`
}

// Arguments are the values of a call.
type Arguments struct {
	extent
	List []*Argument `parser:"'(' (@@ ((?! ',' (')' | ']')) ',' @@)* ','?)? ')'"`
}

// Selection is what an index chooses, by dimension.
type Selection struct {
	extent
	List []*Argument `parser:"'[' @@ ((?! ',' (')' | ']')) ',' @@)* ','? ']'"`
}

// Argument is a value by position or by name.
type Argument struct {
	extent
	Name  *Name `parser:"((?= Ident ':') @@ ':')?"`
	Value Expr  `parser:"@@"`
}

// Member is .name behind a value.
type Member struct {
	extent
	Name *Name `parser:"'.' @@"`
}

// Name is a variable, operator, argument, dimension or choice.
type Name struct {
	extent
	Text string `parser:"@Ident"`
}

// Number is a number with an optional unit.
type Number struct {
	extent
	Text string `parser:"@Number"`
	Unit *Unit  `parser:"@@?"`

	Value float64
	Whole bool // written as a whole number
}

// Unit is a product of units.
type Unit struct {
	extent
	Factors []*UnitFactor `parser:"@@ @@*"`
}

// UnitFactor is one unit of a product.
type UnitFactor struct {
	extent
	Join  string    `parser:"@UnitJoin?"`
	Name  *UnitName `parser:"@@"`
	Power string    `parser:"@UnitPower?"`

	Exponent int // negative behind a division
}

// UnitName is the name of a unit.
type UnitName struct {
	extent
	Text string `parser:"@Unit"`
}

// String is a text in double quotes.
type String struct {
	extent
	Text string `parser:"@String"`

	Value string // without quotes and escapes
}

// Bool is true or false.
type Bool struct {
	extent
	Text string `parser:"@('true' | 'false')"`

	Value bool
}

// List is a list of values.
type List struct {
	extent
	Items []Expr `parser:"'[' (@@ ((?! ',' (')' | ']')) ',' @@)* ','?)? ']'"`
}

// Paren is a value in parentheses.
type Paren struct {
	extent
	Inner Expr `parser:"'(' @@ ')'"`
}

// Operation is an Expr without pipes and annotations at its top.
type Operation interface{ Expr }

// Atom is an Expr that no operator divides.
type Atom interface{ Expr }

// Suffix is what follows an atom: a call, an index or a field.
type Suffix interface {
	Node
	apply(base Expr) Expr
}

func (a *Arguments) apply(base Expr) Expr { return &Call{Callee: base, Arguments: a} }
func (s *Selection) apply(base Expr) Expr { return &Index{Base: base, Selection: s} }
func (m *Member) apply(base Expr) Expr    { return &Field{Base: base, Name: m.Name} }

// production is the root of the grammar, from which every other is reached.
type production struct {
	Statement Statement `parser:"@@"`
	Pipeline  *Pipeline `parser:"| @@"`
	Lambda    *Lambda   `parser:"| @@"`
	If        *If       `parser:"| @@"`
	Segment   *Segment  `parser:"| @@"`
	Atom      Atom      `parser:"| @@"`
	Suffix    Suffix    `parser:"| @@"`
}
