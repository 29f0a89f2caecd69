package schedule

import (
	"fmt"
	"strings"

	"weft/kernels/ir"
)

// CPU is everything about execution that a kernel does not say. The zero value, with no Order, is the scalar schedule
// over the axes as they come.
type CPU struct {
	Order     []int   `yaml:"order,omitempty"`     // loops over the tile, outermost first: positions in Kernel.Axes
	Lanes     []AxisN `yaml:"lanes,omitempty"`     // the patch a vector covers, slowest first; the product is Target.Lanes
	Unroll    []AxisN `yaml:"unroll,omitempty"`    // vectors in flight
	Window    int     `yaml:"window,omitempty"`    // 16 or 32: loads whose index spans fewer elements become load and permute
	Guard     bool    `yaml:"guard,omitempty"`     // prove spans at run time, gather where the proof fails; Window needs it
	Table     int     `yaml:"table,omitempty"`     // tabulate costly lane-uniform values over blocks of so many fold iterations
	Every     int     `yaml:"every,omitempty"`     // test lane-varying exits every so many iterations
	Skip      bool    `yaml:"skip,omitempty"`      // leave out blocks of an absorbing fold that a bound proves idle
	AccMajor  bool    `yaml:"accMajor,omitempty"`  // emit accumulator by accumulator instead of vector by vector
	FoldLanes bool    `yaml:"foldLanes,omitempty"` // lanes are iterations of a fold; excludes Lanes
	AccBlock  int     `yaml:"accBlock,omitempty"`  // accumulate float64 sums of float32 terms in float32 over so many iterations
	Flat      int     `yaml:"flat,omitempty"`      // lanes are points of the tile one after the other, in so many vectors in flight; excludes Lanes
	Split     int     `yaml:"split,omitempty"`     // so many iterations of the heaviest fold for many points before the next ones; needs Flat
}

// AxisN is a number of points of an axis.
type AxisN struct {
	Axis int `yaml:"axis"`
	N    int `yaml:"n"`
}

// String is the schedule in one line, axes by number.
func (s CPU) String() string { return s.text(func(a int) string { return fmt.Sprint(a) }) }

// Text is the schedule in one line, axes by the kernel's names.
func (s CPU) Text(k *ir.Kernel) string {
	return s.text(func(a int) string { return k.Axes[a].Name })
}

func (s CPU) text(name func(int) string) string {
	var out []string
	add := func(format string, args ...any) { out = append(out, fmt.Sprintf(format, args...)) }
	if len(s.Order) > 0 {
		var o []string
		for _, a := range s.Order {
			o = append(o, name(a))
		}
		add("order %s", strings.Join(o, ">"))
	}
	patch := func(word string, list []AxisN) {
		if len(list) == 0 {
			return
		}
		var o []string
		for _, l := range list {
			o = append(o, fmt.Sprintf("%s:%d", name(l.Axis), l.N))
		}
		add("%s %s", word, strings.Join(o, "x"))
	}
	patch("lanes", s.Lanes)
	patch("unroll", s.Unroll)
	for _, n := range []struct {
		word string
		n    int
	}{{"window", s.Window}, {"table", s.Table}, {"every", s.Every}, {"accblock", s.AccBlock}, {"flat", s.Flat}, {"split", s.Split}} {
		if n.n > 0 {
			add("%s %d", n.word, n.n)
		}
	}
	for _, f := range []struct {
		word string
		on   bool
	}{{"guard", s.Guard}, {"skip", s.Skip}, {"accmajor", s.AccMajor}, {"foldlanes", s.FoldLanes}} {
		if f.on {
			add("%s", f.word)
		}
	}
	if s.Scalar() {
		add("scalar")
	}
	return strings.Join(out, ", ")
}

