// Package cuda turns a kernel and a schedule into CUDA C: a function in which a thread is one output, or a few.
package cuda

import (
	_ "embed"
	"fmt"
	"slices"
	"strings"

	"weft/kernels/codegen"
	"weft/kernels/codegen/tree"
	"weft/kernels/ir"
	"weft/kernels/schedule"
)

// dialect is CUDA C without headers, which has no spelling of infinities and NaN of its own.
var dialect = tree.Dialect{
	Arg:     map[bool]string{true: "farg%s", false: "iarg%s"},
	Inf:     [2]string{"WEFT_INF_F", "WEFT_INF_D"},
	NaN:     [2]string{"WEFT_NAN_F", "WEFT_NAN_D"},
	Wraps:   true,
	Shared:  "WEFT_SHARED",
	Barrier: "__syncthreads()",
	Unroll:  "WEFT_UNROLL(%d)",
}

// Output is a kernel as CUDA C: one __global__ function. Its parameters take 8 bytes each: a pointer to
// element 0 of row 0 of every buffer in Bufs; for every scalar in Args a double (float types) or a long long; for every
// axis of the kernel the tile's lo, then hi, as long long. Buffers must not overlap, have device.Margin readable elements on
// either side, and start at a multiple of Aligned bytes before their padding.
//
// A translation unit is Prelude followed by any number of such functions, compiled with Flags. It includes nothing.
type Output struct {
	Source   string
	Name     string
	Loads    map[string]int // by class: uniform (a thread's own)
	Bufs     []*ir.Buffer
	Args     []*ir.Node
	Step     []int  // an axis: points that a block covers
	Block    [3]int // threads of a block
	Shared   int    // bytes of shared memory a block takes
	Aside    int    // of these, for a thread, values that its registers do not hold
	Barriers bool   // threads of a block wait for each other

	groups [3][]int // axes whose blocks a dimension of the grid counts, slowest first
	row    *level   // how tiles of whole rows are run; nil: as any others
	brief  bool     // threads do little but load and store what lies side by side
}

// Flags are options of NVRTC that generated code needs, without the architecture.
func Flags() []string { return []string{"--fmad=false"} }

// Roomy are the flags with which a thread may have as many registers as there are for a block alone.
func Roomy() []string { return append(Flags(), "--define-macro=WEFT_BLOCKS=1") }

//go:embed cuda.h
var prelude string

// Prelude is the text that rendered CUDA relies on.
func Prelude() string {
	var out strings.Builder
	out.WriteString(prelude)
	for op := range ir.Ops {
		i := op.Info()
		if i.Library == "" {
			continue
		}
		fmt.Fprintf(&out, "MATH%d(%s, %s)\n", i.Arity, op, i.Library)
		for _, f := range i.Forms { // the prelude has some of float32
			if name := op.String() + "_" + f.Name; strings.Contains(prelude, " s_"+name+"_f(") {
				fmt.Fprintf(&out, "MATH64(%s, %s)\n", name, i.Library)
			} else {
				fmt.Fprintf(&out, "MATH1(%s, %s)\n", name, i.Library)
			}
		}
	}
	return out.String()
}

// Render writes a kernel under a schedule as one CUDA function called name. An error means that this kernel has no such
// schedule; every kernel has the zero one, of one thread a block.
func Render(k *ir.Kernel, s schedule.CUDA, name string) (Output, error) {
	if err := s.Check(k); err != nil {
		return Output{}, err
	}
	u, err := codegen.NewUnit(k, schedule.Target{Lanes: 1, ISA: "cuda"})
	if err != nil {
		return Output{}, err
	}
	grid, err := u.Grid(s, nil)
	if err != nil {
		return Output{}, err
	}
	row, err := levelOf(k, s, u)
	if err != nil {
		return Output{}, err
	}
	body := grid.Stmts
	if row != nil {
		body = append([]tree.Stmt{row.before()}, body...)
	}
	if n := len(u.Bufs) + len(u.Args) + 2*len(k.Axes); n > maxParams {
		return Output{}, fmt.Errorf("%s: %d buffers, scalars and bounds; a CUDA kernel takes at most %d", k.Name, n, maxParams)
	}
	out := Output{Name: name, Bufs: u.Bufs, Args: u.Args, Loads: grid.Loads, Barriers: grid.Barriers, Shared: grid.Shared, Aside: grid.Aside, Block: s.Threads(), groups: s.Grid(len(k.Axes)), row: row, brief: s.Together && !folds(k)}
	for a := range k.Axes {
		out.Step = append(out.Step, s.Step(a))
	}
	head := fmt.Sprintf("WEFT_KERNEL(%d) %s(%s)", out.Block[0]*out.Block[1]*out.Block[2], name, strings.Join(out.params(k), ", "))
	out.Source = tree.Text(&dialect, head, body)
	return out, nil
}

