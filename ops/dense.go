package ops

import (
	"fmt"
	"iter"
	"slices"
)

// NewDense makes a zeroed array of the given shape.
func NewDense(complex bool, shape ...int) Dense {
	n := 1
	for _, s := range shape {
		n *= s
	}
	d := Dense{Shape: shape, Re: make([]float64, n)}
	if complex {
		d.Im = make([]float64, n)
	}
	return d
}

// Len is the number of elements.
func (d Dense) Len() int { return len(d.Re) }

// At is element i in C order.
func (d Dense) At(i int) complex128 {
	if d.Im == nil {
		return complex(d.Re[i], 0)
	}
	return complex(d.Re[i], d.Im[i])
}

// Set stores element i; the imaginary part is dropped by real arrays.
func (d Dense) Set(i int, v complex128) {
	d.Re[i] = real(v)
	if d.Im != nil {
		d.Im[i] = imag(v)
	}
}

// Strides are the distances between neighbours along each axis.
func (d Dense) Strides() []int {
	s := make([]int, len(d.Shape))
	step := 1
	for i := len(d.Shape) - 1; i >= 0; i-- {
		s[i] = step
		step *= d.Shape[i]
	}
	return s
}

// Indices yields every index of a shape in C order with its number; the slice is reused.
func Indices(shape []int) iter.Seq2[int, []int] {
	return func(yield func(int, []int) bool) {
		n := 1
		for _, s := range shape {
			n *= s
		}
		index := make([]int, len(shape))
		for i := range n {
			if !yield(i, index) {
				return
			}
			for k := len(shape) - 1; k >= 0; k-- {
				if index[k]++; index[k] < shape[k] {
					break
				}
				index[k] = 0
			}
		}
	}
}

// ReferenceKey is the key under which a Reference finds the k-th array of an argument: the name of the argument for the
// first one, name.1, name.2 and so on for further members of a list.
func ReferenceKey(param string, k int) string {
	if k == 0 {
		return param
	}
	return fmt.Sprintf("%s.%d", param, k)
}

// Shaped is an operator that goes by the dims of arrays alone, not by what they hold.
type Shaped interface{ Shaped() }

// Evaluate computes an array in plain float64 while the program is checked, by the references of all that it is made from. ok is false
// where something comes from outside, or an array has more elements than most.
func Evaluate(a Array, most int) (d Dense, ok bool) {
	made := map[*Instance][]Dense{}
	var visit func(in *Instance) bool
	visit = func(in *Instance) bool {
		if made[in] != nil {
			return true
		}
		r, ok := in.Bound.(Referencer)
		if !ok || slices.ContainsFunc(in.Out, func(o Output) bool { return o.Type.Len() > most }) {
			return false
		}
		args, count := map[string]Dense{}, map[string]int{}
		_, shaped := in.Bound.(Shaped)
		in.Call.Arrays(func(param string, a Array) {
			if ok = ok && (shaped || visit(a.Of)); ok && !shaped {
				args[ReferenceKey(param, count[param])] = made[a.Of][a.Out]
				count[param]++
			}
		})
		if ok {
			var err error
			made[in], err = r.Reference(args)
			ok = err == nil
		}
		return ok
	}
	if !visit(a.Of) {
		return Dense{}, false
	}
	return made[a.Of][a.Out], true
}
