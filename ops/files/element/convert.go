package element

import (
	"fmt"
	"strconv"

	"weft/kernels/device"
	"weft/ops/files/fileio"
	"weft/ops/files/words"
)

// Loss says what a conversion between element types can do to a value.
type Loss uint8

// The kinds of conversion.
const (
	Exact   Loss = iota // every value is kept
	Rounded             // to the nearest value, ties to even; beyond the range to infinity
	Checked             // exact for values that fit; reading another value is an error that names it
	Refused             // not done: it would drop a part of every value
)

// Conversion says what reading elements of one type as another does.
//
// Whole numbers become floats, and floats other floats, by IEEE 754 rounding. Whole numbers become narrower ones only where
// they fit. Floats do not become whole numbers, nor complex numbers real ones: which rounding or which part is
// meant is for the caller to say. Booleans count as 0 and 1; nothing else becomes a boolean.
func Conversion(from, to DType) Loss {
	f, t := dtypes[from], dtypes[to]
	signLost := f.class == Signed && t.class == Unsigned
	switch {
	case from == to:
		return Exact
	case t.class == Truth, t.class < f.class && f.class >= Floating:
		return Refused
	case t.class >= Floating && f.bits > t.bits:
		return Rounded
	case t.class < Floating && (f.bits > t.bits || signLost):
		return Checked
	}
	return Exact
}

// Convert turns native elements into native elements of another type: src and dst are aligned and hold the same
// number. It gives the index of the first value that does not fit, or -1.
type Convert func(dst, src []byte) int

// refusedHelp says what to do instead of a refused conversion, by the class converted from.
var refusedHelp = map[Class]string{
	Signed:   "compare with 0 to get booleans",
	Unsigned: "compare with 0 to get booleans",
	Floating: "take the array as a float type and say how to round it",
	Complex:  "take the array as a complex type, then its real part, imaginary part or magnitude",
}

// Converter finds the conversion. Between complex types the parts are converted as reals.
func Converter(from, to DType) (Convert, error) {
	if !to.Valid() || !from.Valid() {
		return nil, fmt.Errorf("no element type: %v", min(from, to))
	}
	if Conversion(from, to) == Refused {
		return nil, &fileio.Error{Kind: fileio.BadType, Reason: fmt.Sprintf("%v elements cannot become %v", from, to), Help: refusedHelp[dtypes[from].class]}
	}
	if dtypes[to].class != Complex {
		return reals(from, to), nil
	}
	if dtypes[from].class == Complex {
		return parts(reals(part(from), part(to))), nil
	}
	return withZeroImaginary(reals(from, part(to)), to), nil
}

// part is the type of the real and of the imaginary part.
func part(d DType) DType {
	if d == Complex64 {
		return Float32
	}
	return Float64
}

// parts halves the index that a conversion of parts reports.
func parts(c Convert) Convert {
	return func(dst, src []byte) int {
		if bad := c(dst, src); bad >= 0 {
			return bad / 2
		}
		return -1
	}
}

func withZeroImaginary(c Convert, to DType) Convert {
	return func(dst, src []byte) int {
		bad := c(dst[:len(dst)/2], src)
		// From the end, so that no real part is overwritten before it has moved.
		if to == Complex64 {
			spread(words.View[float32](dst))
		} else {
			spread(words.View[float64](dst))
		}
		return bad
	}
}

// spread moves the reals in the first half of s to the even places and puts 0 in the odd ones.
func spread[T float32 | float64](s []T) {
	for i := len(s)/2 - 1; i >= 0; i-- {
		s[2*i], s[2*i+1] = s[i], 0
	}
}

// reals converts between types that are not complex. Values pass through the widest type of their class, in
// pieces that stay in the first-level cache; the widest integers are not passed through floats, which would round twice.
func reals(from, to DType) Convert {
	switch {
	case from == to && from != Bool:
		return func(dst, src []byte) int { copy(dst, src); return -1 }
	case to == Float32 && toSingle[from] != nil:
		return toSingle[from]
	case to == Float64 && toDouble[from] != nil:
		return toDouble[from]
	}
	sizes := [2]int{from.Size(), to.Size()}
	switch dtypes[from].class {
	case Signed:
		return through(loadInt[from], storeInt[to], sizes)
	case Floating:
		return through(loadFloat[from], storeFloat[to], sizes)
	}
	return through(loadUint[from], storeUint[to], sizes)
}

type integer interface {
	int8 | int16 | int32 | int64 | uint8 | uint16 | uint32 | uint64
}

type wide interface{ int64 | uint64 | float64 }

const piece = 512 // elements: 4 KiB of the widest type

