package schedule

import (
	"fmt"
	"slices"
	"strings"

	"weft/kernels/ir"
)

// CPU is everything about execution that a kernel does not say. The zero value, with no Order, is the scalar schedule
// over the axes as they come.
type CPU struct {
	Order     []int   `yaml:"order,omitempty"`     // loops over the tile, outermost first: positions in Kernel.Axes
	Lanes     []AxisN `yaml:"lanes,omitempty"`     // the lane tile a vector covers, slowest first; the product is Target.Lanes
	Unroll    []AxisN `yaml:"unroll,omitempty"`    // vectors in flight
	Window    int     `yaml:"window,omitempty"`    // 16 or 32: loads whose index spans fewer elements become load and permute
	Guard     bool    `yaml:"guard,omitempty"`     // prove spans at run time, gather where the proof fails; Window needs it
	Table     int     `yaml:"table,omitempty"`     // tabulate costly lane-uniform values over blocks of so many fold iterations
	Every     int     `yaml:"every,omitempty"`     // test lane-varying exits every so many iterations
	Skip      bool    `yaml:"skip,omitempty"`      // leave out blocks of an absorbing fold that a bound proves idle, and turns of sums that add nothing
	AccMajor  bool    `yaml:"accMajor,omitempty"`  // emit accumulator by accumulator instead of vector by vector
	FoldLanes bool    `yaml:"foldLanes,omitempty"` // lanes are iterations of folds: with Lanes, of those that are the same for all of these
	Copies    int     `yaml:"copies,omitempty"`    // of a table that turns of a fold add to, each for some of the lanes; joined at last
	Flight    int     `yaml:"flight,omitempty"`    // iterations in flight of sums whose iterations are lanes, each with accumulators of its own; needs FoldLanes
	Group     int     `yaml:"group,omitempty"`     // sums at a time of a fold whose iterations are lanes: a block of these is gone through for each so many; needs FoldLanes
	AccBlock  int     `yaml:"accBlock,omitempty"`  // accumulate float64 sums of float32 terms in float32 over so many iterations
	Flat      int     `yaml:"flat,omitempty"`      // lanes are points of the tile one after the other, in so many vectors in flight; excludes Lanes
	Split     int     `yaml:"split,omitempty"`     // so many iterations of the heaviest fold for many points before the next ones; needs Flat or Chunk
	Chunk     []AxisN `yaml:"chunk,omitempty"`     // the points that take one slice of a split fold before the next
	Pack      bool    `yaml:"pack,omitempty"`      // lay out what a slice needs of its operands in the order of use; needs Chunk
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
	var order []string
	for _, a := range s.Order {
		order = append(order, name(a))
	}
	var w words
	w.add(len(order) > 0, "order %s", strings.Join(order, ">"))
	w.points("lanes", s.Lanes, name)
	w.points("unroll", s.Unroll, name)
	w.number("window", s.Window)
	w.number("table", s.Table)
	w.number("every", s.Every)
	w.number("flight", s.Flight)
	w.number("group", s.Group)
	w.number("accblock", s.AccBlock)
	w.number("copies", s.Copies)
	w.number("flat", s.Flat)
	w.number("split", s.Split)
	w.points("chunk", s.Chunk, name)
	w.add(s.Pack, "pack")
	w.add(s.Guard, "guard")
	w.add(s.Skip, "skip")
	w.add(s.AccMajor, "accmajor")
	w.add(s.FoldLanes, "foldlanes")
	w.add(s.Scalar(), "scalar")
	return strings.Join(w, ", ")
}

// words are the parts of a schedule in one line.
type words []string

func (w *words) add(on bool, format string, args ...any) {
	if on {
		*w = append(*w, fmt.Sprintf(format, args...))
	}
}

func (w *words) number(word string, n int) { w.add(n > 0, "%s %d", word, n) }

func (w *words) points(word string, list []AxisN, name func(int) string) {
	var out []string
	for _, l := range list {
		out = append(out, fmt.Sprintf("%s:%d", name(l.Axis), l.N))
	}
	w.add(len(out) > 0, "%s %s", word, strings.Join(out, "x"))
}

// wrong says why a kernel does not have a schedule.
func wrong(k *ir.Kernel, format string, args ...any) error {
	return fmt.Errorf("kernel %s: "+format, append([]any{k.Name}, args...)...)
}

// checkPoints reports axes that are none of the kernel's, or named twice.
func checkPoints(k *ir.Kernel, lists ...[]AxisN) error {
	for _, list := range lists {
		seen := map[int]bool{}
		for _, l := range list {
			if l.Axis < 0 || l.Axis >= len(k.Axes) || l.N < 1 || seen[l.Axis] {
				return wrong(k, "%v does not name each of its %d axes at most once", list, len(k.Axes))
			}
			seen[l.Axis] = true
		}
	}
	return nil
}

