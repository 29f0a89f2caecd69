package enclose

import (
	"errors"
	"math"
	"slices"

	"weft/kernels/ir"
)

// Load gives an element of a buffer: what a device may read of it, which has two ends where a table is held in fewer digits.
type Load func(b *ir.Buffer, index []int) (ir.Interval, error)

// Kernel bounds what the stores of a kernel hold at points of its axes. It is for one goroutine.
type Kernel struct {
	k    *ir.Kernel
	load Load
	left int // operations

	point map[*ir.Node]int
	vals  []Values
	at    []int // when a value was found
	clock int
	open  []*scope
	folds map[*ir.Fold][]Values
	when  map[*ir.Fold]int
	spare []int // of indices
}

// scope is a loop that is running: what it binds, and when that changed.
type scope struct {
	binds ir.Set
	since int
}

// New prepares a kernel that rules.Check passes.
func New(k *ir.Kernel, load Load) *Kernel {
	last := 0
	k.Walk(func(n *ir.Node) { last = max(last, n.ID()) })
	return &Kernel{k: k, load: load, point: map[*ir.Node]int{}, vals: make([]Values, last+1), at: make([]int, last+1),
		folds: map[*ir.Fold][]Values{}, when: map[*ir.Fold]int{}}
}

// errUnknown is a value that cannot be bounded, errLong one that takes too many operations.
var (
	errUnknown = errors.New("not known")
	errLong    = errors.New("too many operations")
)

// At bounds the values that the stores would write at a point, in at most so many operations; ok is false where that is not known. left is
// how many operations are left.
func (e *Kernel) At(point []int, operations int) (values []Values, left int, ok bool) {
	e.left = operations
	e.clock++
	all := &scope{since: e.clock}
	for i, a := range e.k.Axes {
		e.point[a] = point[i]
		all.binds = all.binds.Or(a.Bind())
	}
	e.open = []*scope{all}
	for _, s := range e.k.Stores {
		v, err := e.of(s.Value)
		if err != nil {
			return nil, e.left, false
		}
		values = append(values, v)
	}
	return values, e.left, true
}

// since is when what a value depends on changed last.
func (e *Kernel) since(n *ir.Node) int {
	free := n.Free()
	for i := len(e.open) - 1; i > 0; i-- { // what an inner loop binds changed after what an outer one does
		if s := e.open[i]; free.Meets(s.binds) {
			return s.since
		}
	}
	if free.Meets(e.open[0].binds) {
		return e.open[0].since
	}
	return 0 // the same at every point
}

func (e *Kernel) of(n *ir.Node) (Values, error) {
	id := n.ID()
	if e.at[id] > e.since(n) {
		return e.vals[id], nil
	}
	if e.left--; e.left < 0 {
		return nil, errLong
	}
	v, err := e.compute(n)
	if err != nil {
		return nil, err
	}
	e.set(n, v)
	return v, nil
}

func (e *Kernel) set(n *ir.Node, v Values) {
	e.clock++
	e.vals[n.ID()], e.at[n.ID()] = v, e.clock
}

func (e *Kernel) compute(n *ir.Node) (Values, error) {
	switch n.Kind {
	case ir.KConst, ir.KArg:
		if n.Kind == ir.KArg && (math.IsNaN(n.F) || !n.Type.Float()) {
			return nil, errUnknown
		}
		if !n.Type.Float() {
			return exactly(float64(n.I)), nil
		}
		if math.IsNaN(n.F) {
			return Values{{Lo: n.F, Hi: n.F, NaN: true}}, nil
		}
		if n.Type == ir.F32 {
			r := float64(float32(n.F))
			return Values{{Lo: min(n.F, r), Hi: max(n.F, r)}}, nil
		}
		return exactly(n.F), nil
	case ir.KAxis:
		if i, ok := e.point[n]; ok && n.Role == ir.RoleParallel {
			return exactly(float64(i)), nil
		}
	case ir.KLoad:
		return e.loaded(n)
	case ir.KGet:
		out, err := e.fold(n.Fold)
		if err != nil {
			return nil, err
		}
		return out[n.I], nil
	case ir.KAlu:
		return e.alu(n)
	}
	return nil, errUnknown
}

// place is the element of a buffer that an index means, in spare memory, where that is known.
func (e *Kernel) place(n *ir.Node) (at []int, known bool, err error) {
	start := len(e.spare)
	defer func() { e.spare = e.spare[:start] }()
	for d, x := range n.Index() {
		v, err := e.of(x)
		if err != nil {
			return nil, false, err
		}
		i, ok := v.point()
		if !ok || i < 0 || i >= float64(n.Buf.Shape[d]) {
			return nil, false, nil
		}
		e.spare = append(e.spare, int(i))
	}
	return e.spare[start:], true, nil
}

