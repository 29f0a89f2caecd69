package ops

import (
	"testing"

	"weft/kernels/ir"
)

func TestPromote(t *testing.T) {
	i16, u32, f16 := ElemType{Base: ir.I16}, ElemType{Base: ir.U32}, ElemType{Base: ir.F16}
	for _, tt := range []struct{ a, b, want ElemType }{
		{Bool, Bool, I32}, {i16, i16, I32}, {i16, u32, I64}, {I32, I64, I64},
		{F32, i16, F32}, {F32, I32, F32}, {F32, I64, F64}, {F64, Bool, F64}, {f16, f16, F32},
		{C64, F32, C64}, {C64, F64, C128}, {C64, I64, C128}, {I32, C128, C128},
	} {
		if got := Promote(tt.a, tt.b); got != tt.want {
			t.Errorf("%s with %s is %s, want %s", tt.a, tt.b, got, tt.want)
		}
		if got := Promote(tt.b, tt.a); got != tt.want {
			t.Errorf("%s with %s is %s, want %s", tt.b, tt.a, got, tt.want)
		}
	}
	for _, tt := range []struct {
		t    ElemType
		n    Number
		want ElemType
	}{
		{F32, Number{V: 0.1}, F32}, {f16, Number{V: 3, Int: true}, F32}, {F64, Number{V: 0.1}, F64}, {C64, Number{V: 0.1}, C64},
		{i16, Number{V: 3, Int: true}, I32}, {i16, Number{V: 0.5}, F32}, {I64, Number{V: 0.5}, F64},
		{I32, Number{V: 1 << 40, Int: true}, I64}, {Bool, Number{V: 1, Int: true}, I32},
	} {
		if got := PromoteNumber(tt.t, tt.n); got != tt.want {
			t.Errorf("%s with %v is %s, want %s", tt.t, tt.n, got, tt.want)
		}
	}
}
