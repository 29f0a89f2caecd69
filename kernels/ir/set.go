package ir

import (
	"iter"
	"math/bits"
)

// MaxBinders is how many axes and folds (two each) one builder can bind: twice as many as the kernels of a plan, since the definitions that these are
// checked by have by themselves what kernels do in one loop.
const KernelBinders, MaxBinders = 256, 512

// Set is a set of binders: one bit for each parallel axis, each fold's index, and each fold's accumulators together.
type Set [MaxBinders / 64]uint64

func bit(i int) (s Set) {
	s[i/64] = 1 << (i % 64)
	return s
}

// last is the number, from 1 on, of the last member; 0: there is none.
func (s Set) last() (n int) {
	for i, w := range s {
		if w != 0 {
			n = 64*i + bits.Len64(w)
		}
	}
	return n
}

// Or is the union.
func (s Set) Or(t Set) Set {
	for i := range s {
		s[i] |= t[i]
	}
	return s
}

// And is the intersection.
func (s Set) And(t Set) Set {
	for i := range s {
		s[i] &= t[i]
	}
	return s
}

// Minus is s without the members of t.
func (s Set) Minus(t Set) Set {
	for i := range s {
		s[i] &^= t[i]
	}
	return s
}

// Meets reports whether two sets have a common member.
func (s Set) Meets(t Set) bool {
	for i := range s {
		if s[i]&t[i] != 0 {
			return true
		}
	}
	return false
}

// Empty reports whether the set has no members.
func (s Set) Empty() bool { return s == Set{} }

// Members are the numbers of the set's binders, below MaxBinders.
func (s Set) Members() iter.Seq[int] {
	return func(yield func(int) bool) {
		for i, word := range s {
			for ; word != 0; word &= word - 1 {
				if !yield(64*i + bits.TrailingZeros64(word)) {
					return
				}
			}
		}
	}
}