// Aligned is what the addresses of buffers are multiples of.
const Aligned = 16

// maxParams keeps parameters within the 4 KiB that every CUDA driver takes.
const maxParams = 512

// params declares the function's parameters.
func (o Output) params(k *ir.Kernel) (list []string) {
	outputs := k.Outputs()
	for i, b := range o.Bufs {
		constant := "const "
		if slices.Contains(outputs, b) {
			constant = ""
		}
		list = append(list, fmt.Sprintf("%s%s *WEFT_RESTRICT b%d", constant, tree.Storage[b.Type], i))
	}
	for i, a := range o.Args {
		name := fmt.Sprintf(dialect.Arg[a.Type.Float()], fmt.Sprint(i))
		list = append(list, argType(a)+" "+name)
	}
	for a := range o.Step {
		list = append(list, fmt.Sprintf("long long lo%d", a), fmt.Sprintf("long long hi%d", a))
	}
	return list
}

// argType is the type of a scalar's parameter.
func argType(n *ir.Node) string {
	if n.Type.Float() {
		return "double"
	}
	return "long long"
}

// ParamTypes are the C types of the parameters in order, pointers as void *: for callers that pass them on.
func (o Output) ParamTypes() []string {
	var list []string
	for range o.Bufs {
		list = append(list, "void *")
	}
	for _, a := range o.Args {
		list = append(list, argType(a))
	}
	for range o.Step {
		list = append(list, "long long", "long long")
	}
	return list
}

func folds(k *ir.Kernel) (some bool) {
	k.Walk(func(n *ir.Node) { some = some || n.Kind == ir.KFold })
	return some
}

// Turns are those that a thread takes at most where it does little but load and store: what it does before and behind them then takes less than they do. Blocks are as
// many as fill any device several times, or more.
const Turns = 4

const plentyOfBlocks = 4096

// along is how many blocks there are along the grid's x for so many that cover the tile.
func (o Output) along(blocks int64) int64 {
	if !o.brief {
		return blocks
	}
	turns := min(max(1, blocks/plentyOfBlocks), Turns)
	return (blocks + turns - 1) / turns
}

// Grid is the grid to launch for a tile, within the device's limits: at least one block in each dimension, and where a
// dimension would need more blocks than the limit, blocks that take several turns. An empty tile gives ok false: there is
// nothing to launch.
func (o Output) Grid(lo, hi []int, limit [3]int) (grid [3]int, ok bool) {
	if o.row != nil && hi[0] > lo[0] && o.row.takes(lo, hi) {
		points := int64(hi[0]-lo[0]) * int64(o.row.points())
		return [3]int{int(min(o.along((points+int64(o.row.step)-1)/int64(o.row.step)), int64(limit[0]))), 1, 1}, points > 0
	}
	for d, axes := range o.groups {
		blocks := int64(1)
		for _, a := range axes {
			if hi[a] <= lo[a] {
				return grid, false
			}
			n := (int64(hi[a]) - int64(lo[a]) + int64(o.Step[a]) - 1) / int64(o.Step[a])
			if blocks > int64(limit[d])/n {
				blocks = int64(limit[d])
				continue
			}
			blocks *= n
		}
		if d == 0 {
			blocks = o.along(blocks)
		}
		grid[d] = int(min(blocks, int64(limit[d])))
	}
	return grid, true
}