// places are the elements of a buffer that an index may mean.
func (e *Kernel) places(n *ir.Node) ([][]int, error) {
	places := [][]int{make([]int, 0, len(n.Index()))}
	for d, x := range n.Index() {
		v, err := e.of(x)
		if err != nil {
			return nil, err
		}
		var next [][]int
		for _, i := range v {
			if i.NaN || i.Hi-i.Lo >= most {
				return nil, errUnknown
			}
			for at := max(0, i.Lo); at <= min(i.Hi, float64(n.Buf.Shape[d]-1)); at++ {
				for _, p := range places {
					next = append(next, append(p[:d:d], int(at)))
				}
			}
		}
		if places = next; len(places) > most*most {
			return nil, errUnknown
		}
	}
	return places, nil
}

func (e *Kernel) loaded(n *ir.Node) (Values, error) {
	var out Values
	inside := Values{{Lo: 1, Hi: 1}}
	if guard, other := n.Guard(); guard != nil {
		var err error
		if inside, err = e.of(guard); err != nil {
			return nil, err
		}
		if inside[0].Lo == 0 {
			if out, err = e.of(other); err != nil {
				return nil, err
			}
			out = append(Values{}, out...)
		}
	}
	if inside[len(inside)-1].Hi == 1 {
		at, known, err := e.place(n)
		places := [][]int{at}
		if err == nil && !known {
			places, err = e.places(n)
		}
		if err != nil {
			return nil, err
		}
		for _, p := range places {
			i, err := e.load(n.Buf, p)
			if err != nil {
				return nil, err
			}
			out = append(out, i)
		}
	}
	switch len(out) {
	case 0:
		return nil, errUnknown
	case 1:
		return out, nil
	}
	return join(out), nil
}

func (e *Kernel) alu(n *ir.Node) (Values, error) {
	var args [3]Values
	var each [3]ir.Interval
	one := true // interval for each operand
	for i, a := range n.Args {
		var err error
		if n.Op == ir.Select && i > 0 && len(args[0]) == 1 && args[0][0].Lo == float64(i-1) { // the other one
			continue
		}
		if args[i], err = e.of(a); err != nil {
			return nil, err
		}
		each[i] = args[i][0]
		one = one && len(args[i]) == 1
	}
	switch {
	case n.Op == ir.Select && (args[1] == nil || args[2] == nil):
		return append(args[1], args[2]...), nil
	case n.Op == ir.Select:
		return join(slices.Concat(args[1], args[2])), nil
	case one:
		out, err := apply(n, each)
		if len(out) > 1 {
			out = join(out)
		}
		return out, err
	}
	var out Values
	var choose func(i int) error
	choose = func(i int) error {
		if i == len(n.Args) {
			parts, err := apply(n, each)
			out = append(out, parts...)
			return err
		}
		if i == 1 && n.Args[1] == n.Args[0] { // the same value
			each[1] = each[0]
			return choose(2)
		}
		for _, x := range args[i] {
			each[i] = x
			if err := choose(i + 1); err != nil {
				return err
			}
		}
		return nil
	}
	if err := choose(0); err != nil {
		return nil, err
	}
	return join(out), nil
}

// exactTo is the range of whole numbers that float64 holds without gaps.
const exactTo = 1 << 53

