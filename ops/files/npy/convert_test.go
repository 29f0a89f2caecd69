package npy

import (
	"encoding/binary"
	"math"
	"slices"
	"testing"

	"weft/kernels/region"
	"weft/ops/files/words"
)

// Every half is the value its bits spell by IEEE 754, and comes back unchanged.
func TestHalfExhaustive(t *testing.T) {
	for i := range 1 << 16 {
		h := uint16(i)
		sign, exponent, fraction := 1.0, int(h>>10&31), float64(h&1023)
		if h>>15 == 1 {
			sign = -1
		}
		var want float64
		switch {
		case exponent == 31 && fraction == 0:
			want = math.Inf(int(sign))
		case exponent == 31:
			want = math.NaN()
		case exponent == 0:
			want = sign * math.Ldexp(fraction, -24)
		default:
			want = sign * math.Ldexp(1024+fraction, exponent-25)
		}
		got := HalfToFloat32(h)
		if math.IsNaN(want) {
			if got == got || Float32ToHalf(got) != h|0x200 {
				t.Fatalf("%#04x: a NaN became %v, then %#04x", h, got, Float32ToHalf(got))
			}
			continue
		}
		if float64(got) != want || math.Signbit(float64(got)) != (sign < 0) {
			t.Fatalf("%#04x is %v, want %v", h, got, want)
		}
		if back := Float32ToHalf(got); back != h {
			t.Fatalf("%#04x came back as %#04x", h, back)
		}
	}
}

// Between two neighbouring halves, below the middle goes down, above it up, and the middle to the even one.
func TestHalfRounding(t *testing.T) {
	for h := uint16(0); h < 0x7bff; h++ {
		lo, hi := float64(HalfToFloat32(h)), float64(HalfToFloat32(h+1))
		middle := (lo + hi) / 2
		even := h + h&1
		for _, c := range []struct {
			value float64
			want  uint16
		}{{math.Nextafter(middle, lo), h}, {middle, even}, {math.Nextafter(middle, hi), h + 1}} {
			if got := Float64ToHalf(c.value); got != c.want {
				t.Fatalf("%v, between %#04x and its neighbour, became %#04x, want %#04x", c.value, h, got, c.want)
			}
			if got := Float64ToHalf(-c.value); got != c.want|0x8000 {
				t.Fatalf("%v became %#04x", -c.value, got)
			}
		}
	}
	for _, c := range []struct {
		value float64
		want  uint16
	}{
		{65519.999, 0x7bff}, {65520, 0x7c00}, {1e300, 0x7c00}, {math.Inf(-1), 0xfc00},
		{math.Ldexp(1, -25), 0}, {math.Nextafter(math.Ldexp(1, -25), 1), 1}, {5e-324, 0}, {math.Copysign(0, -1), 0x8000},
	} {
		if got := Float64ToHalf(c.value); got != c.want {
			t.Errorf("%v became %#04x, want %#04x", c.value, got, c.want)
		}
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

// All pairs of types on values that all of them hold, longer than the pieces in which conversion works.
func TestConvertEveryPair(t *testing.T) {
	for _, from := range allDTypes() {
		for _, to := range allDTypes() {
			s := sample{from, []int{2*piece + 7}, false, hostOrder(), 1}
			f := open(t, s.file())
			dst := words.Bytes(s.size() * to.Size())
			err := f.Read(dst, Layout{DType: to})
			switch loss := Conversion(from, to); {
			case loss == Refused:
				wantError(t, err, "memory.npy", from.String(), "cannot become "+to.String(), "help")
			case dtypes[from].class == classInt && dtypes[to].class == classUint:
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
		to   DType
		want string
	}{
		{fileOf(t, []int16{0, 127, 128}), Int8, "element [2] is 128"},
		{fileOf(t, []int16{-128, -129}), Int8, "element [1] is -129"},
		{fileOf(t, []uint64{1 << 63}), Int64, "element [0] is 9223372036854775808"},
		{fileOf(t, []uint64{math.MaxUint64}), Int8, "element [0] is 18446744073709551615"},
		{fileOf(t, []int8{-1}), Uint64, "element [0] is -1"},
	} {
		f := open(t, c.file)
		dst := words.Bytes(64)
		wantError(t, f.Read(dst, Layout{DType: c.to}), "memory.npy", c.want, "help: keep the array as")
	}
}

func TestUnfitNamesItsIndex(t *testing.T) {
	s := sample{Int16, []int{4, 5, 6}, true, binary.BigEndian, 1}
	f := open(t, s.file())
	dst := words.Bytes(1024)
	// value(at) = at*13 mod 101 - 50: the first negative one in the slab from 2 is its element 63.
	wantError(t, f.ReadTile(dst, Layout{DType: Uint8}, region.Whole(s.shape...).Along(0, region.Interval{Lo: 2, Hi: 3})), "memory.npy", "element [2 0 3] is -39")
}

func TestBooleansAreZeroOrOne(t *testing.T) {
	file := npyFile(1, "{'descr': '|b1', 'fortran_order': False, 'shape': (3,)}", []byte{0, 1, 200})
	dst := make([]byte, 3)
	if err := open(t, file).Read(dst, Layout{DType: Bool}); err != nil || !slices.Equal(dst, []byte{0, 1, 1}) {
		t.Errorf("booleans read as %v, %v", dst, err)
	}
}

func fileOf[T Element](t *testing.T, values []T) []byte {
	t.Helper()
	h, err := newHeader(TypeOf[T](), []int{len(values)})
	if err != nil {
		t.Fatal(err)
	}
	return append(h.encode(), words.Raw(values)...)
}

func as[S, D Element](t *testing.T, values []S) []D {
	t.Helper()
	out, err := Values[D](open(t, fileOf(t, values)))
	if err != nil {
		t.Fatal(err)
	}
	return out
}
