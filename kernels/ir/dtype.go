package ir

import "fmt"

// DType is a scalar type. Nodes compute in Bool, I32, I64, F32 or F64; the others exist in buffers only: a load widens
// to Compute(), a store narrows (floats round to nearest even, integers wrap).
type DType uint8

const (
	Bool DType = iota
	I8
	U8
	I16
	U16
	I32
	U32
	I64
	F16
	BF16
	F32
	F64
)

type dtypeInfo struct {
	name    string
	size    int
	compute DType
	float   bool
}

var dtypes = [...]dtypeInfo{
	Bool: {"bool", 1, Bool, false},
	I8:   {"i8", 1, I32, false},
	U8:   {"u8", 1, I32, false},
	I16:  {"i16", 2, I32, false},
	U16:  {"u16", 2, I32, false},
	I32:  {"i32", 4, I32, false},
	U32:  {"u32", 4, I64, false},
	I64:  {"i64", 8, I64, false},
	F16:  {"f16", 2, F32, true},
	BF16: {"bf16", 2, F32, true},
	F32:  {"f32", 4, F32, true},
	F64:  {"f64", 8, F64, true},
}

func (t DType) String() string {
	if int(t) < len(dtypes) {
		return dtypes[t].name
	}
	return fmt.Sprintf("dtype(%d)", uint8(t))
}

// Known reports whether there is such a type.
func (t DType) Known() bool { return int(t) < len(dtypes) }

// Size is the bytes an element takes in a buffer.
func (t DType) Size() int { return dtypes[t].size }

// Compute is the type of a loaded value.
func (t DType) Compute() DType { return dtypes[t].compute }

// Float reports whether the type is a floating-point one.
func (t DType) Float() bool { return dtypes[t].float }

// Int reports whether the type is an integer one, Bool left out.
func (t DType) Int() bool { return !dtypes[t].float && t != Bool }

// ParseDType is the inverse of String.
func ParseDType(s string) (DType, bool) {
	for t, d := range dtypes {
		if d.name == s {
			return DType(t), true
		}
	}
	return 0, false
}

// MarshalText lets a type stand in plans and reports by name.
func (t DType) MarshalText() ([]byte, error) { return []byte(t.String()), nil }

// UnmarshalText reads what MarshalText wrote.
func (t *DType) UnmarshalText(b []byte) error {
	v, ok := ParseDType(string(b))
	if !ok {
		return fmt.Errorf("ir: unknown scalar type %q", b)
	}
	*t = v
	return nil
}
