package schedule

import (
	"fmt"
	"hash/fnv"
	"slices"
	"strings"

	"weft/kernels/ir"
)

// CUDA says how a kernel's points lie on threads. The zero value is one thread a block.
type CUDA struct {
	Block       []AxisN `yaml:"block,omitempty"`             // points that a block's threads take, fastest first; at most three axes, two if Fold > 1
	Unroll      []AxisN `yaml:"unroll,omitempty"`            // outputs of a thread, a block's width apart
	Together    bool    `yaml:"together,omitempty"`          // outputs along the block's first axis lie side by side instead, and are loaded and stored together
	Fold        int     `yaml:"fold,omitempty"`              // threads that share a monoid fold: 32 are a warp, more (without Block) a block; 0: one thread folds
	Every       int     `yaml:"every,omitempty"`             // test exits of any- and all-folds every so many iterations
	Skip        bool    `yaml:"skip,omitempty"`              // leave out iterations of any-, all- and absorbing folds that maximum tables prove idle
	Vote        bool    `yaml:"vote,omitempty"`              // a warp's threads leave such folds, and iterations, together; needs whole warps
	SharedTiles []int   `yaml:"shared_tiles,omitempty,flow"` // inputs, by number, of which a block holds what it reads in shared memory
	AccMajor    bool    `yaml:"accMajor,omitempty"`          // emit accumulator by accumulator instead of output by output
	AccBlock    int     `yaml:"accBlock,omitempty"`          // accumulate float64 sums of float32 terms in float32 over so many iterations
}

// String is the schedule in one line, axes by number.
func (s CUDA) String() string {
	return s.text(func(a int) string { return fmt.Sprint(a) }, fmt.Sprintf("shared tiles %v", s.SharedTiles))
}

// Text is the schedule in one line, axes by the kernel's names.
func (s CUDA) Text(k *ir.Kernel) string {
	return s.text(func(a int) string { return k.Axes[a].Name }, sharedTileText(k, s))
}

func (s CUDA) text(name func(int) string, tiles string) string {
	var w words
	w.add(len(s.Block) == 0, "block 1")
	w.points("block", s.Block, name)
	w.points("each", s.Unroll, name)
	w.add(s.Together, "together")
	w.add(s.Fold == 32, "folds by warp")
	w.add(s.Fold > 32, "folds by block of %d", s.Fold)
	w.number("every", s.Every)
	w.number("accblock", s.AccBlock)
	w.add(len(s.SharedTiles) > 0, "%s", tiles)
	w.add(s.Skip, "skip")
	w.add(s.Vote, "vote")
	w.add(s.AccMajor, "accmajor")
	return strings.Join(w, ", ")
}

// Digest is a short name that tells schedules apart, fit for a symbol.
func (s CUDA) Digest() string {
	h := fnv.New32a()
	fmt.Fprintf(h, "%+v", s)
	return fmt.Sprintf("%08x", h.Sum32())
}

// Limits of every CUDA device since compute capability 2.0.
const (
	maxBlockThreads = 1024
	maxBlockZ       = 64
	maxOutputs      = 32 // of a thread, by its registers
)

// Check reports why a schedule does not fit a kernel.
func (s CUDA) Check(k *ir.Kernel) error {
	if err := checkPoints(k, s.Block, s.Unroll); err != nil {
		return err
	}
	t := s.Threads()
	switch {
	case s.Fold != 0 && (s.Fold < 32 || s.Fold%32 != 0):
		return wrong(k, "%d threads share a fold; a multiple of 32", s.Fold)
	case s.Fold > 32 && Product(s.Block) > 1:
		return wrong(k, "a block that shares folds computes one output")
	case len(s.Block) > 3 || s.Fold > 1 && len(s.Block) > 2:
		return wrong(k, "a block over %d axes", len(s.Block))
	case t[0]*t[1]*t[2] > maxBlockThreads || t[2] > maxBlockZ:
		return wrong(k, "a block of %dx%dx%d threads; at most %d, and %d in z", t[0], t[1], t[2], maxBlockThreads, maxBlockZ)
	case Product(s.Unroll) > maxOutputs:
		return wrong(k, "%d outputs a thread; at most %d", Product(s.Unroll), maxOutputs)
	case Product(s.Unroll) > 1 && s.Fold > 1:
		return wrong(k, "threads that share folds have one output")
	case Product(s.Unroll) > 1 && adds(k):
		return wrong(k, "a thread joins one value at a time with what is stored")
	case s.Vote && (s.Fold > 1 || t[0]*t[1]*t[2]%32 != 0):
		return wrong(k, "a warp's vote needs whole warps that share no folds, not a block of %dx%dx%d threads", t[0], t[1], t[2])
	case len(s.SharedTiles) > 0 && (s.Fold > 1 || len(s.Block) == 0):
		return wrong(k, "shared-memory tiles need blocks of threads that share no folds")
	case s.Together && (s.Stays() || len(s.Block) == 0 || !slices.ContainsFunc(s.Unroll, func(u AxisN) bool { return u.Axis == s.Block[0].Axis && slices.Contains([]int{2, 4, 8, 16}, u.N) })):
		return wrong(k, "outputs that lie together are 2, 4, 8 or 16 along the first axis of a block of threads that do not wait for each other")
	case s.Every < 0 || s.AccBlock < 0:
		return wrong(k, "every %d, accblock %d", s.Every, s.AccBlock)
	}
	if len(s.SharedTiles) == 0 {
		return nil
	}
	tiles, err := newTiler(ir.Extend(k.Roots()), k, s).tiles()
	bytes := 0
	for _, x := range tiles {
		bytes += x.Bytes()
	}
	if err == nil && bytes > maxShared {
		err = wrong(k, "shared-memory tiles of %d bytes; at most %d", bytes, maxShared)
	}
	return err
}

// Stays reports whether threads stay to the end, also beyond the tile, because others wait for them.
func (s CUDA) Stays() bool { return s.Vote || len(s.SharedTiles) > 0 }

// Threads are the block's dimensions.
func (s CUDA) Threads() [3]int {
	t := [3]int{1, 1, 1}
	at := 0
	if s.Fold > 1 {
		t[0], at = s.Fold, 1
	}
	for _, b := range s.Block {
		if at < len(t) {
			t[at] = b.N
		}
		at++
	}
	return t
}

// ThreadOf is which of threadIdx's components counts an axis; ok is false for an axis with one thread.
func (s CUDA) ThreadOf(axis int) (component string, ok bool) {
	at := slices.IndexFunc(s.Block, func(b AxisN) bool { return b.Axis == axis })
	if at < 0 || s.Block[at].N == 1 {
		return "", false
	}
	if s.Fold > 1 {
		at++
	}
	return string("xyz"[at]), true
}

// Grid assigns axes to the grid's dimensions: x, which may be long, the fastest axis of the block (the last one where
// there is no block), y the next, z all that are left, counted as one number.
func (s CUDA) Grid(axes int) (g [3][]int) {
	var order []int // fastest first
	for _, b := range s.Block {
		order = append(order, b.Axis)
	}
	for a := axes - 1; a >= 0; a-- {
		if !slices.Contains(order, a) {
			order = append(order, a)
		}
	}
	for i, a := range order {
		d := min(i, 2)
		g[d] = append([]int{a}, g[d]...)
	}
	return g
}

// Step is how many points of an axis a block covers.
func (s CUDA) Step(axis int) int { return CPU{Lanes: s.Block, Unroll: s.Unroll}.Step(axis) }
