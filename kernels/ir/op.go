package ir

// Op is the operation of an Alu node.
type Op uint8

const (
	OpNone Op = iota
	Add
	Sub
	Mul
	Div // floats: IEEE; integers: rounds to minus infinity
	Mod // integers only, takes the sign of the divisor
	Neg
	Abs
	Min // a < b ? a : b
	Max // a > b ? a : b
	Lt
	Le
	Eq
	Ne
	And // of Bool
	Or
	Not
	BitAnd
	BitOr
	BitXor
	Shl // shift counts are taken in [0, width)
	Shr // arithmetic
	Ushr
	Select // cond ? a : b
	Cast
	Bits // the same bits as another type of the same size: F32 <-> I32, F64 <-> I64
	Sqrt
	Rint // to nearest, ties to even
	Floor
	Ceil
	Trunc
	Exp
	Log
	Log10
	Sin
	Cos
	Tan
	Atan2
	Pow
	LaneMin // a renderer's own: least value over the lanes of a patch; never part of a kernel (Check refuses it)
	LaneMax
	numOps
)

// OpInfo describes an operation: name, number of operands, and what operand types it takes.
type OpInfo struct {
	Name  string
	Arity int
	Takes Class
	Flops int  // weight in cost figures, in additions
	Bool  bool // the result is Bool
}

// Class is a set of operand types.
type Class uint8

const (
	Floats Class = 1 << iota
	Ints
	Bools
)

var opTable = [numOps]OpInfo{
	Add:    {"add", 2, Floats | Ints, 1, false},
	Sub:    {"sub", 2, Floats | Ints, 1, false},
	Mul:    {"mul", 2, Floats | Ints, 1, false},
	Div:    {"div", 2, Floats | Ints, 8, false},
	Mod:    {"mod", 2, Ints, 8, false},
	Neg:    {"neg", 1, Floats | Ints, 1, false},
	Abs:    {"abs", 1, Floats | Ints, 1, false},
	Min:    {"min", 2, Floats | Ints, 1, false},
	Max:    {"max", 2, Floats | Ints, 1, false},
	Lt:     {"lt", 2, Floats | Ints, 1, true},
	Le:     {"le", 2, Floats | Ints, 1, true},
	Eq:     {"eq", 2, Floats | Ints | Bools, 1, true},
	Ne:     {"ne", 2, Floats | Ints | Bools, 1, true},
	And:    {"and", 2, Bools, 1, true},
	Or:     {"or", 2, Bools, 1, true},
	Not:    {"not", 1, Bools, 1, true},
	BitAnd: {"bitand", 2, Ints, 1, false},
	BitOr:  {"bitor", 2, Ints, 1, false},
	BitXor: {"bitxor", 2, Ints, 1, false},
	Shl:    {"shl", 2, Ints, 1, false},
	Shr:    {"shr", 2, Ints, 1, false},
	Ushr:   {"ushr", 2, Ints, 1, false},
	Select: {"select", 3, Floats | Ints | Bools, 1, false},
	Cast:   {"cast", 1, Floats | Ints | Bools, 1, false},
	Bits:   {"bits", 1, Floats | Ints, 0, false},
	Sqrt:   {"sqrt", 1, Floats, 8, false},
	Rint:   {"rint", 1, Floats, 1, false},
	Floor:  {"floor", 1, Floats, 1, false},
	Ceil:   {"ceil", 1, Floats, 1, false},
	Trunc:  {"trunc", 1, Floats, 1, false},
	Exp:    {"exp", 1, Floats, 16, false},
	Log:    {"log", 1, Floats, 16, false},
	Log10:  {"log10", 1, Floats, 16, false},
	Sin:    {"sin", 1, Floats, 16, false},
	Cos:    {"cos", 1, Floats, 16, false},
	Tan:    {"tan", 1, Floats, 24, false},
	Atan2:  {"atan2", 2, Floats, 24, false},
	Pow:    {"pow", 2, Floats, 40, false},

	LaneMin: {"lanemin", 1, Floats | Ints, 4, false},
	LaneMax: {"lanemax", 1, Floats | Ints, 4, false},
}

// Info returns the operation's row of the table.
func (o Op) Info() OpInfo { return opTable[o] }

func (o Op) String() string { return opTable[o].Name }

func (c Class) has(t DType) bool {
	switch {
	case t == Bool:
		return c&Bools != 0
	case t.Float():
		return c&Floats != 0
	}
	return c&Ints != 0
}
