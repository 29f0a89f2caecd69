package planner

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"hash"
	"maps"
	"slices"

	"weft/kernels/ir"
	"weft/ops"
)

// Identity tells what a plan computes from others, whatever is fused, tiled and stored how: the definition of every stage that its
// sinks need, each by itself, the values of tables, and the settings of sources.
func (p *Plan) Identity() string {
	h := sha256.New()
	seen := map[*ops.Stage]bool{}
	var visit func(s *ops.Stage)
	visit = func(s *ops.Stage) {
		if seen[s] {
			return
		}
		seen[s] = true
		for _, in := range s.Inputs {
			visit(in)
		}
		identify(h, s)
	}
	for _, s := range p.Steps {
		if s.Kind == SinkStep {
			fmt.Fprintln(h, s.Name)
			for _, id := range s.Reads {
				visit(p.Buffer(id).Array)
			}
		}
	}
	return hex.EncodeToString(h.Sum(nil)[:16])
}

// identify writes a stage as a kernel that loads all its inputs.
func identify(h hash.Hash, s *ops.Stage) {
	s = s.AsDefined()
	fmt.Fprintln(h, StageKey(s), s.Type, s.Exact, s.Data)
	for _, in := range s.Inputs {
		fmt.Fprintln(h, StageKey(in))
	}
	hints := s.Hints()
	hints.At = nil
	fmt.Fprintln(h, hints)
	if s.Source {
		for _, name := range slices.Sorted(maps.Keys(s.Op.Call.Args)) {
			fmt.Fprintln(h, name, s.Op.Call.Args[name])
		}
	}
	if s.Source || s.Data != nil {
		return
	}
	bufs := map[*ops.Stage]*ir.Buffer{}
	low := newLowerer(func(in, _ *ops.Stage) *ir.Buffer {
		if bufs[in] == nil {
			bufs[in] = bufferOf(in.AsDefined(), in.Name)
		}
		return bufs[in]
	})
	low.body.Plain = true
	axes := low.axes(s.Axes())
	fmt.Fprintln(h, ir.Hash(&ir.Kernel{Name: s.Name, Axes: axes, Stores: low.storesOf(s, bufferOf(s, s.Name), axes)}))
}
