package ops

import "slices"

// Property is what a square matrix may be.
type Property int

// What is known of matrices. That zero is all of Lower but the diagonal is there, and so on.
const (
	Diagonal Property = iota
	Lower
	Upper
	Symmetric
	PositiveDefinite // and symmetric
	properties
)

// PropertyNames are as programs write them.
var PropertyNames = [properties]string{"diagonal", "lower", "upper", "symmetric", "positive_definite"}

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
}

// Structured is an operator that knows something of what it gives: of an output, from how it was called.
type Structured interface {
	Structure(c *Call, out int) Structure
}

// StructureOf is what is known of an array.
func StructureOf(a Array) Structure {
	if a.Of == nil {
		return Structure{}
	}
	if s, ok := a.Of.Bound.(Structured); ok {
		return s.Structure(a.Of.Call, a.Out)
	}
	return Structure{}
}

// With adds a property, and what follows from all that is known then.
func (s Structure) With(p Property, t Trust) Structure {
	s.Is[p] = max(s.Is[p], t)
	follows := func(what Property, from ...Property) {
		s.Is[what] = max(s.Is[what], worst(s.Is, from))
	}
	follows(Symmetric, PositiveDefinite)
	follows(Diagonal, Lower, Upper)
	follows(Diagonal, Lower, Symmetric)
	follows(Diagonal, Upper, Symmetric)
	follows(Lower, Diagonal)
	follows(Upper, Diagonal)
	follows(Symmetric, Diagonal)
	return s
}

func worst(is [properties]Trust, of []Property) Trust {
	t := Verified
	for _, p := range of {
		t = min(t, is[p])
	}
	return t
}

// Over is what is known of the matrices with these rows and columns: of what is over other dims nothing, and with the two the other way round, of its transpose.
func (s Structure) Over(rows, columns string) Structure {
	switch {
	case s.Rows == columns && s.Columns == rows:
		s.Is[Lower], s.Is[Upper] = s.Is[Upper], s.Is[Lower]
	case s.Rows != rows || s.Columns != columns:
		s.Is = [properties]Trust{}
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
	Added:      {Diagonal: all, Lower: all, Upper: all, Symmetric: all, PositiveDefinite: all},
	Subtracted: {Diagonal: all, Lower: all, Upper: all, Symmetric: all},
	Multiplied: {Diagonal: one, Lower: one, Upper: one, Symmetric: all, PositiveDefinite: all}, // Schur's theorem
	Product:    {Diagonal: all, Lower: all, Upper: all},
	Inverted:   {Diagonal: all, Lower: all, Upper: all, Symmetric: all, PositiveDefinite: all},
}

// Joined is what is known of what is made of matrices.
func Joined(how Join, of ...Structure) Structure {
	s := Structure{Rows: of[0].Rows, Columns: of[len(of)-1].Columns}
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
