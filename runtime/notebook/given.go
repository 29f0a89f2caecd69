package notebook

import (
	"context"
	"fmt"
	"math"
	"slices"
	"sync"

	"weft/kernels/ir"
	"weft/ops"
)

// Given is an array in memory, as a value of a program: read where it lies, with margins as device.Margin asks, for as long as the program runs.
// Numbers are in SI units.
func Given(name string, h ops.HostArray) ops.Array {
	g := &given{Gives: ops.Gives{{Name: name, Type: h.Type}}, host: h} // stages are told apart by the names of outputs
	return ops.Array{Of: &ops.Instance{ID: firstGiven, Spec: givenSpec, Bound: g, Out: g.Outputs(), Label: name, Call: &ops.Call{Spec: givenSpec, Args: map[string]ops.Value{}}}}
}

// Renewed has a given array hold the elements of another one of its type. It reports whether a program would be the same with these: nobody looked for
// starts of rows in those that it held, and their range is the same where somebody asked, since programs can say it.
func Renewed(a, of ops.Array) bool {
	g, was := a.Of.Bound.(*given)
	next, is := of.Of.Bound.(*given)
	if !was || !is || g.starts {
		return false
	}
	g.host = next.host
	if !g.ranged {
		return true
	}
	lo, hi := rangeOf(g.host)
	return g.lo == lo && hi == g.hi
}

// Released has a given array hold no elements until it is renewed.
func Released(a ops.Array) { a.Of.Bound.(*given).host = ops.HostArray{} }

// Handed is a sink that hands an array over: the i-th of a program. take has it until it returns.
func Handed(i int, a ops.Array, take func(context.Context, ops.HostArray) error) *ops.Instance {
	args := map[string]ops.Value{"a": a}
	return &ops.Instance{ID: firstHanded - i, Spec: handSpec, Bound: handed(take), Call: &ops.Call{Spec: handSpec, Args: args}, Where: a.Of.Where}
}

// Numbers of uses that are in no text.
const (
	firstGiven  = -1_000_000
	firstHanded = -2_000_000
)

var (
	givenSpec = &ops.Spec{Name: "given", Doc: "An array that whoever runs the program gives."}
	handSpec  = &ops.Spec{Name: "hand", Doc: "Hand an array over.", Params: []ops.Param{{Name: "a", Accept: ops.KArray, Unit: "*"}}, Counts: true}
)

// given is the source of an array in memory.
type given struct {
	ops.Gives
	host   ops.HostArray
	mu     sync.Mutex
	lo, hi float64
	ranged bool // somebody was told the range
	starts bool // somebody looked for starts of rows
}

// Held is the array as it is.
func (g *given) Held(as []*ir.Buffer) (parts [][]byte) {
	if len(as) != len(g.host.Parts) {
		return nil
	}
	for i, p := range g.host.Parts {
		if b := as[i]; b.Type != p.Buf.Type || !slices.Equal(b.Shape, p.Buf.Shape) || !b.Pad.Same(p.Buf.Pad) || b.Held != p.Buf.Held {
			return nil
		}
		parts = append(parts, p.Data)
	}
	return parts
}

// Fill copies.
func (g *given) Fill(_ context.Context, to ops.HostArray) (ops.Note, error) {
	return ops.Note{Text: "given", Bytes: to.Type.Bytes()}, Copy(to, g.host)
}

// Range is that of the values, which are looked at once.
func (g *given) Range(int) (lo, hi float64, err error) {
	g.mu.Lock()
	defer g.mu.Unlock()
	if !g.ranged {
		g.lo, g.hi = rangeOf(g.host)
		g.ranged = true
	}
	return g.lo, g.hi, nil
}

// Starts are the elements, where they may be starts of rows.
func (g *given) Starts(int) []int {
	g.mu.Lock()
	g.starts = true
	g.mu.Unlock()
	t := g.host.Type
	if len(t.Dims) != 1 || !t.Elem.Base.Int() || t.Elem.Complex || !t.Unit.Plain() {
		return nil
	}
	out := make([]int, 0, t.Len())
	for row := range g.host.Parts[0].Values() {
		for _, v := range row {
			if n := len(out); v < 0 || n > 0 && int(v) < out[n-1] {
				return nil
			}
			out = append(out, int(v))
		}
	}
	return out
}

// rangeOf is the least and the largest element that is a number; 0 and 0 where none is.
func rangeOf(h ops.HostArray) (lo, hi float64) {
	lo, hi = math.Inf(1), math.Inf(-1)
	for _, p := range h.Parts {
		for row := range p.Values() {
			for _, v := range row {
				if math.Abs(v) <= math.MaxFloat64 {
					lo, hi = min(lo, v), max(hi, v)
				}
			}
		}
	}
	if lo > hi {
		return 0, 0
	}
	return lo, hi
}

// handed hands an array over.
type handed func(context.Context, ops.HostArray) error

// Outputs are none.
func (handed) Outputs() []ops.Output { return nil }

// Take calls it.
func (take handed) Take(ctx context.Context, in []ops.HostArray, _ ops.Terminal) (ops.Note, error) {
	return ops.Note{}, take(ctx, in[0])
}

// Ask makes the entry ask for arrays besides; take hears of each.
func (e *Entry) Ask(arrays []ops.Array, take func(context.Context, int, ops.HostArray) error) {
	for i, a := range arrays {
		e.sinks = append(e.sinks, Handed(i, a, func(ctx context.Context, h ops.HostArray) error { return take(ctx, i, h) }))
	}
}

// Last is the value that the last line of the entry shows; nil: it shows none.
func (e *Entry) Last() ops.Value {
	if n := len(e.sinks); n > 0 && len(e.asks) > 0 && e.sinks[n-1].Spec.Name == "show" {
		return e.sinks[n-1].Call.Args["value"]
	}
	return nil
}

// Quiet makes the entry ask for nothing: it defines.
func (e *Entry) Quiet() { e.asks, e.sinks = nil, nil }

// Files are those that the entry writes.
func (e *Entry) Files() (out []string) {
	for _, s := range e.sinks {
		if f := s.File(); f != "" {
			out = append(out, f)
		}
	}
	return out
}

// Give makes a value what a name stands for, in place of what it stood for, until it is defined.
func (n *Notebook) Give(name string, v ops.Value) {
	n.gifts++
	n.values[name], n.keys[name] = v, fmt.Sprintf("given %d", n.gifts)
}
