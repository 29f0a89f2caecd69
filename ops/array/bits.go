package array

import (
	"weft/kernels/ir"
	"weft/ops"
	"weft/ops/operand"
)

// bitwise are functions of the bits of whole numbers.
var bitwise = []elementwise{
	ofBits("bit_and", "Bits that both a and b have.", ir.BitAnd, func(x, y int64) int64 { return x & y }, "show(bit_and(i, 6))"),
	ofBits("bit_or", "Bits that a or b has.", ir.BitOr, func(x, y int64) int64 { return x | y }, "show(bit_or(i, 6))"),
	ofBits("bit_xor", "Bits that one of a and b has, and the other has not.", ir.BitXor, func(x, y int64) int64 { return x ^ y }, "show(bit_xor(i, -1))"),
	shift("shift_left", "Bits moved to higher places: a times 2^b.", ir.Shl, func(x, y int64) int64 { return x << (y & 63) }, "show(shift_left(1, i))"),
	shift("shift_right", "Bits moved to lower places: the largest whole number not above a / 2^b.", ir.Shr, func(x, y int64) int64 { return x >> (y & 63) }, "show(shift_right(i, 1))"),
}

func ofBits(name, doc string, op ir.Op, value func(x, y int64) int64, example string) elementwise {
	return elementwise{name: name, doc: doc, group: groupFunction, args: pair, takes: wholeOnly, compute: numeric, unit: operand.PlainOnly, whole: true, rule: operand.Exact,
		build: alu(op), value: real2(func(x, y float64) float64 { return float64(value(int64(x), int64(y))) }),
		examples: []ops.Example{{Title: "Of 0 to 7", Code: "x = axis(x, 0 .. 7 in 8)\ni = indices(x, x)\n" + example}}}
}

func shift(name, doc string, op ir.Op, value func(x, y int64) int64, example string) elementwise {
	e := ofBits(name, doc, op, value, example)
	e.long = "In 64 bits; b counts from 0 to 63, and goes on from there at 0."
	e.compute = func(ops.ElemType, []operand.Operand) ops.ElemType { return ops.I64 }
	return e
}
