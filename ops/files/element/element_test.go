package element

import "testing"

func TestTypesOfGo(t *testing.T) {
	if got := [...]DType{Of[bool](), Of[int8](), Of[uint64](), Of[float32](), Of[complex128]()}; got != [...]DType{Bool, Int8, Uint64, Float32, Complex128} {
		t.Errorf("got %v", got)
	}
	for i, d := range All() {
		if !d.Valid() || int(d) != i+1 || d.Size()%d.Word() != 0 {
			t.Errorf("%v: %d bytes, words of %d", d, d.Size(), d.Word())
		}
	}
	if DType(0).Valid() || len(All()) != int(Complex128) {
		t.Error("the types are not numbered from 1")
	}
}

func TestConversionTable(t *testing.T) {
	for _, c := range []struct {
		from, to DType
		want     Loss
	}{
		{Float32, Float32, Exact}, {Float32, Float64, Exact}, {Float64, Float32, Rounded}, {Float32, Float16, Rounded},
		{Float16, Float32, Exact}, {Int16, Float32, Exact}, {Int32, Float32, Rounded}, {Int32, Float64, Exact},
		{Int64, Float64, Rounded}, {Uint8, Float16, Exact}, {Int16, Float16, Rounded}, {Uint16, Float32, Exact},
		{Int8, Int64, Exact}, {Int64, Int8, Checked}, {Uint8, Int8, Checked}, {Int8, Uint64, Checked}, {Uint8, Int16, Exact},
		{Uint64, Int64, Checked}, {Float32, Int32, Refused}, {Float16, Bool, Refused}, {Int8, Bool, Refused},
		{Bool, Int8, Exact}, {Bool, Float16, Exact}, {Bool, Complex64, Exact}, {Bool, Bool, Exact},
		{Complex64, Float64, Refused}, {Complex128, Complex64, Rounded}, {Complex64, Complex128, Exact},
		{Float64, Complex64, Rounded}, {Float16, Complex64, Exact}, {Int64, Complex128, Rounded}, {Complex64, Int8, Refused},
	} {
		if got := Conversion(c.from, c.to); got != c.want {
			t.Errorf("%v to %v: %d, want %d", c.from, c.to, got, c.want)
		}
	}
}
