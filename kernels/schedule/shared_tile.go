package schedule

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"

	"weft/kernels/ir"
)

// SharedTile is the part of an input that a block's points read, held in the block's shared memory. Which part that is follows
// from bounds of the loads' indices over the block: an index is taken where its distance from its lower bound has a limit
// that does not depend on the block.
type SharedTile struct {
	Number int // of the buffer among the kernel's inputs
	Buf    *ir.Buffer
	Base   []*ir.Node // the first index along each axis, in the block's origins
	Size   []int      // how many from there
	Loads  []*ir.Node // what reads it
	reads  float64    // by a block; threads of a warp that read the same count once, and what all threads read the same not at all
}

// Cells is how many elements it holds.
func (s *SharedTile) Cells() int {
	n := 1
	for _, x := range s.Size {
		n *= x
	}
	return n
}

// Bytes is the shared memory it takes.
func (s *SharedTile) Bytes() int { return (s.Cells()*s.Buf.Type.Size() + 15) / 16 * 16 }

// reuse is how often an element of the shared-memory tile is read.
func (s *SharedTile) reuse() float64 { return s.reads / float64(s.Cells()) }

// tiler finds shared-memory tiles. Origins stand for a block's first point along each of its axes.
type tiler struct {
	b       *ir.Builder
	k       *ir.Kernel
	s       CUDA
	origins map[*ir.Node]*ir.Node
	step    map[*ir.Node]int
	bounder *ir.Bounder
	folds   []*ir.Fold
	vary    ir.Set // binders that a shared-memory tile spans: the block's axes, and folds of known length
}

// SharedTilesOf are the shared-memory tiles of a schedule, with a block's first point along each axis of the kernel (nil where it
// is the axis itself), which b makes.
func SharedTilesOf(b *ir.Builder, k *ir.Kernel, s CUDA) (tiles []*SharedTile, origins []*ir.Node, err error) {
	p := newTiler(b, k, s)
	tiles, err = p.tiles()
	for _, axis := range k.Axes {
		origins = append(origins, p.origins[axis])
	}
	return tiles, origins, err
}

func newTiler(b *ir.Builder, k *ir.Kernel, s CUDA) *tiler {
	p := &tiler{b: b, k: k, s: s, origins: map[*ir.Node]*ir.Node{}, step: map[*ir.Node]int{}}
	for a, axis := range k.Axes {
		p.step[axis] = along(s.Block, a) * along(s.Unroll, a)
		if p.step[axis] > 1 {
			p.origins[axis] = b.Axis(axis.Name+" of block", axis.Extent)
			p.vary = p.vary.Or(axis.Bind())
		}
	}
	k.Walk(func(n *ir.Node) {
		if n.Kind != ir.KFold {
			return
		}
		p.folds = append(p.folds, n.Fold)
		if n.Fold.Lo.Kind == ir.KConst && n.Fold.Hi.Kind == ir.KConst {
			p.vary = p.vary.Or(n.Fold.IndexBind)
		}
	})
	p.bounder = &ir.Bounder{B: b, Over: p.vary, Leaf: func(n *ir.Node, s ir.Side) *ir.Node {
		switch o := p.origins[n]; {
		case n.Kind != ir.KAxis:
			return nil
		case o != nil && s == ir.Lo:
			return o
		case o != nil:
			return b.Add(o, b.I32(p.step[n]-1))
		case n.Role == ir.RoleIndex && s == ir.Lo:
			return n.Fold.Lo
		case n.Role == ir.RoleIndex:
			return b.Sub(n.Fold.Hi, b.Int(n.Type, 1))
		}
		return nil
	}}
	return p
}

