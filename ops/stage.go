package ops

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"weft/kernels/ir"
	"weft/ops/problem"
)

// Elem is one element while a kernel is built: a real node, or a pair.
type Elem struct{ Re, Im *ir.Node }

// Stage is an array in pull form: what it holds at an index, given the stages it reads. Stages are what a planner fuses:
// reading a stage either computes its element in place or loads it from a buffer, as the planner decided for that edge.
type Stage struct {
	Name   string    // beamform.prepare
	Type   Type      // Type.Elem.Base is the type it computes in and, unless the planner narrows it, is stored in
	Op     *Instance // the operator use it comes from
	Inputs []*Stage  // what Elem may read
	Steps  []string  // for explain: what is done per element, in order (delay, interpolate, rotate, sum)
	Where  problem.Where

	// Elem defines the stage: its element at index (one I32 node a dim, in range).
	Elem func(b *Body, index []*ir.Node) Elem
	// Put, if set, is how a kernel makes the whole stage with less work than Elem for each element. It is then always stored; Elem is what
	// single elements are checked by.
	Put *Put
	// Near, if set, gives the element at index from inputs in the neighbourhood of what was found to be it. Where a reference cannot afford to
	// compute its inputs everywhere, what it finds in them as they are stored is proved from them as they are defined nearby.
	Near func(b *Body, index []*ir.Node, found Elem) Elem
	// Data holds values known while planning, in float64 and C order; such a stage has no Elem.
	Data []float64
	// Facts about Data that bounds may use; Constant finds those that follow from it.
	Facts ir.Facts
	// Tall gives tables that bound the stage from above; readers list them among their Inputs. Where the stage is loaded from
	// memory the tables are there too, and a renderer may skip by them what cannot change a result.
	Tall *MaxTables
	// Exact says that every operation must be rounded by itself, as comparisons that break ties need: what it is computed in is
	// not contracted, and is checked against the same arithmetic instead of float64.
	Exact bool
	// Digits, if set, is the type of floats in which some of it is computed, where its own has more digits: what it is held to is of that one.
	Digits ir.DType
	// Rounded, if set, is the type of floats to which its elements are rounded, and in which they lie in memory.
	Rounded ir.DType
	// Remainder says that the elements are what is left where values nearly cancel, so that they measure rounding: no digit of them is the same in other
	// arithmetic, and they are as they should be where rounding explains them.
	Remainder bool
	// Partial says that the elements are sums of parts, whose sum is the same to the bit only if they are stored.
	Partial bool
	// Mirrored says that half of the elements are those of the other half.
	Mirrored bool
	// Void, if set, is what is wrong with a run in which the stage is stored and holds not one finite element.
	Void error
	// Source marks an array that arrives from outside: its operator fills it, knowing it by its place Out among the outputs. State says that
	// it is one that a drive keeps between calls of its programs, Around that what runs the drive has it in memory.
	Source, State, Around bool
	Out                   int
}

// EachStage returns a function that visits a stage and all that it is made from, producers first, and each of them once in all its calls.
func EachStage(visit func(*Stage)) func(*Stage) {
	seen := map[*Stage]bool{}
	var walk func(*Stage)
	walk = func(s *Stage) {
		if seen[s] {
			return
		}
		seen[s] = true
		for _, in := range s.Inputs {
			walk(in)
		}
		visit(s)
	}
	return walk
}

// Put makes a stage by stores in the turns of ordered folds: whatever element a turn finds that it belongs to.
type Put struct {
	Axes   []Dim // of the kernel: parts of the work that do not wait for each other, and never store the same element
	Writes func(b *Body, axes []*ir.Node) []Write
	Finds  *Stage // one over the axes that follows from the same turns; nil: none. Rows of the stage belong to its elements
	Along  string // the dim that turns go along, each with one element to store, its own; empty: they store others
	Starts *Stage // a line of where what each point of the axes stores begins in the stage, one after the other; nil: that is not told
}

// Along is the dim along which a stage is made in order, as far as its dims are those of what it is made from; empty: there is none.
func (s *Stage) Along() string {
	seen := map[*Stage]bool{} // stages that several read are looked at once
	var along func(s *Stage) string
	along = func(s *Stage) (dim string) {
		if s.Put != nil {
			return s.Put.Along
		}
		for _, in := range s.Inputs {
			if dim == "" && !seen[in] && SameDims(in.Type.Dims, s.Type.Dims) {
				seen[in] = true
				dim = along(in)
			}
		}
		return dim
	}
	return along(s)
}

// Write is a store in every turn of a fold, at an index of the stage, where a condition holds (nil: everywhere).
type Write struct {
	In    *ir.Fold
	At    []*ir.Node
	Value Elem
	Where *ir.Node
	Adds  bool // to what an earlier write of the same point has stored there
}

// IsOutput reports whether the stage is an output of its operator, by its name: inner ones have names of their own.
func (s *Stage) IsOutput() bool {
	_, ok := s.output()
	return ok
}

// StageName is the name of the stage that is the named output of an operator.
func StageName(op *Instance, name string) string {
	if name == "" {
		return op.Spec.Name
	}
	return op.Spec.Name + "." + name
}

// At reads the stage at index, which must be in range.
func (s *Stage) At(b *Body, index ...*ir.Node) Elem {
	return b.Read(s, nil, 0, index)
}

// AtOr reads the stage at index where guard holds and is other elsewhere. The index may be out of range there.
func (s *Stage) AtOr(b *Body, guard *ir.Node, other float64, index ...*ir.Node) Elem {
	return b.Read(s, guard, other, index)
}

