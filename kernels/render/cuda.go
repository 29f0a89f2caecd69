package render

import (
	"fmt"
	"slices"
	"strings"

	"weft/kernels/ir"
	"weft/kernels/schedule"
)

// threads is what the CUDA dialect adds to a renderer: one thread computes one output, so that every value is a scalar
// of its thread, or a few outputs, which then lie a block's width apart.
type threads struct {
	s       schedule.CUDA
	sharing bool   // inside a fold that threads share
	used    bool   // threads wait for each other: folds are shared, or a warp votes
	block   bool   // folds are shared by more threads than a warp has
	axes    ir.Set // along which the threads of a block differ
	slabs   []*schedule.Slab
	origins []*ir.Node        // of a block, one an axis of the kernel; nil where no slab needs it
	inner   *scope            // of the innermost loop over blocks, where slabs are filled; nil without any
	voted   map[*ir.Fold]bool // folds that a warp leaves together
}

// CUDAOutput is a kernel rendered as CUDA C: one __global__ function. Its parameters take 8 bytes each: a pointer to
// element 0 of row 0 of every buffer in Bufs; for every scalar in Args a double (float types) or a long long; for every
// axis of the kernel the tile's lo, then hi, as long long. Buffers must not overlap, have device.Margin readable elements on
// either side, and start at a multiple of 4 bytes.
//
// A translation unit is CUDAPrelude followed by any number of such functions of one Kernel.Contract, compiled with
// CUDAFlags. It includes nothing.
type CUDAOutput struct {
	Source string
	Name   string
	Loads  map[string]int // by class: uniform (a thread's own)
	Bufs   []*ir.Buffer
	Args   []*ir.Node
	Step   []int  // an axis: points that a block covers
	Block  [3]int // threads of a block
	Shared int    // bytes of shared memory a block takes
	Joins  bool   // threads of a block wait for each other

	groups [3][]int // axes whose blocks a dimension of the grid counts, slowest first
}

// CUDAFlags are options of NVRTC that generated code needs, without the architecture.
func CUDAFlags(contract bool) []string {
	return []string{fmt.Sprintf("--fmad=%t", contract)}
}

// CUDAPrelude is the text that rendered CUDA relies on.
func CUDAPrelude() string {
	text, err := preludeFiles.ReadFile("prelude/cuda.h")
	if err != nil {
		panic("render: " + err.Error()) // a part that is not embedded
	}
	var out strings.Builder
	out.Write(text)
	for op := range ir.Ops {
		if i := op.Info(); i.Library != "" {
			fmt.Fprintf(&out, "MATH%d(%s, %s)\n", i.Arity, op, i.Library)
		}
	}
	return out.String()
}

// CUDA renders a kernel under a schedule as one CUDA function called name. An error means that this kernel has no such
// schedule; every kernel has the zero one, of one thread a block.
func CUDA(k *ir.Kernel, s schedule.CUDA, name string) (CUDAOutput, error) {
	if err := s.Check(k); err != nil {
		return CUDAOutput{}, err
	}
	if err := checkKernel(k); err != nil {
		return CUDAOutput{}, err
	}
	u := newUnit(k, schedule.Target{Lanes: 1, ISA: "cuda"}, name)
	out := CUDAOutput{Name: name, Args: u.argList, Block: s.Threads(), groups: s.Grid(len(k.Axes))}
	r := u.renderer(schedule.CPU{Lanes: s.Block, Unroll: s.Unroll, Every: s.Every, AccMajor: s.AccMajor, AccBlock: s.AccBlock})
	r.threads, r.clamp = &threads{s: s, voted: map[*ir.Fold]bool{}}, schedule.Product(s.Unroll) > 1
	for _, a := range s.Block {
		r.threads.axes = r.threads.axes.Or(k.Axes[a.Axis].Bind())
	}
	for a := range k.Axes {
		out.Step = append(out.Step, r.step(a))
	}
	if len(s.Slabs) > 0 {
		var err error
		if r.threads.slabs, r.threads.origins, err = schedule.SlabsOf(u.b, k, s); err != nil {
			return CUDAOutput{}, err
		}
	}
	body := r.threadBody(out)
	u.bufs = r.bufs // with the maximum tables that it found use for
	if n := len(u.bufs) + len(u.argList) + 2*len(k.Axes); n > maxParams {
		return CUDAOutput{}, fmt.Errorf("render %s: %d buffers, scalars and bounds; a CUDA kernel takes at most %d", k.Name, n, maxParams)
	}
	out.Bufs, out.Loads, out.Joins = u.bufs, r.loads, r.threads.used
	if r.threads.block {
		out.Shared = 3 * 32 * 8 // at most: three values a warp
	}
	for _, x := range r.threads.slabs {
		out.Shared += x.Bytes()
	}
	out.Source = fmt.Sprintf("WEFT_KERNEL(%d) %s(%s) {\n%s}\n", out.Block[0]*out.Block[1]*out.Block[2], name, strings.Join(u.params(), ", "), body)
	return out, nil
}