// tiles are those of the schedule's buffers; an error names one that has none.
func (p *tiler) tiles() ([]*SharedTile, error) {
	var out []*SharedTile
	inputs := p.k.Inputs()
	for i, n := range p.s.SharedTiles {
		if n < 0 || n >= len(inputs) || slices.Contains(p.s.SharedTiles[:i], n) {
			return nil, wrong(p.k, "shared tiles %v do not name each of %d inputs at most once", p.s.SharedTiles, len(inputs))
		}
		s := p.tile(n)
		if s == nil {
			return nil, wrong(p.k, "how much of %s a block reads is not known", inputs[n].Name)
		}
		out = append(out, s)
	}
	var bases []*ir.Node
	for _, s := range out {
		bases = append(bases, s.Base...)
	}
	ir.WalkNodes(bases, func(n *ir.Node) { // where a tile begins is found before any of them is filled
		for _, s := range out {
			s.Loads = slices.DeleteFunc(s.Loads, func(l *ir.Node) bool { return l == n })
		}
	})
	return out, nil
}

// tile is that of input number n, for as many of its loads as lie at known distances from each other; nil if there is none.
func (p *tiler) tile(n int) *SharedTile {
	buf := p.k.Inputs()[n]
	if buf.Len() == 0 || len(buf.Shape) == 0 {
		return nil
	}
	var found []reach
	p.k.Walk(func(l *ir.Node) {
		if l.Kind == ir.KLoad && l.Buf == buf {
			if r, ok := p.reach(l); ok {
				found = append(found, r)
			}
		}
	})
	var best *SharedTile
	for _, first := range found[:min(len(found), 64)] {
		if best != nil && slices.Contains(best.Loads, first.load) {
			continue
		}
		if s := p.hull(n, buf, first, found); s != nil && (best == nil || s.reads > best.reads) {
			best = s
		}
	}
	return best
}

// reach is what one load reads over a block: from the index lo, width further at most.
type reach struct {
	load  *ir.Node
	lo    []*ir.Node
	width []int64
	times float64 // by each point, as SharedTile.reads counts
}

func (p *tiler) reach(l *ir.Node) (r reach, ok bool) {
	r = reach{load: l, times: 1}
	for _, i := range l.Index() {
		w, ok := p.width(i)
		if !ok || w > maxShared {
			return r, false
		}
		lo := p.bounder.Bound(i, ir.Lo)
		if lo == nil || !p.known(lo) {
			return r, false
		}
		r.lo, r.width = append(r.lo, lo), append(r.width, int64(w))
	}
	for _, f := range p.folds {
		if l.Free().Meets(f.IndexBind) {
			r.times *= Trips(f)
		}
	}
	r.times /= p.alike(l)
	return r, true
}

// alike is how many threads of a warp read the same element, which takes no longer than one; infinite where all of a block do.
func (p *tiler) alike(l *ir.Node) float64 {
	same, lanes, differs := 1, 32, false
	for _, b := range p.s.Block {
		n := min(b.N, lanes)
		lanes /= max(1, n)
		if l.Free().Meets(p.k.Axes[b.Axis].Bind()) {
			differs = differs || b.N > 1
		} else {
			same *= n
		}
	}
	if !differs {
		return math.Inf(1)
	}
	return float64(same)
}

// known reports whether a value is there before any fold runs.
func (p *tiler) known(n *ir.Node) bool {
	free := n.Free()
	for axis, o := range p.origins {
		free = free.Minus(o.Bind())
		if n.Free().Meets(axis.Bind()) {
			return false
		}
	}
	for _, axis := range p.k.Axes {
		free = free.Minus(axis.Bind())
	}
	return free.Empty()
}

// maxShared is what static shared memory holds, in bytes.
const maxShared = 48 << 10

// width bounds how far an index goes above its lower bound within a block; what does not vary must be known.
func (p *tiler) width(n *ir.Node) (float64, bool) {
	return ir.Widths{
		Varies: func(n *ir.Node) bool { return p.bounder.Varies(n) || !p.known(n) },
		Leaf: func(n *ir.Node) (float64, bool) {
			switch {
			case p.origins[n] != nil:
				return float64(p.step[n] - 1), true
			case n.Kind == ir.KAxis && n.Role == ir.RoleIndex && n.Fold.Lo.Kind == ir.KConst && n.Fold.Hi.Kind == ir.KConst:
				return float64(max(0, n.Fold.Hi.I-n.Fold.Lo.I-1)), true
			}
			return 0, false
		},
	}.Of(n)
}

