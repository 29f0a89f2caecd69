package bound

import (
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"fmt"
	"hash"
	"maps"
	"math"
	"slices"

	"weft/kernels/ir"
	"weft/ops"
	"weft/planner/graph"
	"weft/planner/plan"
)

// Identity tells what a plan computes from others, whatever is fused, tiled and stored how: the definition of every stage that its
// sinks need, each by itself, the values of tables and arguments, and the settings of sources.
func (p *Plan) Identity() string {
	h := sha256.New()
	visit := ops.EachStage(func(s *ops.Stage) { p.identify(h, s) })
	for _, s := range p.Steps {
		for _, program := range s.Programs {
			fmt.Fprintln(h, program.Identity())
		}
		if s.Kind == plan.SinkStep || s.Kind == plan.DriveStep { // what lies around a drive is no input of what it gives
			fmt.Fprintln(h, s.Name)
			for _, id := range s.Reads {
				visit(p.Buffer(id).Array)
			}
		}
	}
	p.identifyNumbers(h)
	return hex.EncodeToString(h.Sum(nil)[:16])
}

// CountedBy tells the computation of a stage from others, in the same way.
func (p *Plan) CountedBy(s *ops.Stage) string {
	h := sha256.New()
	ops.EachStage(func(s *ops.Stage) { p.identify(h, s) })(s)
	p.identifyNumbers(h)
	return hex.EncodeToString(h.Sum(nil)[:16])
}

// identifyNumbers writes the arguments of kernels.
func (p *Plan) identifyNumbers(h hash.Hash) {
	for _, n := range p.Numbers {
		if n.Fixed == "" {
			fmt.Fprintln(h, n.Name, n.Value)
		}
	}
}

// identify writes a stage as a kernel that loads all its inputs.
func (p *Plan) identify(h hash.Hash, s *ops.Stage) {
	fmt.Fprintln(h, graph.Key(s), s.Type, s.Exact, s.Data)
	for _, in := range s.Inputs {
		fmt.Fprintln(h, graph.Key(in))
	}
	hints := s.Hints()
	hints.At = nil
	fmt.Fprintln(h, hints)
	if s.Source {
		for _, name := range slices.Sorted(maps.Keys(s.Op.Call.Args)) {
			if v := s.Op.Call.Args[name]; v.Kind()&ops.KArray == 0 {
				fmt.Fprintln(h, name, v)
			}
		}
	}
	if !graph.Given(s) {
		fmt.Fprintln(h, ir.Hash(p.Graph.Alone(s).Kernel))
	}
}

// Values identify the elements of a table, or say where those of a source lie, which kernels go by; of other stages nothing is known yet.
func Values(s *ops.Stage) string {
	switch {
	case s.Data == nil && s.Source && s.Facts.Within != nil:
		return s.Facts.Within.String()
	case s.Data == nil:
		return ""
	}
	h, bytes := sha256.New(), make([]byte, 0, 8<<10)
	for some := range slices.Chunk(s.Data, cap(bytes)/8) {
		bytes = bytes[:0]
		for _, v := range some {
			bytes = binary.LittleEndian.AppendUint64(bytes, math.Float64bits(v))
		}
		h.Write(bytes)
	}
	return hex.EncodeToString(h.Sum(nil)[:16])
}
