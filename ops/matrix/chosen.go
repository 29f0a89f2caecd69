package matrix

import (
	"math"
	"slices"

	"weft/kernels/ir"
	"weft/ops"
)

// A zone is a part of a square matrix.
type zone int

const (
	below zone = iota
	onDiagonal
	above
	zones
)

// holds is what is known of a condition at all places of a zone.
type holds int

const (
	somewhere holds = iota // it may hold and not hold
	always
	nowhere
)

func (h holds) not() holds { return [...]holds{somewhere, nowhere, always}[h] }

// mostCompared are how many rows it is looked at.
const mostCompared = 1 << 20

// Chosen is what is known of where(condition, a, b), by whether the condition compares what is along the rows with what is along the columns.
func Chosen(condition, a, b ops.Value) (s Structure) {
	array, ok := condition.(ops.Array)
	if !ok {
		return s
	}
	if s.Rows, s.Columns = sides(array); s.Rows == "" {
		return s
	}
	z := zoned{s.Rows, s.Columns}
	var from [zones]int // which of them the zone is all of: 0 if it is of both
	var zero, one [zones]Trust
	for at := range zones {
		switch z.of(array, at) {
		case always:
			from[at], zero[at], one[at] = 1, z.zero(a, at), z.one(a)
		case nowhere:
			from[at], zero[at], one[at] = 2, z.zero(b, at), z.one(b)
		default:
			zero[at] = min(z.zero(a, at), z.zero(b, at))
		}
	}
	s = s.With(Lower, zero[above]).With(Upper, zero[below]).With(Zero, min(zero[below], zero[onDiagonal], zero[above])).With(UnitDiagonal, one[onDiagonal])
	if of := from[below]; of > 0 && of == from[above] {
		is := z.known([]ops.Value{a, b}[of-1]).Is
		if s = s.With(Symmetric, is[Symmetric]); zero[onDiagonal] > Unknown || from[onDiagonal] == of {
			s = s.With(Antisymmetric, is[Antisymmetric])
		}
	}
	return s
}

// sides are the dims, of as many elements, that something compares.
func sides(condition ops.Array) (rows, columns string) {
	args := condition.Of.Call.Args
	switch condition.Of.Spec.Name {
	case "less", "less_equal", "equal", "not_equal":
		x, isX := args["a"].(ops.Array)
		y, isY := args["b"].(ops.Array)
		if !isX || !isY {
			return "", ""
		}
		one, other := x.Type().Dims, y.Type().Dims
		if len(one) == 1 && len(other) == 1 && one[0].Name != other[0].Name && one[0].Size == other[0].Size && one[0].Size > 1 && one[0].Count == nil && other[0].Count == nil {
			return one[0].Name, other[0].Name
		}
	case "and", "or", "not":
		for _, arg := range []string{"a", "b"} {
			if of, ok := args[arg].(ops.Array); ok && rows == "" {
				rows, columns = sides(of)
			}
		}
	}
	return rows, columns
}

// zoned are matrices with these rows and columns.
type zoned struct{ rows, columns string }

// known is what is known of a value.
func (z zoned) known(v ops.Value) Structure {
	if a, ok := v.(ops.Array); ok && (a.Type().Dim(z.rows) >= 0 || a.Type().Dim(z.columns) >= 0) {
		s := StructureOf(a).Over(z.rows, z.columns)
		for p, t := range s.Is {
			s.Is[p] = min(t, Derived)
		}
		return s
	}
	n, number := v.(ops.Number)
	s := Constant(z.rows, z.columns, false) // one number, at least of each product of a batch
	if number && n.V == 0 && n.From == "" {
		s = s.With(Zero, Derived)
	}
	return s
}

// zero is why a value is known to be zero in a zone.
func (z zoned) zero(v ops.Value, at zone) Trust {
	return z.known(v).Is[[zones]Property{Upper, Zero, Lower}[at]]
}

// one is why a value is known to be one on the diagonal.
func (z zoned) one(v ops.Value) Trust {
	if n, ok := v.(ops.Number); ok && n.V == 1 && n.From == "" && n.Unit.Plain() {
		return Derived
	}
	return z.known(v).Is[UnitDiagonal]
}

