// Package matrix says what is known of matrices: that they are triangles, symmetric and so on, why, and what that says of what is made of them.
package matrix

import (
	"slices"

	"weft/ops"
)

// Property is what a square matrix may be.
type Property int

// What is known of matrices. That zero is all of Lower but the diagonal is there, and so on.
const (
	Zero Property = iota
	Diagonal
	Lower
	Upper
	UnitDiagonal // whatever is beside it
	Symmetric
	Antisymmetric
	Orthogonal       // its inverse is its transpose
	PositiveDefinite // and symmetric
	properties
)

// PropertyNames are as programs write them.
var PropertyNames = [properties]string{"zero", "diagonal", "lower", "upper", "unit_diagonal", "symmetric", "antisymmetric", "orthogonal", "positive_definite"}

// Trust is why something is known of a matrix.
type Trust int

// From what is least to be trusted on. What follows from several is as good as the worst of them, and derived at best.
const (
	Unknown Trust = iota
	Asserted
	Derived
	Verified
)

func (t Trust) String() string { return [...]string{"unknown", "asserted", "derived", "verified"}[t] }

// Structure is what is known of the matrices over two dims of an array.
type Structure struct {
	Rows, Columns string
	Is            [properties]Trust
	Blocks        *Blocks // nil: it is not known to be made of some of which one is zero
}

// Structured is an operator that knows something of what it gives: of an output, from how it was called.
type Structured interface {
	Structure(c *ops.Call, out int) Structure
}

// StructureOf is what is known of an array.
func StructureOf(a ops.Array) Structure {
	if a.Of == nil {
		return Structure{}
	}
	return a.Of.Found(structureOf(a.Out), func() any {
		if s, ok := a.Of.Bound.(Structured); ok {
			return s.Structure(a.Of.Call, a.Out)
		}
		return Structure{}
	}).(Structure)
}

type structureOf int // of an output

// With adds a property, and what follows from all that is known then.
func (s Structure) With(p Property, t Trust) Structure {
	s.Is[p] = max(s.Is[p], t)
	follows := func(what Property, from ...Property) {
		s.Is[what] = max(s.Is[what], worst(s.Is, from))
	}
	for before := (Structure{}); before != s; {
		before = s
		follows(Symmetric, PositiveDefinite)
		follows(Zero, Symmetric, Antisymmetric)
		for _, triangle := range []Property{Lower, Upper} {
			follows(Diagonal, triangle, Symmetric)
			follows(Diagonal, triangle, Orthogonal)
			follows(Zero, triangle, Antisymmetric)
			follows(triangle, Diagonal)
		}
		follows(Diagonal, Lower, Upper)
		follows(Symmetric, Diagonal)
		for _, of := range []Property{Diagonal, Antisymmetric} {
			follows(of, Zero)
		}
		for _, of := range []Property{Orthogonal, PositiveDefinite} { // of ones alone
			follows(of, Diagonal, UnitDiagonal)
		}
		for _, of := range []Property{Diagonal, UnitDiagonal} {
			follows(of, Orthogonal, PositiveDefinite)
		}
	}
	return s
}

func worst(is [properties]Trust, of []Property) Trust {
	t := Verified
	for _, p := range of {
		t = min(t, is[p])
	}
	return t
}

// Contradiction is two things that are said of one matrix of which no matrix is both: that it is zero follows from others, so that these are told first.
func (s Structure) Contradiction() (one, other Property, found bool) {
	for _, c := range [][2]Property{{Antisymmetric, UnitDiagonal}, {Antisymmetric, PositiveDefinite}, {Zero, UnitDiagonal}, {Zero, Orthogonal}, {Zero, PositiveDefinite}} {
		if s.Is[c[0]] > Unknown && s.Is[c[1]] > Unknown {
			return c[0], c[1], true
		}
	}
	return 0, 0, false
}

// Over is what is known of the matrices with these rows and columns: of what is over other dims nothing, and with the two the other way round, of its transpose.
func (s Structure) Over(rows, columns string) Structure {
	switch {
	case s.Rows == columns && s.Columns == rows:
		s.Is[Lower], s.Is[Upper] = s.Is[Upper], s.Is[Lower]
		s.Blocks = s.Blocks.Turned()
	case s.Rows != rows || s.Columns != columns:
		s.Is, s.Blocks = [properties]Trust{}, nil
	}
	s.Rows, s.Columns = rows, columns
	return s
}