// Check reports why a schedule does not fit a kernel and a target.
func (s CPU) Check(k *ir.Kernel, t Target) error {
	axes := len(k.Axes)
	if len(s.Order) != 0 && len(s.Order) != axes {
		return fmt.Errorf("render %s: the order names %d of %d axes", k.Name, len(s.Order), axes)
	}
	seen := map[int]bool{}
	for _, a := range s.Order {
		if a < 0 || a >= axes || seen[a] {
			return fmt.Errorf("render %s: order %v is not a permutation of the axes", k.Name, s.Order)
		}
		seen[a] = true
	}
	for _, list := range [][]AxisN{s.Lanes, s.Unroll} {
		seen := map[int]bool{}
		for _, l := range list {
			if l.Axis < 0 || l.Axis >= axes || l.N < 1 || seen[l.Axis] {
				return fmt.Errorf("render %s: %v does not name each of the kernel's %d axes at most once", k.Name, list, axes)
			}
			seen[l.Axis] = true
		}
	}
	if w := Product(s.Lanes); len(s.Lanes) > 0 && w != t.Lanes {
		return fmt.Errorf("render %s: a patch of %d lanes on a target of %d", k.Name, w, t.Lanes)
	}
	switch {
	case Product(s.Unroll) > 64:
		return fmt.Errorf("render %s: %d vectors in flight; at most 64", k.Name, Product(s.Unroll))
	case s.Window != 0 && s.Window != 16 && s.Window != 32:
		return fmt.Errorf("render %s: a window of %d; 0, 16 or 32", k.Name, s.Window)
	case s.Window != 0 && (!s.Guard || s.Table == 0):
		return fmt.Errorf("render %s: a window needs a guard and a table", k.Name)
	case s.Table < 0 || s.Table%t.Lanes != 0 || s.Table > 256:
		return fmt.Errorf("render %s: a table of %d; a multiple of %d up to 256", k.Name, s.Table, t.Lanes)
	case s.AccBlock < 0 || s.AccBlock != 0 && s.Table != 0 && s.AccBlock != s.Table:
		return fmt.Errorf("render %s: blocks of %d to accumulate and of %d to tabulate; they must be equal", k.Name, s.AccBlock, s.Table)
	case s.FoldLanes && len(s.Lanes) > 0:
		return fmt.Errorf("render %s: lanes are either outputs or iterations of a fold, not both", k.Name)
	case s.Flat < 0 || s.Flat > 16 || s.Flat > 0 && (axes == 0 || len(s.Lanes)+len(s.Unroll) > 0 || s.FoldLanes || s.Window > 0 || s.Skip || k.Combines()):
		return fmt.Errorf("render %s: lanes one after the other over all axes go with no patch, window or skip, and stores that may repeat", k.Name)
	case s.Split < 0 || s.Split > 0 && (s.Flat == 0 || max(s.Table, s.AccBlock) > 0):
		return fmt.Errorf("render %s: a fold is split with lanes one after the other, without blocks", k.Name)
	case s.Every < 0:
		return fmt.Errorf("render %s: a test every %d iterations", k.Name, s.Every)
	}
	return nil
}

// Scalar reports whether a schedule is one without lanes.
func (s CPU) Scalar() bool { return len(s.Lanes) == 0 && !s.FoldLanes && s.Flat == 0 }

// Product is how many points there are.
func Product(list []AxisN) int {
	n := 1
	for _, l := range list {
		n *= l.N
	}
	return n
}

// Step is how many points of an axis one turn of its tile loop covers.
func (s CPU) Step(axis int) int {
	n := 1
	for _, list := range [][]AxisN{s.Lanes, s.Unroll} {
		for _, l := range list {
			if l.Axis == axis {
				n *= l.N
			}
		}
	}
	return n
}

// Target is the instruction set that source is rendered for.
type Target struct {
	Lanes int    // float32 lanes of a vector register: 16 for avx512, 8 otherwise
	ISA   string // avx512, avx2 or portable
}

// The targets there are preludes for.
var (
	AVX512   = Target{Lanes: 16, ISA: "avx512"}
	AVX2     = Target{Lanes: 8, ISA: "avx2"}
	Portable = Target{Lanes: 8, ISA: "portable"}
)
