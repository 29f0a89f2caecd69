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
	Block    []AxisN `yaml:"block,omitempty"`      // points that a block's threads take, fastest first; at most three axes, two if Fold > 1
	Unroll   []AxisN `yaml:"unroll,omitempty"`     // outputs of a thread, a block's width apart
	Fold     int     `yaml:"fold,omitempty"`       // threads that share a monoid fold: 32 are a warp, more (without Block) a block; 0: one thread folds
	Every    int     `yaml:"every,omitempty"`      // test exits of any- and all-folds every so many iterations
	Skip     bool    `yaml:"skip,omitempty"`       // leave out iterations of any-, all- and absorbing folds that maximum tables prove idle
	Vote     bool    `yaml:"vote,omitempty"`       // a warp's threads leave such folds, and iterations, together; needs whole warps
	Slabs    []int   `yaml:"slabs,omitempty,flow"` // inputs, by number, of which a block holds what it reads in shared memory
	AccMajor bool    `yaml:"accMajor,omitempty"`   // emit accumulator by accumulator instead of output by output
	AccBlock int     `yaml:"accBlock,omitempty"`   // accumulate float64 sums of float32 terms in float32 over so many iterations
}

// String is the schedule in one line, axes by number.
func (s CUDA) String() string {
	return s.text(func(a int) string { return fmt.Sprint(a) }, fmt.Sprintf("slabs %v", s.Slabs))
}

// Text is the schedule in one line, axes by the kernel's names.
func (s CUDA) Text(k *ir.Kernel) string {
	return s.text(func(a int) string { return k.Axes[a].Name }, slabText(k, s))
}

func (s CUDA) text(name func(int) string, slabs string) string {
	list := func(l []AxisN) string {
		var out []string
		for _, a := range l {
			out = append(out, fmt.Sprintf("%s:%d", name(a.Axis), a.N))
		}
		return strings.Join(out, "x")
	}
	out := []string{"block 1"}
	if len(s.Block) > 0 {
		out[0] = "block " + list(s.Block)
	}
	if len(s.Unroll) > 0 {
		out = append(out, "each "+list(s.Unroll))
	}
	switch {
	case s.Fold == 32:
		out = append(out, "folds by warp")
	case s.Fold > 32:
		out = append(out, fmt.Sprintf("folds by block of %d", s.Fold))
	}
	for _, n := range []struct {
		word string
		n    int
	}{{"every", s.Every}, {"accblock", s.AccBlock}} {
		if n.n > 0 {
			out = append(out, fmt.Sprintf("%s %d", n.word, n.n))
		}
	}
	if len(s.Slabs) > 0 {
		out = append(out, slabs)
	}
	for _, f := range []struct {
		word string
		on   bool
	}{{"skip", s.Skip}, {"vote", s.Vote}} {
		if f.on {
			out = append(out, f.word)
		}
	}
	if s.AccMajor {
		out = append(out, "accmajor")
	}
	return strings.Join(out, ", ")
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
)

// Check reports why a schedule does not fit a kernel.
func (s CUDA) Check(k *ir.Kernel) error {
	for _, list := range [][]AxisN{s.Block, s.Unroll} {
		seen := map[int]bool{}
		for _, l := range list {
			if l.Axis < 0 || l.Axis >= len(k.Axes) || l.N < 1 || seen[l.Axis] {
				return fmt.Errorf("render %s: %v does not name each of the kernel's %d axes at most once", k.Name, list, len(k.Axes))
			}
			seen[l.Axis] = true
		}
	}
	t := s.Threads()
	switch {
	case s.Fold != 0 && (s.Fold < 32 || s.Fold%32 != 0):
		return fmt.Errorf("render %s: %d threads share a fold; a multiple of 32", k.Name, s.Fold)
	case s.Fold > 32 && Product(s.Block) > 1:
		return fmt.Errorf("render %s: a block that shares folds computes one output", k.Name)
	case len(s.Block) > 3 || s.Fold > 1 && len(s.Block) > 2:
		return fmt.Errorf("render %s: a block over %d axes", k.Name, len(s.Block))
	case t[0]*t[1]*t[2] > maxBlockThreads || t[2] > maxBlockZ:
		return fmt.Errorf("render %s: a block of %dx%dx%d threads; at most %d, and %d in z", k.Name, t[0], t[1], t[2], maxBlockThreads, maxBlockZ)
	case Product(s.Unroll) > 16:
		return fmt.Errorf("render %s: %d outputs a thread; at most 16", k.Name, Product(s.Unroll))
	case Product(s.Unroll) > 1 && s.Fold > 1:
		return fmt.Errorf("render %s: threads that share folds have one output", k.Name)
	case Product(s.Unroll) > 1 && k.Combines():
		return fmt.Errorf("render %s: a thread joins one value at a time with what is stored", k.Name)
	case s.Vote && (s.Fold > 1 || t[0]*t[1]*t[2]%32 != 0):
		return fmt.Errorf("render %s: a warp's vote needs whole warps that share no folds, not a block of %dx%dx%d threads", k.Name, t[0], t[1], t[2])
	case len(s.Slabs) > 0 && (s.Fold > 1 || len(s.Block) == 0):
		return fmt.Errorf("render %s: slabs need blocks of threads that share no folds", k.Name)
	case s.Every < 0 || s.AccBlock < 0:
		return fmt.Errorf("render %s: every %d, accblock %d", k.Name, s.Every, s.AccBlock)
	}
	if len(s.Slabs) == 0 {
		return nil
	}
	slabs, err := newSlabber(ir.Extend(k.Roots()), k, s).slabs()
	bytes := 0
	for _, x := range slabs {
		bytes += x.Bytes()
	}
	if err == nil && bytes > maxSlab {
		err = fmt.Errorf("render %s: slabs of %d bytes; at most %d", k.Name, bytes, maxSlab)
	}
	return err
}

// Stays reports whether threads stay to the end, also beyond the tile, because others wait for them.
func (s CUDA) Stays() bool { return s.Vote || len(s.Slabs) > 0 }

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