func through[W wide](load func([]W, []byte), store func([]byte, []W) int, size [2]int) Convert {
	return func(dst, src []byte) int {
		var buffer [piece]W
		for done := 0; done*size[0] < len(src); done += piece {
			from := src[done*size[0] : min((done+piece)*size[0], len(src))]
			n := len(from) / size[0]
			load(buffer[:n], from)
			if bad := store(dst[done*size[1]:(done+n)*size[1]], buffer[:n]); bad >= 0 {
				return done + bad
			}
		}
		return -1
	}
}

// The conversions that most files need, at once.
var toSingle, toDouble = casts[float32](), casts[float64]()

func casts[D float32 | float64]() map[DType]Convert {
	return map[DType]Convert{
		Int8: cast[int8, D], Int16: cast[int16, D], Int32: cast[int32, D], Int64: cast[int64, D],
		Uint8: cast[uint8, D], Uint16: cast[uint16, D], Uint32: cast[uint32, D], Uint64: cast[uint64, D],
		Float32: cast[float32, D], Float64: cast[float64, D],
	}
}

func cast[S integer | float32 | float64, D float32 | float64](dst, src []byte) int {
	out := words.View[D](dst)
	for i, v := range words.View[S](src)[:len(out)] {
		out[i] = D(v)
	}
	return -1
}

var loadInt = map[DType]func([]int64, []byte){
	Int8: load[int8, int64], Int16: load[int16, int64], Int32: load[int32, int64], Int64: load[int64, int64],
}

var loadUint = map[DType]func([]uint64, []byte){
	Uint8: load[uint8, uint64], Uint16: load[uint16, uint64], Uint32: load[uint32, uint64], Uint64: load[uint64, uint64],
	Bool: loadBool,
}

var loadFloat = map[DType]func([]float64, []byte){
	Float16: loadHalf, Float32: load[float32, float64], Float64: load[float64, float64],
}

// Text writes the first element of src, a whole number, of a type.
func Text(d DType, src []byte) string {
	if load, signed := loadInt[d]; signed {
		one := make([]int64, 1)
		load(one, src[:d.Size()])
		return strconv.FormatInt(one[0], 10)
	}
	one := make([]uint64, 1)
	loadUint[d](one, src[:d.Size()])
	return strconv.FormatUint(one[0], 10)
}

var (
	storeInt   = stores[int64]()
	storeUint  = stores[uint64]()
	storeFloat = map[DType]func([]byte, []float64) int{
		Float16: storeHalf[float64], Float32: storeReal[float64, float32], Float64: storeReal[float64, float64],
	}
)

func stores[W int64 | uint64]() map[DType]func([]byte, []W) int {
	return map[DType]func([]byte, []W) int{
		Int8: storeFitting[W, int8], Int16: storeFitting[W, int16], Int32: storeFitting[W, int32], Int64: storeFitting[W, int64],
		Uint8: storeFitting[W, uint8], Uint16: storeFitting[W, uint16], Uint32: storeFitting[W, uint32], Uint64: storeFitting[W, uint64],
		Float16: storeHalf[W], Float32: storeReal[W, float32], Float64: storeReal[W, float64],
		Bool: storeFitting[W, uint8], // only ever from a boolean
	}
}

func load[S integer | float32 | float64, W wide](out []W, src []byte) {
	for i, v := range words.View[S](src)[:len(out)] {
		out[i] = W(v)
	}
}

// loadBool counts every byte but 0 as true, as NumPy does.
func loadBool(out []uint64, src []byte) {
	for i, v := range src[:len(out)] {
		out[i] = uint64(min(v, 1))
	}
}

func loadHalf(out []float64, src []byte) {
	for i, v := range words.View[uint16](src)[:len(out)] {
		out[i] = float64(device.FloatFromHalf(v))
	}
}

func storeReal[W wide, D float32 | float64](dst []byte, in []W) int {
	out := words.View[D](dst)
	for i, v := range in[:len(out)] {
		out[i] = D(v)
	}
	return -1
}

// storeHalf goes through float64. That rounds once only: whole numbers that float64 cannot hold are infinite as halves.
func storeHalf[W wide](dst []byte, in []W) int {
	out := words.View[uint16](dst)
	for i, v := range in[:len(out)] {
		out[i] = device.HalfFromFloat(float64(v))
	}
	return -1
}

func storeFitting[W int64 | uint64, D integer](dst []byte, in []W) int {
	out := words.View[D](dst)
	for i, v := range in[:len(out)] {
		d := D(v)
		if W(d) != v || (d < 0) != (v < 0) {
			return i
		}
		out[i] = d
	}
	return -1
}
