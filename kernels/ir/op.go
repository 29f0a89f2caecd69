package ir

// Op is the operation of an Alu node. What it does and how it is treated stands in its row of the table: see OpInfo.
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
	Apart // the same value: a product that is rounded by itself, whatever sums read it
	Bits  // the same bits as another type of the same size: F32 <-> I32, F64 <-> I64
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
	Tanh
	Erf
	Atan2
	Pow
	numOps
)

// OwnOp is the first of the operations that a renderer may use for ends of its own: each of one operand, one of whose values, over
// whatever the renderer's lanes are, is the result. They are never part of a kernel (Check refuses them).
const OwnOp Op = 1 << 7

// OpInfo is an operation's row of the table: what the back ends, analyses and cost models know of it. A row lacks nothing but what its
// types make void: init sees to that.
type OpInfo struct {
	Name  string
	Arity int
	Takes Class // types of the operands
	Gives Result

	Float func(a [3]float64) float64 // what it does to floats, and to Bools as 0 and 1, rounding apart
	Int   func(a [3]int64) int64     // what it does to integers and Bools, before the result wraps

	// Symbol is how C and CUDA write it before or between operands of the types in Written. Others are calls of s_NAME and v_NAME,
	// functions of the preludes.
	Symbol  string
	Written Class
	// Library is what C and CUDA call it: the form for float64, to which an f is added for float32.
	Library string
	Forms   []Form // cheapest first

	Cost  CostClass
	Times float64 // how many operations of the class it takes
	Flops int     // weight in figures of work, in additions

	Exact  Exactness
	Range  func(n *Node, a [3]span) span                        // where the result lies, from where the operands do
	Bound  func(q *Bounder, n *Node, s Side) *Node              // a bound of the result, from bounds of the operands; nil: none is known
	Width  func(n *Node, w [3]float64) (width float64, ok bool) // how far apart results are, from how far apart operands are; of integers
	Affine func(n *Node) (k [2]int64, ok bool)                  // by what constants it multiplies the operands that it adds; of integers
}

// Form is code for operands that are known to lie within bounds, or to be NaN: s_NAME_FORM and v_NAME_FORM of the preludes.
type Form struct {
	Name     string
	F32, F64 [2]float64 // the least and the greatest operand of each type
	Times    float64    // of the time that the operation takes otherwise
}

// Form is the cheapest that will do for an operand within a range; nil: none.
func (n *Node) Form(ranges func(*Node) (lo, hi float64, ok bool)) *Form {
	if n.Kind != KAlu || n.Op.Info().Forms == nil {
		return nil
	}
	lo, hi, ok := ranges(n.Args[0])
	for i, f := range n.Op.Info().Forms {
		within := map[DType][2]float64{F32: f.F32, F64: f.F64}[n.Type]
		if ok && within[0] <= lo && hi <= within[1] {
			return &n.Op.Info().Forms[i]
		}
	}
	return nil
}

// Class is a set of operand types.
type Class uint8

const (
	Floats Class = 1 << iota
	Ints
	Bools
)

// Result is what an operation gives.
type Result uint8

const (
	Number Result = iota + 1 // of the operands' type
	Whole                    // a float without fraction: it jumps where its operand passes from one to the next
	Truth                    // a Bool
	Other                    // of a type that the node says
)

// CostClass is a kind of operations that take about the same time.
type CostClass uint8

// Cost classes.
const (
	CostNothing CostClass = iota + 1
	CostSimple            // minimum, comparison, choice, rounding
	CostFused             // multiply, add, or both in one
	CostConvert
	CostDivide
	CostRoot
	CostExp
	CostLog
	CostSine
	CostAtan2
	CostPower
)

// Slow reports operations whose results are worth a table where they repeat.
func (c CostClass) Slow() bool { return c >= CostDivide }

// Transcendental reports operations that no processor has as one instruction.
func (c CostClass) Transcendental() bool { return c >= CostExp }

// Exactness says whether an operation rounds.
type Exactness uint8

const (
	Rounds Exactness = iota + 1
	Exact            // the result is a value of any narrower type that all operands are values of
)

// Info returns the operation's row of the table.
func (o Op) Info() *OpInfo {
	if o >= OwnOp {
		return &ownOp
	}
	return &opTable[o]
}

// Known reports whether there is such an operation.
func (o Op) Known() bool { return OpNone < o && o < numOps }

func (o Op) String() string { return o.Info().Name }

// Ops calls yield for every operation.
func Ops(yield func(Op) bool) {
	for o := OpNone + 1; o < numOps; o++ {
		if !yield(o) {
			return
		}
	}
}

// Has reports whether a type is in the set.
func (c Class) Has(t DType) bool {
	switch {
	case t == Bool:
		return c&Bools != 0
	case t.Float():
		return c&Floats != 0
	}
	return c&Ints != 0
}

// incomplete names what a row lacks.
func (i *OpInfo) incomplete() string {
	for what, missing := range map[string]bool{
		"name": i.Name == "", "arity": i.Arity < 1 || i.Arity > 3, "operand types": i.Takes == 0, "result": i.Gives == 0,
		"evaluation of floats": i.Float == nil && i.Takes&Floats != 0, "evaluation of integers": i.Int == nil && i.Takes&(Ints|Bools) != 0,
		"types it is written for": (i.Symbol == "") != (i.Written == 0), "name in the library": i.Library == "" && i.Cost.Transcendental(),
		"cost class": i.Cost == 0, "number of operations": (i.Times == 0) != (i.Cost == CostNothing), "exactness": i.Exact == 0,
		"range": i.Range == nil, "bound": i.Bound == nil, "width": i.Width == nil, "affine form": i.Affine == nil,
	} {
		if missing {
			return what
		}
	}
	return ""
}