// apply is what an operation makes of one interval for each operand.
func apply(n *ir.Node, a [3]ir.Interval) (Values, error) {
	info := n.Op.Info()
	from := n.Args[0].Type
	if n.Op == ir.Bits {
		return bits(n, a[0])
	}
	points := true
	for _, x := range a[:info.Arity] {
		points = points && x.Lo == x.Hi && !x.NaN
	}
	if !from.Float() && !n.Type.Float() && points {
		return integers(n, [3]int64{int64(a[0].Lo), int64(a[1].Lo), int64(a[2].Lo)})
	}
	if info.Cost.Transcendental() {
		return function(n, a)
	}
	if info.Gives == ir.Truth && from.Float() {
		switch {
		case math.IsNaN(a[0].Lo) || math.IsNaN(a[1].Lo): // as NaN alone compares
			return exactly(map[bool]float64{true: 1}[n.Op == ir.Ne]), nil
		case n.Op == ir.Eq && n.Args[0] == n.Args[1] && !a[0].NaN: // a number equals itself, whichever it is
			return exactly(1), nil
		}
	}
	i := n.Range(a)
	switch {
	case (n.Op == ir.Min || n.Op == ir.Max) && math.IsNaN(a[0].Lo): // which is skipped
		return Values{a[1]}, nil
	case math.IsNaN(i.Lo) || math.IsNaN(i.Hi):
		return nil, errUnknown
	case n.Type.Int() || n.Type == ir.Bool:
		if end := map[bool]float64{true: 1 << 31, false: exactTo}[n.Type == ir.I32]; i.NaN || i.Lo < -end || i.Hi >= end { // it may wrap
			return nil, errUnknown
		}
		return whole(i), nil
	case info.Gives == ir.Whole:
		return whole(i), nil
	case n.Op == ir.Cast && (n.Type == ir.F64 || !from.Float() && max(math.Abs(i.Lo), math.Abs(i.Hi)) <= 1<<24):
		return Values{i}, nil
	case info.Exact == ir.Rounds:
		return Values{widened(i, n.Type, 1)}, nil
	}
	return Values{i}, nil
}

// integers is an operation on integers that are known.
func integers(n *ir.Node, a [3]int64) (Values, error) {
	if n.Type == ir.I32 {
		switch n.Op {
		case ir.Ushr:
			a[0] = int64(uint32(a[0]))
			fallthrough
		case ir.Shl, ir.Shr:
			a[1] &= 31
		}
	}
	v := n.Op.Info().Int(a)
	switch {
	case n.Type == ir.Bool:
		v = min(1, max(v, -v))
	case n.Type == ir.I32:
		v = int64(int32(v))
	}
	if v <= -exactTo || v >= exactTo {
		return nil, errUnknown
	}
	return exactly(float64(v)), nil
}

// bits of a float32 that is known, and the other way round: adding to them moves the value by units in the last place.
func bits(n *ir.Node, a ir.Interval) (Values, error) {
	if a.Lo != a.Hi || a.NaN {
		return nil, errUnknown
	}
	switch n.Type {
	case ir.I32:
		return exactly(float64(int32(math.Float32bits(float32(a.Lo))))), nil
	case ir.F32:
		v := float64(math.Float32frombits(uint32(int32(a.Lo))))
		return Values{{Lo: v, Hi: v, NaN: v != v}}, nil
	}
	return nil, errUnknown
}

// inaccuracy is how many half units in the last place elementary functions may be off.
const inaccuracy = 8

// function bounds an elementary function over a short interval by its values at the ends and in the middle, with room for as much again.
func function(n *ir.Node, a [3]ir.Interval) (Values, error) {
	f, arity := n.Op.Info().Float, n.Op.Info().Arity
	if n.Op == ir.Atan2 && a[0].Lo < 0 && a[0].Hi >= 0 && a[1].Lo < 0 { // across the cut, where it jumps
		below, above := a, a
		below[0].Hi, above[0].Lo = -math.SmallestNonzeroFloat64, 0
		x, err := function(n, below)
		if err != nil {
			return nil, err
		}
		y, err := function(n, above)
		return append(x, y...), err
	}
	var middle [3]float64
	for i := range arity {
		if a[i].NaN || math.IsInf(a[i].Lo, 0) != math.IsInf(a[i].Hi, 0) {
			return nil, errUnknown
		}
		middle[i] = a[i].Lo/2 + a[i].Hi/2
	}
	mid := f(middle)
	lo, hi, never := mid, mid, math.IsNaN(mid)
	for corner := range 1 << arity {
		var x [3]float64
		for i := range arity {
			if x[i] = a[i].Lo; corner>>i&1 == 1 {
				x[i] = a[i].Hi
			}
		}
		v := f(x)
		lo, hi, never = min(lo, v), max(hi, v), never && math.IsNaN(v)
	}
	switch {
	case never: // defined
		return Values{{Lo: mid, Hi: mid, NaN: true}}, nil
	case math.IsNaN(lo): // across the end of where it is defined
		i := n.Range(a)
		if i.NaN = true; math.IsNaN(i.Lo) || math.IsNaN(i.Hi) {
			return nil, errUnknown
		}
		return Values{widened(i, n.Type, inaccuracy)}, nil
	}
	if spread := hi - lo; !math.IsInf(spread, 0) && spread > 0 {
		lo, hi = lo-spread, hi+spread
	}
	return Values{widened(ir.Interval{Lo: lo, Hi: hi}, n.Type, inaccuracy)}, nil
}