// Part reads a part of an array that is not dense, and so is always in memory.
func (s *Stage) Part(b *Body, role string, index ...*ir.Node) *ir.Node {
	i := slices.IndexFunc(s.Type.Parts(), func(p Part) bool { return p.Role == role })
	return b.Load(b.Stored(s)[i], index...)
}

// Body is what definitions are written with: a node builder, and the planner's decision about every read.
type Body struct {
	*ir.Builder
	// Read and Stored, the parts of an array in memory, are set by the planner.
	Read   func(s *Stage, guard *ir.Node, other float64, index []*ir.Node) Elem
	Stored func(s *Stage) []*ir.Buffer
	// Argument reports whether a number is an argument of the kernel that is built, not a constant. nil: none is.
	Argument func(Number) bool
	once     map[onceKey][]*ir.Node
}

// Number is a number of the program, in a float type: an argument of the kernel where the planner says so, or else a constant.
func (b *Body) Number(t ir.DType, n Number) *ir.Node {
	if n.From == "" || b.Argument == nil || !b.Argument(n) {
		return b.Const(t, n.V)
	}
	return b.ArgOr(t, n.From, n.V)
}

// Inside is a body for what stages are defined by within a definition: read gives what they read.
func (b *Body) Inside(read func(s *Stage, guard *ir.Node, other float64, index []*ir.Node) Elem) *Body {
	in := *b
	in.Read, in.once = read, nil
	return &in
}

type onceKey struct {
	of    any
	index string
}

// Once builds what several outputs of an operator share, such as one fold with an accumulator for each: made at the first
// call with this owner and index, handed out again at the others. The owner is any comparable value of the operator's own.
func (b *Body) Once(owner any, index []*ir.Node, build func() []*ir.Node) []*ir.Node {
	at := make([]byte, 0, 8*len(index))
	for _, n := range index {
		at = append(strconv.AppendInt(at, int64(n.ID()), 10), ',')
	}
	k := onceKey{owner, string(at)}
	if b.once == nil {
		b.once = map[onceKey][]*ir.Node{}
	}
	if b.once[k] == nil {
		b.once[k] = build()
	}
	return b.once[k]
}

// Lowering is what an operator's Lower works with.
type Lowering struct {
	Op     *Instance
	Inputs map[string]*Stage // array arguments by parameter name
	Lists  map[string][]*Stage
	Room   Room
	Blocks bool // it runs in blocks of rows: arrays are made from what is there of others row by row
	Strict bool // what is only said of arrays is looked at also where that takes a pass of its own
	stages []*Stage
}

// NewLowering prepares the lowering of an instance; in gives the stage of each array it uses.
func NewLowering(op *Instance, in func(Array) *Stage) *Lowering {
	l := &Lowering{Op: op, Inputs: map[string]*Stage{}, Lists: map[string][]*Stage{}}
	op.Call.Arrays(func(param string, a Array) {
		s := in(a)
		if l.Inputs[param] == nil {
			l.Inputs[param] = s
		}
		l.Lists[param] = append(l.Lists[param], s)
	})
	return l
}

// In is the stage of an array argument.
func (l *Lowering) In(param string) *Stage { return l.Inputs[param] }

// Stage defines an array. An output of the operator is named like the operator; inner ones get a name of their own.
func (l *Lowering) Stage(name string, t Type, inputs []*Stage, elem func(b *Body, index []*ir.Node) Elem) *Stage {
	return l.Add(&Stage{Name: StageName(l.Op, name), Type: t, Op: l.Op, Inputs: inputs, Elem: elem, Where: l.Op.Where})
}

// Add takes in an array that is defined already.
func (l *Lowering) Add(s *Stage) *Stage {
	l.stages = append(l.stages, s)
	return s
}

// Constant defines an array whose values are known now.
func (l *Lowering) Constant(name string, t Type, data []float64) *Stage {
	s := l.Stage(name, t, nil, nil)
	s.Data = data
	if shape := t.Shape(); !t.Elem.Complex && len(shape) > 0 {
		s.Facts.Data = ir.DataFactsOf(data, shape[len(shape)-1])
	}
	return s
}

// Table is a Constant of plain reals without named meaning: dims are called by the given names.
func (l *Lowering) Table(name string, base ir.DType, data []float64, dims ...Dim) *Stage {
	return l.Constant(name, Type{Elem: ElemType{Base: base}, Dims: dims}, data)
}

// Number is a number of the operator's own that follows from its arguments: from params, if one of these does.
func (l *Lowering) Number(name string, v float64) Number {
	var from []string
	for _, p := range l.Op.Spec.Params {
		if n, ok := l.Op.Call.Args[p.Name].(Number); ok && n.From != "" && !slices.Contains(from, n.From) {
			from = append(from, n.From)
		}
	}
	if from == nil {
		return Number{V: v}
	}
	return Number{V: v, From: fmt.Sprintf("%s %d: %s(%s)", l.Op.Spec.Name, l.Op.ID, name, strings.Join(from, ", "))}
}

// Numbers are numbers of one name.
func (l *Lowering) Numbers(name string, v []float64) []Number {
	out := make([]Number, len(v))
	for i := range v {
		out[i] = l.Number(fmt.Sprint(name, i), v[i])
	}
	return out
}

// Made are the stages defined so far, in order.
func (l *Lowering) Made() []*Stage { return l.stages }
