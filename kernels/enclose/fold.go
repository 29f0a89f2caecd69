package enclose

import (
	"math"
	"slices"

	"weft/kernels/ir"
)

// fold runs a fold, once for every combination of what it depends on.
func (e *Kernel) fold(f *ir.Fold) ([]Values, error) {
	if out, ok := e.folds[f]; ok && e.when[f] > e.since(f.Node) {
		return out, nil
	}
	out, err := e.run(f)
	if err != nil {
		return nil, err
	}
	e.clock++
	e.folds[f], e.when[f] = out, e.clock
	return out, nil
}

func (e *Kernel) run(f *ir.Fold) ([]Values, error) {
	lo, err := e.of(f.Lo)
	if err != nil {
		return nil, err
	}
	hi, err := e.of(f.Hi)
	if err != nil {
		return nil, err
	}
	first, latest := lo[0].Lo, lo[len(lo)-1].Hi
	if !(latest-first <= mostStarts) {
		return nil, errUnknown
	}
	acc := make([]Values, len(f.Accs))
	for q, n := range f.Init {
		if acc[q], err = e.of(n); err != nil {
			return nil, err
		}
	}
	start := slices.Clone(acc)
	begin := func() { // it may begin here
		for q := range acc {
			acc[q] = join(slices.Concat(acc[q], start[q]))
		}
	}
	exits := make([]Values, len(acc)) // where it may have ended before
	leave := func() {
		for q := range acc {
			exits[q] = append(exits[q], acc[q]...)
		}
	}
	moved := make([]float64, len(acc)) // how far sums went, in all directions
	sc := &scope{binds: f.IndexBind.Or(f.AccBind)}
	e.open = append(e.open, sc)
	defer func() { e.open = e.open[:len(e.open)-1] }()
	turns, last := 0, hi[len(hi)-1].Hi
	for i := first; i < last; i++ {
		if first < i && i <= latest {
			begin()
		}
		if i >= hi[0].Lo {
			leave() // it may end here
		}
		e.clock++
		sc.since = e.clock
		e.set(f.Index, exactly(i))
		for q, a := range f.Accs {
			e.set(a, acc[q])
		}
		if f.While != nil {
			on, err := e.of(f.While)
			if err != nil {
				return nil, err
			}
			if on[0].Lo == 0 {
				leave()
			}
			if on[len(on)-1].Hi == 0 {
				return e.ended(f, exits, moved, turns)
			}
		}
		next := make([]Values, len(acc))
		for q, n := range f.Step {
			if next[q], err = e.of(n); err != nil {
				return nil, err
			}
			moved[q] += farthest(acc[q], next[q])
		}
		acc = next
		turns++
		if i >= latest && settled(f.Monoid, acc) {
			break
		}
	}
	if last <= latest {
		begin()
	}
	leave()
	return e.ended(f, exits, moved, turns)
}

// settled reports whether a fold has what it ends with.
func settled(m ir.Monoid, acc []Values) bool {
	end, ok := map[ir.Monoid]float64{ir.Any: 1, ir.All: 0}[m]
	for _, a := range acc {
		v, known := a.point()
		ok = ok && known && v == end
	}
	return ok
}

// ended are the results: what sums hold depends on the order in which they are added.
func (e *Kernel) ended(f *ir.Fold, exits []Values, moved []float64, turns int) ([]Values, error) {
	out := make([]Values, len(exits))
	for q, parts := range exits {
		out[q] = join(append(Values{}, parts...))
		if f.Monoid != ir.Sum && f.Monoid != ir.Product || !f.Accs[q].Type.Float() {
			continue
		}
		unit, _ := rounding(f.Accs[q].Type)
		slack := reordered * math.Sqrt(float64(turns)) * unit * moved[q]
		if f.Accs[q].Type == ir.F64 && narrow(f, f.Step[q]) {
			slack = reordered * 0x1p-24 * moved[q]
		}
		for i := range out[q] {
			out[q][i].Lo, out[q][i].Hi = out[q][i].Lo-slack, out[q][i].Hi+slack
		}
		out[q] = join(out[q])
	}
	return out, nil
}

// mostStarts is how far apart the turns are that a fold may begin with.
const mostStarts = 8

// reordered is how many times the usual growth of errors with the number of terms a sum in another order may be off.
const reordered = 4

// narrow reports whether the terms of a float64 sum may be added in float32 for a while.
func narrow(f *ir.Fold, step *ir.Node) bool {
	for _, a := range step.Args {
		if a.Kind == ir.KAlu && a.Op == ir.Cast && a.Args[0].Type == ir.F32 {
			return true
		}
	}
	return false
}

// farthest bounds how far apart two values are.
func farthest(a, b Values) float64 {
	d := max(math.Abs(b[len(b)-1].Hi-a[0].Lo), math.Abs(a[len(a)-1].Hi-b[0].Lo))
	if math.IsNaN(d) || math.IsInf(d, 0) {
		return 0
	}
	return d
}