// of is what is known of a condition in a zone.
func (z zoned) of(condition ops.Value, at zone) holds {
	if is, ok := condition.(ops.Flag); ok {
		if is {
			return always
		}
		return nowhere
	}
	c, ok := condition.(ops.Array)
	if !ok {
		return somewhere
	}
	args := c.Of.Call.Args
	switch name := c.Of.Spec.Name; name {
	case "not":
		return z.of(args["a"], at).not()
	case "and", "or":
		x, y := z.of(args["a"], at), z.of(args["b"], at)
		decides, leaves := nowhere, always
		if name == "or" {
			decides, leaves = always, nowhere
		}
		switch {
		case x == decides || y == decides:
			return decides
		case x == leaves && y == leaves:
			return leaves
		}
	case "less", "less_equal":
		return z.compared(args, at, name == "less")
	case "equal":
		return z.equal(args, at)
	case "not_equal":
		return z.equal(args, at).not()
	}
	return somewhere
}

// equal is whether both sides of a comparison are: neither less, or one.
func (z zoned) equal(args map[string]ops.Value, at zone) holds {
	turned := map[string]ops.Value{"a": args["b"], "b": args["a"]}
	less, more := z.compared(args, at, true), z.compared(turned, at, true)
	switch {
	case less == always || more == always:
		return nowhere
	case less == nowhere && more == nowhere:
		return always
	}
	return somewhere
}

// compared is whether a is less than b, or not above it, in a zone.
func (z zoned) compared(args map[string]ops.Value, at zone, less bool) holds {
	x, isX := args["a"].(ops.Array)
	y, isY := args["b"].(ops.Array)
	if !isX || !isY {
		return somewhere
	}
	one, other := x.Type().DimNames(), y.Type().DimNames()
	turned := slices.Equal(one, []string{z.columns}) && slices.Equal(other, []string{z.rows})
	if !turned && !(slices.Equal(one, []string{z.rows}) && slices.Equal(other, []string{z.columns})) {
		return somewhere
	}
	xs, ys, near := both(x, y)
	if xs == nil {
		return somewhere
	}
	if turned {
		at = zones - 1 - at
	}
	yes, no := 0, 0
	n := len(xs)
	test := func(x, least, most float64) {
		switch {
		case x < least-near || !less && near == 0 && x == least:
			yes++
		case x > most+near || less && near == 0 && x == most:
			no++
		}
	}
	count := n - 1
	switch at {
	case onDiagonal:
		count = n
		for i := range n {
			test(xs[i], ys[i], ys[i])
		}
	case below: // places of y before that of x
		least, most := math.Inf(1), math.Inf(-1)
		for i := 1; i < n; i++ {
			least, most = min(least, ys[i-1]), max(most, ys[i-1])
			test(xs[i], least, most)
		}
	case above:
		least, most := math.Inf(1), math.Inf(-1)
		for i := n - 2; i >= 0; i-- {
			least, most = min(least, ys[i+1]), max(most, ys[i+1])
			test(xs[i], least, most)
		}
	}
	switch count {
	case yes:
		return always
	case no:
		return nowhere
	}
	return somewhere
}

// both are the elements of what is compared, where they are known, and within how much of each other they may come out in any order: 0 of whole numbers, which all types hold.
func both(x, y ops.Array) (xs, ys []float64, near float64) {
	value := func(a ops.Array) []float64 {
		if !slices.Contains([]ir.DType{ir.F32, ir.F64, ir.I32, ir.I64}, a.Type().Elem.Base) || a.Type().Elem.Complex {
			return nil
		}
		v, ok := ops.Evaluate(a, mostCompared)
		if !ok || slices.ContainsFunc(v.Re, func(x float64) bool { return math.IsNaN(x) || math.IsInf(x, 0) }) {
			return nil
		}
		return v.Re
	}
	if xs, ys = value(x), value(y); xs == nil || ys == nil {
		return nil, nil, 0
	}
	whole, most := true, 0.0
	for _, v := range slices.Concat(xs, ys) {
		whole, most = whole && v == math.Trunc(v), max(most, math.Abs(v))
	}
	if !whole || most >= 1<<24 {
		near = most * 1e-5
	}
	return xs, ys, near
}
