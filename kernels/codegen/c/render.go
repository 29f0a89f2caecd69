package c

import (
	"strings"

	"weft/kernels/codegen"
	"weft/kernels/codegen/tally"
	"weft/kernels/codegen/tile"
	"weft/kernels/codegen/tree"
	"weft/kernels/ir"
	"weft/kernels/schedule"
)

// dialect is C as gcc and clang have it.
var dialect = tree.Dialect{
	Arg: map[bool]string{true: "a->farg[%s]", false: "a->iarg[%s]"},
	Inf: [2]string{"__builtin_inff()", "__builtin_inf()"},
	NaN: [2]string{`__builtin_nanf("")`, `__builtin_nan("")`},
}

// Way is what a function is for, besides storing what a kernel stores.
type Way struct {
	Small  bool // for tiles of less than Output.Least of the function that is not
	Counts bool // adds to weft_args.count, for each fold of Output.Counted, iterations: that its bounds ask for, whose body ran, that a bound proved idle
}

// Render writes a kernel under a schedule as one C function called name. An error means that this kernel has no such schedule;
// every kernel has the scalar one. All ways store the same bits.
func Render(k *ir.Kernel, s schedule.CPU, t schedule.Target, name string, way Way) (Output, error) {
	if err := s.Check(k, t); err != nil {
		return Output{}, err
	}
	u, err := codegen.NewUnit(k, t)
	if err != nil {
		return Output{}, err
	}
	if way.Counts {
		u.Counts = &tally.Counts{}
	}
	if len(s.Order) == 0 {
		for a := range k.Axes {
			s.Order = append(s.Order, a)
		}
	}
	f := &function{u: u, s: s, Output: Output{Name: name}}
	f.variants(way.Small)
	f.Source, f.Bufs, f.Args = f.text.String(), u.Bufs, u.Args
	if way.Counts {
		f.Counted = u.Counts.Folds
	}
	return f.Output, nil
}

// function is a function being written, with the variants of it that it chooses among.
type function struct {
	Output
	u    *codegen.Unit
	s    schedule.CPU
	text strings.Builder
}

// write adds a function of weft_args; what is after its name makes it a variant, of this file alone.
func (f *function) write(variant string, body []tree.Stmt) {
	storage := ""
	if variant != "" {
		storage = "static "
	}
	f.text.WriteString(tree.Text(&dialect, storage+"void "+f.Name+variant+"(const weft_args *a)", body))
}

// variants writes those that the kernel needs and the function that chooses among them. That for small tiles is a function of its own: few runs
// have any, and the compiler would take half as long again for them.
func (f *function) variants(small bool) {
	k, s := f.u.Kernel, f.s
	if s.Flat > 0 {
		f.Step = schedule.FlatStep(k, f.u.Target)
		f.write("", f.told(f.u.Flat(s)))
		return
	}
	stepped, fits := false, true // some tile of the kernel is as large as a step
	f.Step = make([]int, len(k.Axes))
	for a, axis := range k.Axes {
		if f.Step[a] = s.Step(a); f.Step[a] > 1 {
			stepped = true
			fits = fits && axis.Extent >= f.Step[a]
		}
	}
	switch {
	case !stepped:
		f.write("", f.told(f.u.Tile(s, tile.Overlap)))
	case small || !fits:
		f.write("", f.told(f.u.Tile(cut(s), tile.Cut)))
	default:
		f.large(s)
		f.Least, f.Step = f.Step, schedule.TileStep(k, f.u.Target, s)
	}
}

// cut is a schedule for tiles that are smaller than a turn of its tile loop covers.
func cut(s schedule.CPU) schedule.CPU {
	s.Unroll, s.Window, s.Guard, s.Table, s.Chunk, s.Split, s.Pack = nil, 0, false, 0, nil, 0, false
	return s
}

// Within is a schedule as a kernel runs under it all of whose tiles may be smaller than a turn of its tile loop covers.
func Within(k *ir.Kernel, s schedule.CPU) schedule.CPU {
	for a, axis := range k.Axes {
		if n := s.Step(a); s.Flat == 0 && n > 1 && axis.Extent < n {
			return cut(s)
		}
	}
	return s
}

// rowsWithEnds is how many rows are computed between their ends at a time, before these are: few are still in a core's own caches.
const rowsWithEnds = 8

// large writes the variants for tiles of a step or more: one or, where loads lie side by side but for the ends of an axis, one that tests this
// and one for what is between the ends.
func (f *function) large(s schedule.CPU) {
	all := f.u.Tile(s, tile.Overlap)
	in := all.Inside
	if in.Some { // whole vectors lie as the rows do
		lanes := s.Lanes[0].N
		in.From, in.To = (in.From+lanes-1)/lanes*lanes, in.To/lanes*lanes
	}
	if !in.Some || in.To-in.From < s.Step(in.Axis) || len(s.Chunk) > 0 {
		f.write("", f.told(all))
		return
	}
	f.write("_ends", all.Stmts)
	f.write("_inside", f.told(f.u.Tile(s, tile.Inside)))
	args := []*tree.Expr{tree.Name(f.Name + "_inside"), tree.Name(f.Name + "_ends"), tree.Name("a")}
	outer, rows := s.Order[0], rowsWithEnds
	if len(s.Order) > 2 {
		rows = 1
	}
	for _, n := range []int{len(f.u.Kernel.Axes), in.Axis, in.From, in.To, s.Step(in.Axis), outer, rows * s.Step(outer)} {
		args = append(args, tree.Int(n))
	}
	f.write("", []tree.Stmt{tree.Do(tree.Call("weft_ends", args...))})
}

// told notes what the function is told to be like: the variant that most tiles take.
func (f *function) told(b codegen.Body) []tree.Stmt {
	f.Loads, f.Tables, f.Scratch, f.Shares = b.Loads, b.Tables, b.Scratch, b.Shares
	return b.Stmts
}
