package ops

import (
	"strings"

	"weft/kernels/ir"
	"weft/ops/problem"
)

// Hints are what annotations ask of the planner for the stages of an operator.
type Hints struct {
	Keep, Fuse bool
	Device     string // cpu, gpu, or the name of devices; empty: where the planner likes
	Precision  Precision
	Tolerance  Number         // V is 0 where none is stated
	Tile       map[string]int // extents by dim
	At         map[string]problem.Where
}

// Precision is the types that @precision asks for; 0: as the planner chooses.
type Precision struct {
	Storage, Compute, Accumulate ir.DType
	Parts                        bool // asked for part by part: then each must be possible
}

// String is the argument of the annotation.
func (p Precision) String() string {
	if !p.Parts {
		return p.Storage.String()
	}
	var parts []string
	for i, t := range []ir.DType{p.Storage, p.Compute, p.Accumulate} {
		if t != 0 {
			parts = append(parts, []string{"storage", "compute", "accumulate"}[i]+": "+t.String())
		}
	}
	return strings.Join(parts, ", ")
}

// Hints are those of the operator that the stage comes from.
func (s *Stage) Hints() Hints {
	if s.Op == nil {
		return Hints{}
	}
	h := s.Op.Hints
	h.Keep = h.Keep && s.IsOutput() // an array is kept, not what it is made from
	return h
}
