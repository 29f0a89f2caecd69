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

// Render writes a kernel under a schedule as one C function called name. An error means that this kernel has no such schedule;
// every kernel has the scalar one.
func Render(k *ir.Kernel, s schedule.CPU, t schedule.Target, name string) (Output, error) {
	return render(k, s, t, name, nil)
}

// Counted is Render, of a function that also adds to weft_args.count, for each fold of Output.Counted, the iterations that its
// bounds ask for, those whose body ran, and those that a bound proved idle. It stores the same bits.
func Counted(k *ir.Kernel, s schedule.CPU, t schedule.Target, name string) (Output, error) {
	return render(k, s, t, name, &tally.Counts{})
}

func render(k *ir.Kernel, s schedule.CPU, t schedule.Target, name string, counts *tally.Counts) (Output, error) {
	if err := s.Check(k, t); err != nil {
		return Output{}, err
	}
	u, err := codegen.NewUnit(k, t)
	if err != nil {
		return Output{}, err
	}
	u.Counts = counts
	if len(s.Order) == 0 {
		for a := range k.Axes {
			s.Order = append(s.Order, a)
		}
	}
	f := &function{u: u, s: s, Output: Output{Name: name}}
	f.variants()
	f.Source, f.Bufs, f.Args = f.text.String(), u.Bufs, u.Args
	if counts != nil {
		f.Counted = counts.Folds
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

// variants writes those that the kernel needs and the function that chooses among them.
func (f *function) variants() {
	k, s := f.u.Kernel, f.s
	if s.Flat > 0 {
		f.Step = schedule.FlatStep(k, f.u.Target)
		f.write("", f.told(f.u.Flat(s)))
		return
	}
	var stepped []int
	fits := true // some tile of the kernel is as large as a step
	f.Step = make([]int, len(k.Axes))
	for a, axis := range k.Axes {
		if f.Step[a] = s.Step(a); f.Step[a] > 1 {
			stepped = append(stepped, a)
			fits = fits && axis.Extent >= f.Step[a]
		}
	}
	switch {
	case len(stepped) == 0:
		f.write("", f.told(f.u.Tile(s, tile.Overlap)))
	default:
		small := s
		small.Unroll, small.Window, small.Guard, small.Table, small.AccBlock = nil, 0, false, 0, 0
		small.Chunk, small.Split, small.Pack = nil, 0, false
		if !fits {
			f.write("_small", f.told(f.u.Tile(small, tile.Cut)))
			f.write("", []tree.Stmt{f.call("_small", "a")})
			return
		}
		f.large(s)
		f.Step = schedule.TileStep(k, f.u.Target, s)
		f.write("_small", f.u.Tile(small, tile.Cut).Stmts)
		var large []*tree.Expr
		for _, a := range stepped {
			extent := tree.Bin("-", tileEnd("hi", a), tileEnd("lo", a))
			large = append(large, tree.Bin(">=", extent, tree.Int(s.Step(a))))
		}
		f.write("", []tree.Stmt{tree.If{Cond: tree.All("&&", large...),
			Then: []tree.Stmt{f.call("_main", "a")}, Else: []tree.Stmt{f.call("_small", "a")}}})
	}
}

// large writes the variants for tiles of a step or more: one or, where loads lie side by side but for the ends of an axis, one that tests this
// and one for what is between the ends.
func (f *function) large(s schedule.CPU) {
	all := f.u.Tile(s, tile.Overlap)
	in := all.Inside
	if !in.Some || in.To-in.From < s.Step(in.Axis) || len(s.Chunk) > 0 {
		f.write("_main", f.told(all))
		return
	}
	f.write("_ends", all.Stmts)
	f.write("_inside", f.told(f.u.Tile(s, tile.Inside)))
	args := []*tree.Expr{tree.Name(f.Name + "_inside"), tree.Name(f.Name + "_ends"), tree.Name("a")}
	for _, n := range []int{len(f.u.Kernel.Axes), in.Axis, in.From, in.To, s.Step(in.Axis)} {
		args = append(args, tree.Int(n))
	}
	f.write("_main", []tree.Stmt{tree.Do(tree.Call("weft_ends", args...))})
}

// told notes what the function is told to be like: the variant that most tiles take.
func (f *function) told(b codegen.Body) []tree.Stmt {
	f.Loads, f.Tables, f.Scratch = b.Loads, b.Tables, b.Scratch
	return b.Stmts
}

func (f *function) call(variant, args string) tree.Stmt {
	return tree.Do(tree.Call(f.Name+variant, tree.Name(args)))
}

// tileEnd is an end of the tile along an axis.
func tileEnd(end string, axis int) *tree.Expr {
	return tree.At(tree.Name("a->"+end), tree.Int(axis))
}