// maxParams keeps parameters within the 4 KiB that every CUDA driver takes.
const maxParams = 512

// params declares the function's parameters.
func (u *unit) params() []string {
	var list []string
	outputs := u.k.Outputs()
	for i, b := range u.bufs {
		constant := "const "
		if slices.Contains(outputs, b) {
			constant = ""
		}
		list = append(list, fmt.Sprintf("%s%s *WEFT_RESTRICT b%d", constant, storageTypes[b.Type], i))
	}
	for i, a := range u.argList {
		list = append(list, argType(a)+" "+argParam(a, i))
	}
	for a := range u.k.Axes {
		list = append(list, fmt.Sprintf("long long lo%d", a), fmt.Sprintf("long long hi%d", a))
	}
	return list
}

// argType is the type of a scalar's parameter, argParam its name.
func argType(n *ir.Node) string {
	if n.Type.Float() {
		return "double"
	}
	return "long long"
}

func argParam(n *ir.Node, i int) string {
	if n.Type.Float() {
		return fmt.Sprintf("farg%d", i)
	}
	return fmt.Sprintf("iarg%d", i)
}

// paramText is a scalar's value.
func paramText(n *ir.Node, i int) string {
	if n.Type == ir.Bool {
		return argParam(n, i) + " != 0"
	}
	return fmt.Sprintf("(%s)%s", ctypes[n.Type].c, argParam(n, i))
}

// ParamTypes are the C types of the parameters in order, pointers as void *: for callers that pass them on.
func (o CUDAOutput) ParamTypes() []string {
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

// literal is a constant in the renderer's dialect: CUDA C has no spelling of infinities and NaN that needs no header.
func (r *renderer) literal(n *ir.Node) string {
	if r.threads == nil || !n.Type.Float() || n.F-n.F == 0 && (n.Type == ir.F64 || float64(float32(n.F))-float64(float32(n.F)) == 0) {
		return literal(n)
	}
	name := "INF"
	if n.F != n.F {
		name = "NAN"
	}
	text := fmt.Sprintf("WEFT_%s_%s", name, strings.ToUpper(ctypes[n.Type].sfx))
	if n.F < 0 {
		return "(-" + text + ")"
	}
	return text
}

// storingThread is the condition, with its if, under which a thread stores its output number v: where threads share
// folds the first of them stores, and outputs after the first may lie beyond the tile.
func (r *renderer) storingThread(v int) string {
	if r.threads == nil {
		return ""
	}
	var conds []string
	if r.threads.s.Fold > 1 {
		conds = append(conds, "threadIdx.x == 0")
	}
	if r.threads.s.Stays() {
		for a := range r.k.Axes {
			if _, ok := r.threads.s.ThreadOf(a); ok {
				conds = append(conds, axisName(r.axis(a))+"_in")
			}
		}
	}
	for _, u := range r.s.Unroll {
		axis := r.axis(u.Axis)
		if o := r.offset(axis, v); o != 0 {
			conds = append(conds, fmt.Sprintf("%s <= %s_last - %d", axisName(axis), axisName(axis), o))
		}
	}
	if len(conds) == 0 {
		return ""
	}
	return fmt.Sprintf("if (%s) ", strings.Join(conds, " && "))
}

// wraps reports an integer operation whose overflow CUDA C, unlike the IR, leaves undefined.
func (r *renderer) wraps(o ir.Op, t ir.DType) bool {
	return r.threads != nil && t.Int() && (o == ir.Add || o == ir.Sub || o == ir.Mul || o == ir.Neg)
}
