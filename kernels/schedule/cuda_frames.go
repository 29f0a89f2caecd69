package schedule

import (
	"cmp"
	"slices"

	"weft/kernels/ir"
	"weft/kernels/ir/moved"
)

// Frames of a batch, and whatever else shares most of what a fold computes, are best side by side in memory on GPUs: a thread then takes several of them, loads them by
// one instruction from one address, and does once what they share.
const (
	framesBytes  = 16 // that a thread loads by one instruction
	framesMost   = 16 // that it takes by two instructions where one has 8, which are halves: of four bytes, two would have a line of the caches read twice
	framesAccs   = 4  // accumulators of a fold at most
	framesLanes  = 8  // threads along the axis at most: with frames of 4 bytes, a line of the caches; of frames in blocks, those of one
	framesPoints = 8  // along each of two other axes: what is loaded at one place is loaded by others of a block too
)

// FramesInnermost are the buffers that a kernel on a GPU reads faster with another dim innermost, and which dim that is.
func FramesInnermost(k *ir.Kernel) map[*ir.Buffer]int {
	s := newSurvey(k, Target{Lanes: 32, ISA: "cuda"})
	f := s.heaviest()
	if f == nil || s.times(f.Node)*s.trips(f) < longFold {
		return nil
	}
	a, share := s.severalAxis(f, nil)
	if a < 0 || share < framesWork {
		return nil
	}
	axis, out := k.Axes[a], map[*ir.Buffer]int{}
	varies := func(n *ir.Node) bool { return s.vary(n).Meets(axis.Bind()) }
	for _, n := range s.nodes {
		if n.Kind != ir.KLoad || !varies(n) {
			continue
		}
		at := slices.Index(n.Index(), axis)
		if at < 0 || s.deepest(n) != f || !guardedAlike(n, varies) || slices.ContainsFunc(slices.Delete(slices.Clone(n.Index()), at, at+1), varies) {
			return nil // it would not be loaded with others
		}
		out[n.Buf] = at
	}
	for b, at := range out {
		if b.Type.Size() > 4 || framesEach(b.Type) < 2 || at == len(b.Shape)-1 || b.Shape[at]%framesEach(b.Type) != 0 || !holds(f, framesEach(b.Type)) {
			return nil
		}
	}
	return out
}

// guardedAlike reports a load whose guard, if any, is the same for all points of an axis.
func guardedAlike(n *ir.Node, varies func(*ir.Node) bool) bool {
	guard, other := n.Guard()
	return guard == nil || !varies(guard) && other.Kind == ir.KConst
}

// framesEach is how many elements of a type a thread takes: of bytes, which caches hold many of, one by one.
func framesEach(t ir.DType) int {
	if t.Size() == 1 {
		return 1
	}
	return framesBytes / t.Size()
}

// holds reports whether a thread has registers for so many outputs of a fold.
func holds(f *ir.Fold, each int) bool {
	return len(f.Accs) <= framesAccs && each*len(f.Accs) <= maxOutputs
}

// framesTogether is a schedule under which a thread has several outputs along an axis that share most of a fold's work, and whose elements lie side by side in memory; the
// plain one where there is no such axis.
func (s *survey) framesTogether(f *ir.Fold, c CUDA) CUDA {
	a, share := s.severalAxis(f, nil)
	if a < 0 || share < framesWork || s.left(f) {
		return c
	}
	axis, each, block := s.k.Axes[a], frames*2, s.k.Axes[a].Extent
	var loads []*ir.Node
	varies := func(n *ir.Node) bool { return s.vary(n).Meets(axis.Bind()) }
	for _, n := range s.in[f] {
		if n.Kind != ir.KLoad || !varies(n) {
			continue
		}
		by := framesEach(n.Buf.Type)
		if !guardedAlike(n, varies) || n.Buf.Pad.Before%by != 0 || !ir.Flatten(n.Buf, n.Index()).Beside(axis, int64(by)) {
			return c
		}
		each, loads = min(each, by), append(loads, n)
		for _, x := range n.Index() {
			if _, in := x.InBlocks(axis); in > 0 {
				block = min(block, int(in))
			}
		}
	}
	if loads == nil || each < 2 || !holds(f, each) {
		return c
	}
	if 2*each == framesMost && block%framesMost == 0 && holds(f, framesMost) && s.k.Points() >= fillThreads*framesMost {
		each = framesMost
	}
	c.Together, c.Unroll, c.Block = true, []AxisN{{a, each}}, []AxisN{{a, min(framesLanes, (block+each-1)/each)}}
	for _, o := range s.nearest(f, loads) {
		if o != a && len(c.Block) < 3 {
			c.Block = append(c.Block, AxisN{o, min(framesPoints, s.k.Axes[o].Extent)})
		}
	}
	return c
}

// nearest are the axes, fastest first, of which neighbours load from places that lie near each other, as far as ranges tell: the memory of a multiprocessor gives a warp all of a line
// at once. Of folds that are short the usual order.
func (s *survey) nearest(f *ir.Fold, loads []*ir.Node) []int {
	order, far := s.threadOrder(f), make([]float64, len(s.k.Axes))
	if s.times(f.Node)*s.trips(f) < longFold {
		return order
	}
	for a := range s.k.Axes {
		for _, n := range loads {
			far[a] += moved.Apart(n, s.k.Axes, a, s.vary)
		}
	}
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(far[a], far[b]) })
	return order
}
