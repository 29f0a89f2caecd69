package graph

import (
	"path/filepath"
	"slices"

	"weft/ops"
	"weft/ops/files/spill"
)

// spills are the arrays that are made around drives and stored on disk before these read tiles of them: each has a sink that takes it, and a source, which is
// what the drives have.
type spills struct {
	dir  string // of the first file that the program writes
	from map[ops.Array]*ops.Instance
	of   map[*ops.Instance]map[ops.Array]bool // what a drive has of them
}

func newSpills(sinks []*ops.Instance) *spills {
	s := &spills{from: map[ops.Array]*ops.Instance{}, of: map[*ops.Instance]map[ops.Array]bool{}}
	for _, op := range sinks {
		if path := op.File(); path != "" && s.dir == "" {
			s.dir = filepath.Dir(path)
		}
	}
	return s
}

// spills stores those arguments of a drive on disk of which it reads tiles, and no source gives them.
func (c *collector) spills(op *ops.Instance, tiled []*ops.Stage) {
	c.spilled.of[op] = map[ops.Array]bool{}
	op.Call.Arrays(func(_ string, a ops.Array) {
		s := c.stageOf(a)
		if fromFile(s) || s.Type.Format != nil || len(s.Type.Dims) == 0 || !slices.Contains(tiled, s) {
			return
		}
		c.spilled.of[op][a] = true
		if c.spilled.from[a] != nil {
			return
		}
		on := &spill.Array{Type: s.Type, Dir: c.spilled.dir}
		number := -2*len(c.spilled.from) - 1
		takes := &ops.Spec{Name: "stored", Params: []ops.Param{{Name: "a"}}}
		c.sink(&ops.Instance{ID: number, Spec: takes, Call: &ops.Call{Spec: takes, Args: map[string]ops.Value{"a": a}}, Bound: spill.Sink{Array: on}, Where: op.Where}, []*ops.Stage{s})
		gives := &ops.Spec{Name: "stored"}
		bound := spill.Source{Array: on}
		c.spilled.from[a] = &ops.Instance{ID: number - 1, Spec: gives, Call: &ops.Call{Spec: gives}, Bound: bound, Out: bound.Outputs(), Label: a.Of.Label, Where: op.Where}
	})
}

// had is the stage that a drive has of an argument.
func (c *collector) had(op *ops.Instance) func(ops.Array) *ops.Stage {
	return func(a ops.Array) *ops.Stage {
		if c.spilled != nil && c.spilled.of[op][a] {
			a = ops.Array{Of: c.spilled.from[a]}
		}
		return c.stageOf(a)
	}
}
