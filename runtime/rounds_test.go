package runtime

import (
	"errors"
	"path/filepath"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"
	"weft/runtime/journal"

	"weft/kernels/device"
	"weft/kernels/ir"
	"weft/kernels/region"
	"weft/ops"
)

// counting is a drive in rounds: object i counts to what a table says of it, and doubles what it has in each round; what it is told how much
// each adds it reads by the order in which they stand.
type counting struct {
	ops.Gives
	most     int
	neighbor bool // it reads what another object has
	launch   func(round int) error
	left     []int
}

func (c *counting) Programs(l *ops.Lowering) ops.Drive {
	object := ops.Dim{Name: "object", Size: c.Gives[0].Type.Len()}
	at := func(e ops.ElemType) ops.Type { return ops.Type{Elem: e, Dims: []ops.Dim{object}} }
	pairs := ops.Type{Elem: ops.F32, Dims: []ops.Dim{object, {Name: "pair", Size: 2}}}
	sum, has, done, order := l.State("sum", at(ops.F32)), l.State("has", pairs), l.State("done", at(ops.Bool)), l.State("order", at(ops.I32))
	in := l.In("a") // [y, x], as one object after the other
	of := func(b *ops.Body, i *ir.Node) *ir.Node {
		o := order.At(b, i).Re
		return in.At(b, b.Div(o, b.I32(in.Type.Dims[1].Size)), b.Mod(o, b.I32(in.Type.Dims[1].Size))).Re
	}
	zero := func(name string, t ops.Type) *ops.Stage {
		return l.Stage(name, t, nil, func(b *ops.Body, _ []*ir.Node) ops.Elem { return ops.Real(b.Const(t.Elem.Base, 0)) })
	}
	next := l.Stage("next.sum", at(ops.F32), []*ops.Stage{sum, done, order, in}, func(b *ops.Body, i []*ir.Node) ops.Elem {
		from := i[0]
		if c.neighbor {
			from = b.Max(b.Sub(i[0], b.I32(1)), b.I32(0))
		}
		was := sum.At(b, from).Re
		return ops.Real(b.Select(done.At(b, i...).Re, was, b.Add(was, of(b, i[0]))))
	})
	both := l.Stage("next.has", pairs, []*ops.Stage{has, done}, func(b *ops.Body, i []*ir.Node) ops.Elem {
		was := has.At(b, i...).Re
		return ops.Real(b.Select(done.At(b, i[0]).Re, was, b.Add(was, b.Add(b.Cast(ir.F32, i[1]), b.F32(1)))))
	})
	ends := l.Stage("next.done", at(ops.Bool), []*ops.Stage{has, done, order, in}, func(b *ops.Body, i []*ir.Node) ops.Elem {
		return ops.Real(b.Or(done.At(b, i...).Re, b.Le(of(b, i[0]), b.Add(has.At(b, i[0], b.I32(0)).Re, b.F32(1)))))
	})
	return ops.Drive{
		State: []*ops.Stage{sum, has, done, order}, Start: []*ops.Stage{zero("no.sum", at(ops.F32)), zero("has.none", pairs), zero("none.done", at(ops.Bool)), l.Objects(object)},
		Calls: []ops.Program{{Name: "count", Next: []*ops.Stage{next, both, ends, nil}, Most: c.most}}, Rounds: &ops.Rounds{Dim: "object", Done: 2, Order: 3},
	}
}

func (c *counting) Drive(h ops.Host) (ops.Note, error) {
	c.left = nil
	for round := range c.most {
		if c.launch != nil {
			if err := c.launch(round); err != nil {
				return ops.Note{}, err
			}
		}
		left, err := h.Round(0)
		if c.left = append(c.left, left); err != nil || left == 0 {
			return ops.Note{}, err
		}
	}
	return ops.Note{}, nil
}