// Join is how matrices are joined.
type Join int

// The ways.
const (
	Added Join = iota
	Subtracted
	Multiplied // element by element
	Product    // of matrices
	Inverted   // one of them, as is said of it where it has an inverse
	joins
)

type keeping int

const (
	never keeping = iota
	one           // what one of them is, all of it is
	all           // what all of them are
)

// kept is what is known of what is made of matrices of finite numbers, from what is known of them.
var kept = [joins][properties]keeping{
	Added:      {Diagonal: all, Lower: all, Upper: all, Symmetric: all, Antisymmetric: all, PositiveDefinite: all},
	Subtracted: {Diagonal: all, Lower: all, Upper: all, Symmetric: all, Antisymmetric: all},
	Multiplied: {Zero: one, Diagonal: one, Lower: one, Upper: one, UnitDiagonal: all, Symmetric: all, PositiveDefinite: all}, // Schur's theorem
	Product:    {Zero: one, Diagonal: all, Lower: all, Upper: all, Orthogonal: all},
	Inverted:   {Diagonal: all, Lower: all, Upper: all, Symmetric: all, Antisymmetric: all, Orthogonal: all, PositiveDefinite: all},
}

// pair is what is kept where one of two matrices is one thing, and the other another: in this order alone, if it is so.
type pair struct {
	one, other, is Property
	ordered        bool
}

var pairs = [joins][]pair{
	Added:      {{one: UnitDiagonal, other: Antisymmetric, is: UnitDiagonal}, {one: UnitDiagonal, other: Zero, is: UnitDiagonal}, {one: Orthogonal, other: Zero, is: Orthogonal}, {one: PositiveDefinite, other: Zero, is: PositiveDefinite}},
	Subtracted: {{UnitDiagonal, Antisymmetric, UnitDiagonal, true}, {UnitDiagonal, Zero, UnitDiagonal, true}, {PositiveDefinite, Zero, PositiveDefinite, true}, {one: Orthogonal, other: Zero, is: Orthogonal}},
	Multiplied: {{one: Antisymmetric, other: Antisymmetric, is: Symmetric}, {one: Antisymmetric, other: Symmetric, is: Antisymmetric}},
}

// triangles are the ways in which triangles with ones on the diagonal make others.
var triangles = [joins]bool{Product: true, Inverted: true}

// Joined is what is known of what is made of matrices.
func Joined(how Join, of ...Structure) Structure {
	s := Structure{Rows: of[0].Rows, Columns: of[len(of)-1].Columns}
	if len(of) == 2 {
		s.Blocks = joinedBlocks(how, of[0], of[1])
	}
	for p, k := range kept[how] {
		var t []Trust
		for _, x := range of {
			t = append(t, x.Is[p])
		}
		switch k {
		case one:
			s = s.With(Property(p), min(Derived, slices.Max(t)))
		case all:
			s = s.With(Property(p), min(Derived, slices.Min(t)))
		}
	}
	for _, k := range pairs[how] {
		x, y := of[0].Is, of[1].Is
		t := min(x[k.one], y[k.other])
		if !k.ordered {
			t = max(t, min(x[k.other], y[k.one]))
		}
		s = s.With(k.is, min(Derived, t))
	}
	for _, triangle := range []Property{Lower, Upper} {
		t := Derived
		for _, x := range of {
			t = min(t, x.Is[triangle], x.Is[UnitDiagonal])
		}
		if triangles[how] {
			s = s.With(UnitDiagonal, t)
		}
	}
	return s
}

// Constant is what is known of matrices all of whose elements are one number: Positive where it is above 0, which keeps what is joined with it by elements
// positive definite.
func Constant(rows, columns string, positive bool) Structure {
	s := Structure{Rows: rows, Columns: columns}
	if positive {
		return s.With(PositiveDefinite, Derived)
	}
	return s.With(Symmetric, Derived)
}
