package format

import (
	"weft/kernels/ir"
	"weft/ops"
	"weft/ops/files/element"
)

// elements pairs element types with those of files. Files of uint64 are read as i64, where values must fit.
var elements = []struct {
	elem ops.ElemType
	file element.DType
}{
	{ops.Bool, element.Bool},
	{ops.ElemType{Base: ir.I8}, element.Int8},
	{ops.ElemType{Base: ir.U8}, element.Uint8},
	{ops.ElemType{Base: ir.I16}, element.Int16},
	{ops.ElemType{Base: ir.U16}, element.Uint16},
	{ops.I32, element.Int32},
	{ops.ElemType{Base: ir.U32}, element.Uint32},
	{ops.I64, element.Int64},
	{ops.ElemType{Base: ir.F16}, element.Float16},
	{ops.F32, element.Float32},
	{ops.F64, element.Float64},
	{ops.C64, element.Complex64},
	{ops.C128, element.Complex128},
	{ops.I64, element.Uint64},
}

// ElemOf is the element type that elements of a file are read as.
func ElemOf(d element.DType) ops.ElemType {
	for _, e := range elements {
		if e.file == d {
			return e.elem
		}
	}
	panic("format: element type " + d.String() + " of files is not in the table")
}

// DTypeOf is the type in files of an element type; bf16 has none.
func DTypeOf(e ops.ElemType) (element.DType, bool) {
	for _, x := range elements {
		if x.elem == e {
			return x.file, true
		}
	}
	return 0, false
}

// Elems are the element types that files have.
func Elems() []ops.ElemType {
	var all []ops.ElemType
	for _, e := range elements[:len(elements)-1] {
		all = append(all, e.elem)
	}
	return all
}