// counted is a program in which the objects of a ramp count.
func (w *world) counted(c *counting, path string) []*ops.Instance {
	t := matrix(5, 8)
	object := ops.Dim{Name: "object", Size: 40}
	c.Gives = ops.Gives{{Name: "sum", Type: t}, {Name: "has", Type: ops.Type{Elem: ops.F32, Dims: []ops.Dim{object, {Name: "pair", Size: 2}}}}}
	op := w.use("counting", c, t, w.ramp(t))
	op.Out = c.Gives
	sum := w.keep("sum", ops.Array{Of: op})
	sum.Bound = written{sum.Bound.(taker), path}
	return []*ops.Instance{sum, w.keep("has", ops.Array{Of: op, Out: 1})}
}

// Objects that are done by themselves get what they would get alone, wherever they stand; those that are done are not computed for long.
func TestRounds(t *testing.T) {
	for _, most := range []int{100, 30, 7, 1} {
		dev := newFaulty("native")
		var points atomic.Int64
		dev.after = func(_ *ir.Kernel, _ device.Bindings, tile region.Region) { points.Add(tile.Points()) }
		w, c := newWorld(), &counting{most: most}
		r, err := Run(t.Context(), w.plan(t, dev, w.counted(c, "")...), Options{Devices: []device.Device{dev}, Threads: 2, Verify: true})
		if err != nil {
			t.Fatal(err)
		}
		for i, sum := range w.got["sum"].Re {
			turns := float64(min(most, max(1, i)))
			if has := w.got["has"].Re[2*i : 2*i+2]; sum != turns*float64(i) || has[0] != turns || has[1] != 2*turns {
				t.Errorf("at most %d: object %d has %v and %v", most, i, sum, has)
			}
		}
		if whole := int64(len(c.left)) * 40 * 4; most > 39 && (len(c.left) != 39 || points.Load() > whole*7/10) {
			t.Errorf("%d rounds over %d points, of %d", len(c.left), points.Load(), whole)
		}
		for _, p := range r.Parity {
			if !p.OK || p.Samples == 0 {
				t.Errorf("%+v", p)
			}
		}
	}
}

// Rounds that are cut off go on to the same.
func TestRoundsGoOn(t *testing.T) {
	defer func(least, most time.Duration) { journal.LeastBetween, journal.MostBetween = least, most }(journal.LeastBetween, journal.MostBetween)
	journal.LeastBetween, journal.MostBetween = 0, 0
	path := filepath.Join(t.TempDir(), "x.npy")
	dev := newFaulty("native")
	for cut := range 38 {
		w, c := newWorld(), &counting{most: 100}
		sinks := w.counted(c, path)
		lost := errors.New("cut off")
		c.launch = func(round int) error { return map[bool]error{true: lost}[round == cut] }
		if _, err := Run(t.Context(), w.plan(t, dev, sinks...), Options{Devices: []device.Device{dev}, Threads: 2, Verify: true}); !errors.Is(err, lost) {
			t.Fatal(err)
		}
		c.launch = nil
		if _, err := Run(t.Context(), w.plan(t, dev, sinks...), Options{Devices: []device.Device{dev}, Threads: 2, Verify: true, Resume: true}); err != nil {
			t.Fatal(err)
		}
		for i, sum := range w.got["sum"].Re {
			if sum != float64(max(1, i)*i) || w.got["has"].Re[2*i] != float64(max(1, i)) {
				t.Fatalf("cut off at %d: object %d has %v", cut, i, sum)
			}
		}
		if len(c.left) != 39 || !slices.IsSortedFunc(c.left, func(a, b int) int { return b - a }) {
			t.Errorf("cut off at %d: left were %v", cut, c.left)
		}
	}
}

// What the state holds of one object must not be made from that of another.
func TestRoundsOfNeighbors(t *testing.T) {
	w := newWorld()
	dev := newFaulty("native")
	if _, err := w.built(dev, w.counted(&counting{most: 3, neighbor: true}, "")...); err == nil || !strings.Contains(err.Error(), "only what stands there") {
		t.Error(err)
	}
}