// hull is the shared-memory tile of all loads whose distance from a first one is known.
func (p *tiler) hull(n int, buf *ir.Buffer, first reach, found []reach) *SharedTile {
	rank := len(buf.Shape)
	from, to := make([]int64, rank), slices.Clone(first.width)
	out := &SharedTile{Number: n, Buf: buf}
	points := float64(1)
	for _, s := range p.step {
		points *= float64(s)
	}
	for _, r := range found {
		lows, highs := slices.Clone(from), slices.Clone(to)
		ok := true
		for d := range rank {
			lo, hi, known := apart(first.lo[d], r.lo[d])
			ok = ok && known
			lows[d], highs[d] = min(lows[d], lo), max(highs[d], hi+r.width[d])
		}
		if ok {
			from, to = lows, highs
			out.Loads, out.reads = append(out.Loads, r.load), out.reads+points*r.times
		}
	}
	total := int64(buf.Type.Size())
	for d := range rank {
		size := to[d] - from[d] + 1
		if total *= size; size > maxShared || total > maxShared {
			return nil
		}
		out.Size = append(out.Size, int(size))
		out.Base = append(out.Base, p.b.Add(first.lo[d], p.b.Int(first.lo[d].Type, from[d])))
	}
	return out
}

// apart bounds how far y lies above x; ok is false if that depends on more than constants.
func apart(x, y *ir.Node) (lo, hi int64, ok bool) {
	var d ir.Linear
	d.Add(y, 1)
	d.Add(x, -1)
	d.Terms = slices.DeleteFunc(d.Terms, func(t ir.Term) bool { return t.Coef == 0 })
	switch {
	case len(d.Terms) == 0:
		return d.C, d.C, true
	case len(d.Terms) != 2 || d.Terms[0].Coef*d.Terms[1].Coef != -1:
		return 0, 0, false
	}
	q, p := d.Terms[0].N, d.Terms[1].N
	if d.Terms[0].Coef < 0 {
		p, q = q, p
	}
	if p.Kind != ir.KAlu || q.Kind != ir.KAlu || p.Op != q.Op || p.Op != ir.Min && p.Op != ir.Max {
		return 0, 0, false
	}
	lo0, hi0, ok0 := apart(p.Args[0], q.Args[0])
	lo1, hi1, ok1 := apart(p.Args[1], q.Args[1])
	return d.C + min(lo0, lo1), d.C + max(hi0, hi1), ok0 && ok1
}

// WithSharedTiles is the schedule with shared-memory tiles of the inputs of which a block reads each element at least reuse times
// on average, the most read first, as far as they fit into so many bytes.
func (s CUDA) WithSharedTiles(k *ir.Kernel, reuse float64, bytes int) CUDA {
	p := newTiler(ir.Extend(k.Roots()), k, s)
	var list []*SharedTile
	for n := range k.Inputs() {
		if x := p.tile(n); x != nil && x.reuse() >= reuse {
			list = append(list, x)
		}
	}
	slices.SortStableFunc(list, func(a, b *SharedTile) int { return cmp.Compare(b.reuse(), a.reuse()) })
	s.SharedTiles = nil
	for _, x := range list {
		if bytes -= x.Bytes(); bytes < 0 {
			break
		}
		s.SharedTiles = append(s.SharedTiles, x.Number)
	}
	slices.Sort(s.SharedTiles)
	return s
}

// sharedTileText lists shared-memory tiles for people.
func sharedTileText(k *ir.Kernel, s CUDA) string {
	tiles, err := newTiler(ir.Extend(k.Roots()), k, s).tiles()
	if err != nil {
		return fmt.Sprintf("shared tiles %v", s.SharedTiles)
	}
	var out []string
	for _, x := range tiles {
		size := make([]string, len(x.Size))
		for d, n := range x.Size {
			size[d] = fmt.Sprint(n)
		}
		out = append(out, fmt.Sprintf("shared tile of %s %s read %.3g times", x.Buf.Name, strings.Join(size, "x"), x.reuse()))
	}
	return strings.Join(out, ", ")
}
