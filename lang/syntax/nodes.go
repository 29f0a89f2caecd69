package syntax

// Param is a constant that the command line may override.
type Param struct {
	extent
	Name  *Name
	Value Expr
}

// Function is a named expression with parameters, written out where it is called.
type Function struct {
	extent
	Name       *Name
	Parameters []*Name
	Body       Expr
}

// Assign names a value.
type Assign struct {
	extent
	Name  *Name
	Value Expr
}

// Sink is a value without a name: something to write or show.
type Sink struct {
	extent
	Value Expr
}

// Pipeline is a value, with annotations, that runs through stages. It has annotations or stages, or both.
type Pipeline struct {
	extent
	Head        Expr
	Annotations []*Annotation
	Stages      []*Stage
}

// Stage is an operator that a pipe leads into. The value of the pipe is its first argument.
type Stage struct {
	extent
	Operator    *Path
	Arguments   *Arguments
	Annotations []*Annotation
}

// Path is a dotted name.
type Path struct {
	extent
	Names []*Name
}

// Annotation tells the planner how to treat a stage.
type Annotation struct {
	extent
	Name      *Name
	Arguments *Arguments
}

// Arguments are the values of a call.
type Arguments struct {
	extent
	List []*Argument
}

// Selection is what an index chooses, by dimension.
type Selection struct {
	extent
	List []*Argument
}

// Argument is a value by position or by name.
type Argument struct {
	extent
	Name  *Name
	Value Expr
}

// Name is a variable, operator, argument, dimension or choice.
type Name struct {
	extent
	Text string
}

// Number is a number with an optional unit.
type Number struct {
	extent
	Unit  *Unit
	Value float64
	Whole bool // written as a whole number
}

// Unit is a product of units.
type Unit struct {
	extent
	Factors []*UnitFactor
}

// UnitFactor is one unit of a product.
type UnitFactor struct {
	extent
	Name     *UnitName
	Exponent int // negative behind a division
}

// UnitName is the name of a unit.
type UnitName struct {
	extent
	Text string
}

// String is a text in double quotes.
type String struct {
	extent
	Value string // without quotes and escapes
}

// Bool is true or false.
type Bool struct {
	extent
	Value bool
}

// List is a list of values.
type List struct {
	extent
	Items []Expr
}

// Paren is a value in parentheses.
type Paren struct {
	extent
	Inner Expr
}
