package npy

import (
	"encoding/binary"
	"math"
	"slices"
	"testing"

	"weft/kernels/region"
	"weft/ops/files/element"
	"weft/ops/files/words"
)

// All pairs of types on values that all of them hold, longer than the pieces in which conversion works.
func TestConvertEveryPair(t *testing.T) {
	for _, from := range element.All() {
		for _, to := range element.All() {
			s := sample{from, []int{1031}, false, hostOrder(), 1}
			f := open(t, s.file())
			dst := words.Bytes(s.size() * to.Size())
			err := f.Read(dst, Layout{DType: to})
			switch loss := element.Conversion(from, to); {
			case loss == element.Refused:
				wantError(t, err, "memory.npy", from.String(), "cannot become "+to.String(), "help")
			case from.Class() == element.Signed && to.Class() == element.Unsigned:
				wantError(t, err, "memory.npy", "element [0] is -50, which "+to.String()+" cannot hold")
			case err != nil:
				t.Errorf("%v to %v: %v", from, to, err)
			case !slices.Equal(dst, s.packed(to)):
				t.Errorf("%v to %v: wrong values", from, to)
			}
		}
	}
}

func TestConvertLimits(t *testing.T) {
	check := func(name string, ok bool) {
		t.Helper()
		if !ok {
			t.Error(name)
		}
	}
	// 2^24 + 1 is a tie for float32; with one more bit far below, the nearest is above. Passing through float64 would lose that bit.
	big := int64(1)<<60 + int64(1)<<36
	check("ties to even", as[int64, float32](t, []int64{big})[0] == float32(1<<60))
	check("rounded once", as[int64, float32](t, []int64{big + 1})[0] > float32(1<<60))
	check("unsigned", as[uint64, float32](t, []uint64{math.MaxUint64})[0] == float32(1<<64))
	check("float overflow", math.IsInf(float64(as[float64, float32](t, []float64{-1e300})[0]), -1))
	check("NaN", math.IsNaN(as[float32, float64](t, []float32{float32(math.NaN())})[0]))
	check("complex", as[float64, complex64](t, []float64{1, 2.5})[1] == 2.5)

	for _, c := range []struct {
		file []byte
		to   element.DType
		want string
	}{
		{fileOf(t, []int16{0, 127, 128}), element.Int8, "element [2] is 128"},
		{fileOf(t, []int16{-128, -129}), element.Int8, "element [1] is -129"},
		{fileOf(t, []uint64{1 << 63}), element.Int64, "element [0] is 9223372036854775808"},
		{fileOf(t, []uint64{math.MaxUint64}), element.Int8, "element [0] is 18446744073709551615"},
		{fileOf(t, []int8{-1}), element.Uint64, "element [0] is -1"},
	} {
		f := open(t, c.file)
		dst := words.Bytes(64)
		wantError(t, f.Read(dst, Layout{DType: c.to}), "memory.npy", c.want, "help: keep the array as")
	}
}

func TestUnfitNamesItsIndex(t *testing.T) {
	s := sample{element.Int16, []int{4, 5, 6}, true, binary.BigEndian, 1}
	f := open(t, s.file())
	dst := words.Bytes(1024)
	// value(at) = at*13 mod 101 - 50: the first negative one in the slab from 2 is its element 63.
	wantError(t, f.ReadTile(dst, Layout{DType: element.Uint8}, region.Whole(s.shape...).Along(0, region.Interval{Lo: 2, Hi: 3})), "memory.npy", "element [2 0 3] is -39")
}

func TestBooleansAreZeroOrOne(t *testing.T) {
	file := npyFile(1, "{'descr': '|b1', 'fortran_order': False, 'shape': (3,)}", []byte{0, 1, 200})
	dst := make([]byte, 3)
	if err := open(t, file).Read(dst, Layout{DType: element.Bool}); err != nil || !slices.Equal(dst, []byte{0, 1, 1}) {
		t.Errorf("booleans read as %v, %v", dst, err)
	}
}

func fileOf[T element.Go](t *testing.T, values []T) []byte {
	t.Helper()
	h, err := newHeader(element.Of[T](), []int{len(values)})
	if err != nil {
		t.Fatal(err)
	}
	return append(h.encode(), words.Raw(values)...)
}

func as[S, D element.Go](t *testing.T, values []S) []D {
	t.Helper()
	out, err := Values[D](open(t, fileOf(t, values)))
	if err != nil {
		t.Fatal(err)
	}
	return out
}