// Check reports why a schedule does not fit a kernel and a target.
func (s CPU) Check(k *ir.Kernel, t Target) error {
	axes := len(k.Axes)
	if len(s.Order) != 0 && len(s.Order) != axes {
		return wrong(k, "the order names %d of %d axes", len(s.Order), axes)
	}
	seen := map[int]bool{}
	for _, a := range s.Order {
		if a < 0 || a >= axes || seen[a] {
			return wrong(k, "order %v is not a permutation of the axes", s.Order)
		}
		seen[a] = true
	}
	if err := checkPoints(k, s.Lanes, s.Unroll, s.Chunk); err != nil {
		return err
	}
	if w := Product(s.Lanes); len(s.Lanes) > 0 && w != t.Lanes {
		return wrong(k, "a tile of %d lanes on a target of %d", w, t.Lanes)
	}
	switch {
	case Product(s.Unroll) > 64:
		return wrong(k, "%d vectors in flight; at most 64", Product(s.Unroll))
	case s.Window != 0 && s.Window != 16 && s.Window != 32:
		return wrong(k, "a window of %d; 0, 16 or 32", s.Window)
	case s.Window != 0 && !s.FoldLanes && (!s.Guard || s.Table == 0 || len(s.Lanes) == 0):
		return wrong(k, "a window needs lanes, a guard and a table, or iterations on lanes")
	case s.Table < 0 || s.Table%t.Lanes != 0 || s.Table > 256:
		return wrong(k, "a table of %d; a multiple of %d up to 256", s.Table, t.Lanes)
	case s.AccBlock < 0 || s.AccBlock != 0 && s.Table != 0 && s.AccBlock != s.Table:
		return wrong(k, "blocks of %d to accumulate and of %d to tabulate; they must be equal", s.AccBlock, s.Table)
	case s.Copies < 0 || s.Copies > 0 && (!s.FoldLanes || t.Lanes%s.Copies != 0 || !slices.ContainsFunc(k.Stores, func(st ir.Store) bool { return Copied(k, &st) })):
		return wrong(k, "%d copies of tables: a part of the lanes, of sums of integers that go on iterations", s.Copies)
	case s.Flight < 0 || s.Flight > 8 || s.Flight > 0 && !s.FoldLanes:
		return wrong(k, "%d iterations in flight; at most 8, of a fold on lanes", s.Flight)
	case s.Group < 0 || s.Group > 0 && (!s.FoldLanes || s.Flight > 1):
		return wrong(k, "%d sums at a time, of a fold on lanes with one iteration in flight", s.Group)
	case s.Flat < 0 || s.Flat > 16 || s.Flat > 0 && (axes == 0 || len(s.Lanes)+len(s.Unroll) > 0 || s.FoldLanes || s.Window > 0 || s.Skip):
		return wrong(k, "lanes one after the other over all axes go with no lane tile, window or skip")
	case adds(k) && s.Flat > 0:
		return wrong(k, "lanes that repeat the last point would add twice what it adds")
	case s.Split < 0 || s.Split > 0 && len(s.Chunk) == 0 && (s.Flat == 0 || max(s.Table, s.AccBlock) > 0):
		return wrong(k, "a fold is split with lanes one after the other, without blocks, or in chunks")
	case s.Pack && len(s.Chunk) == 0:
		return wrong(k, "what a slice needs is packed for chunks of points")
	case len(s.Chunk) > 0 && !s.chunked(k, t):
		return wrong(k, "chunks of %v: whole steps of the innermost axes in their order, with lanes, a split fold, no window, table or skip", s.Chunk)
	case s.Every < 0:
		return wrong(k, "a test every %d iterations", s.Every)
	}
	return nil
}

// chunked reports whether chunks fit the rest of the schedule.
func (s CPU) chunked(k *ir.Kernel, t Target) bool {
	inner := len(s.Order) - len(s.Chunk)
	if inner < 0 || len(s.Lanes) == 0 || s.Split == 0 || s.Window > 0 || s.Table > 0 || s.Skip {
		return false
	}
	for i, c := range s.Chunk {
		if c.Axis != s.Order[inner+i] || c.N%s.Step(c.Axis) != 0 {
			return false
		}
	}
	f := Outermost(k, t)
	return f != nil && splitsStores(k, f)
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
func (s CPU) Step(axis int) int { return along(s.Lanes, axis) * along(s.Unroll, axis) }

// along is how many of the points there are lie along an axis.
func along(list []AxisN, axis int) int {
	n := 1
	for _, l := range list {
		if l.Axis == axis {
			n *= l.N
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
