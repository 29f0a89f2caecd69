package interp

import "weft/kernels/ir"

// opcode is an instruction of the register program. F stands for the float registers, I for the integer and Bool ones; 32
// and 64 tell the width to which a result is rounded or wrapped.
type opcode uint16

const (
	nop opcode = iota

	loadF // register d from load a
	loadI
	fold // loop a
	put  // store a of a fold

	movF
	movI

	addF64
	addF32
	addI64
	addI32
	addHeld // at the ends of int64, as subHeld and mulHeld
	subF64
	subF32
	subI64
	subI32
	subHeld
	mulF64
	mulF32
	mulI64
	mulI32
	mulHeld
	mulAddF64 // a*b + c, rounded once; so are the following
	mulAddF32
	mulSubF64 // a*b - c
	mulSubF32
	subMulF64 // c - a*b
	subMulF32
	divF64
	divF32
	divI64
	divI32
	modI64
	modI32
	negF
	negI64
	negI32
	absF
	absI64
	absI32
	minF
	minI
	maxF
	maxI
	ltF
	ltI
	leF
	leI
	eqF
	eqI
	neF
	neI
	andB
	orB
	notB
	bitAndI64
	bitAndI32
	bitOrI64
	bitOrI32
	bitXorI64
	bitXorI32
	shlI64
	shlI32
	shrI64
	shrI32
	ushrI64
	ushrI32
	selectF
	selectI
	sqrtF64
	sqrtF32
	rintF
	floorF
	ceilF
	truncF
	callF64 // operation c of the table, of a and b
	callF32

	roundF32 // of a float64
	wrapI32
	floatI64 // an integer as float64
	floatI32 // an integer as float32
	truncI64 // a float as int64
	truncI32
	boolF
	boolI
	bitsF64
	bitsF32
	fromBitsF64
	fromBitsF32
)

// form says which opcode computes an operation on F64, F32, I64, I32 and Bool operands.
type form [5]opcode

// class is the column of a form.
type class int

const (
	f64 class = iota
	f32
	i64
	i32
	boolean
)

// classOf is the class of a type. Wide arithmetic has no float32, and neither that nor Narrow an int32: whole numbers that leave it are seen to.
func classOf(t ir.DType, mode Mode) class {
	switch t {
	case ir.F64:
		return f64
	case ir.F32:
		if mode == Wide {
			return f64
		}
		return f32
	case ir.I64:
		return i64
	case ir.I32:
		if mode != Exact {
			return i64
		}
		return i32
	}
	return boolean
}

// held are the instructions that Wide and Narrow arithmetic have for numbers of 64 bits: what leaves these is not what a kernel computes.
var held = map[opcode]opcode{addI64: addHeld, subI64: subHeld, mulI64: mulHeld}

// own is the instruction of an operation that has one, on operands of a type.
func own(op ir.Op, t ir.DType, mode Mode) (opcode, bool) {
	f, ok := forms[op]
	code := f[classOf(t, mode)]
	switch {
	case t == ir.I32 && f[i64] >= bitAndI64 && f[i64] <= ushrI32: // which are of the bits that there are
		code = f[i32]
	case mode != Exact && held[code] != nop && (t == ir.I64 || op == ir.Mul): // sums of small ones do not come so far
		code = held[code]
	}
	return code, ok
}

// forms are those of operations that have instructions of their own; others on floats are called as their row of the table of operations
// has them.
var forms = map[ir.Op]form{
	ir.Add:    {addF64, addF32, addI64, addI32},
	ir.Sub:    {subF64, subF32, subI64, subI32},
	ir.Mul:    {mulF64, mulF32, mulI64, mulI32},
	ir.Div:    {divF64, divF32, divI64, divI32},
	ir.Mod:    {nop, nop, modI64, modI32},
	ir.Apart:  {movF, movF},
	ir.Neg:    {negF, negF, negI64, negI32},
	ir.Abs:    {absF, absF, absI64, absI32},
	ir.Min:    {minF, minF, minI, minI},
	ir.Max:    {maxF, maxF, maxI, maxI},
	ir.Lt:     {ltF, ltF, ltI, ltI},
	ir.Le:     {leF, leF, leI, leI},
	ir.Eq:     {eqF, eqF, eqI, eqI, eqI},
	ir.Ne:     {neF, neF, neI, neI, neI},
	ir.And:    {nop, nop, nop, nop, andB},
	ir.Or:     {nop, nop, nop, nop, orB},
	ir.Not:    {nop, nop, nop, nop, notB},
	ir.BitAnd: {nop, nop, bitAndI64, bitAndI32},
	ir.BitOr:  {nop, nop, bitOrI64, bitOrI32},
	ir.BitXor: {nop, nop, bitXorI64, bitXorI32},
	ir.Shl:    {nop, nop, shlI64, shlI32},
	ir.Shr:    {nop, nop, shrI64, shrI32},
	ir.Ushr:   {nop, nop, ushrI64, ushrI32},
	ir.Sqrt:   {sqrtF64, sqrtF32},
	ir.Rint:   {rintF, rintF},
	ir.Floor:  {floorF, floorF},
	ir.Ceil:   {ceilF, ceilF},
	ir.Trunc:  {truncF, truncF},
}

// fused are sums and differences that are rounded together with the operand that is a product.
var fused = map[ir.Op][2]form{
	ir.Add: {{mulAddF64, mulAddF32}, {mulAddF64, mulAddF32}},
	ir.Sub: {{mulSubF64, mulSubF32}, {subMulF64, subMulF32}},
}

// selects are by the class of the branches.
var selects = form{selectF, selectF, selectI, selectI, selectI}

// casts[from][to]; a cast that changes nothing is a move.
var casts = [5]form{
	f64:     {movF, roundF32, truncI64, truncI32, boolF},
	f32:     {movF, movF, truncI64, truncI32, boolF},
	i64:     {floatI64, floatI32, movI, wrapI32, boolI},
	i32:     {floatI64, floatI32, movI, movI, boolI},
	boolean: {floatI64, floatI32, movI, movI, movI},
}

// reinterpret[to] gives the bits of the other class of the same size. In Wide mode an F32 has class f64, so this goes by type.
var reinterpret = map[ir.DType]opcode{ir.I32: bitsF32, ir.I64: bitsF64, ir.F32: fromBitsF32, ir.F64: fromBitsF64}
