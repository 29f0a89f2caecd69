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
}

func newSpills(sinks []*ops.Instance) *spills {
	s := &spills{from: map[ops.Array]*ops.Instance{}}
	for _, op := range sinks {
		if path := op.File(); path != "" && s.dir == "" {
			s.dir = filepath.Dir(path)
		}
	}
	return s
}

// spill stores an array on disk for a drive, once.
func (c *collector) spill(op *ops.Instance, a ops.Array) *ops.Instance {
	if from := c.spilled.from[a]; from != nil {
		return from
	}
	s := c.stageOf(a)
	on := &spill.Array{Type: s.Type, Dir: c.spilled.dir}
	number := -2*len(c.spilled.from) - 1
	takes := &ops.Spec{Name: "stored", Params: []ops.Param{{Name: "a"}}}
	c.sink(&ops.Instance{ID: number, Spec: takes, Call: &ops.Call{Spec: takes, Args: map[string]ops.Value{"a": a}}, Bound: spill.Sink{Array: on}, Where: op.Where}, []*ops.Stage{s})
	gives := &ops.Spec{Name: "stored"}
	bound := spill.Source{Array: on}
	from := &ops.Instance{ID: number - 1, Spec: gives, Call: &ops.Call{Spec: gives}, Bound: bound, Out: bound.Outputs(), Label: a.Of.Label, Where: op.Where}
	c.spilled.from[a] = from
	return from
}

// tiled is what a drive has in place of arguments that its tasks read tiles of.
type tiled struct {
	room   ops.Room
	stored map[ops.Array]*ops.Instance // on disk, by what it would be computed from
	woven  map[ops.Array]*woven
}

// tile finds it. Of what is neither read from a file nor made in place nor stored there are no tiles: each program makes all of it.
func (c *collector) tile(op *ops.Instance, bound ops.Driver) *tiled {
	t := &tiled{room: ops.Room{Bytes: c.how.Room, Each: map[string]int64{}}, stored: map[ops.Array]*ops.Instance{}, woven: map[ops.Array]*woven{}}
	if c.how.Room == 0 {
		return t
	}
	l := ops.NewLowering(op, c.stageOf)
	l.Room = t.room
	of := bound.Programs(l).Tasks.Of
	op.Call.Arrays(func(param string, a ops.Array) {
		s := c.stageOf(a)
		if fromFile(s) || s.Type.Format != nil || len(s.Type.Dims) == 0 || !slices.Contains(of, s) {
			return
		}
		if w := c.weave(a); w != nil {
			t.woven[a], t.room.Each[param] = w, w.bytes
			for _, a := range w.from {
				if !fromFile(c.stageOf(a)) {
					t.stored[a] = c.spill(op, a)
				}
			}
		} else if c.spilled != nil {
			t.stored[a] = c.spill(op, a)
		}
	})
	return t
}

// had is the stage that a drive has of an array.
func (c *collector) had(t *tiled) func(ops.Array) *ops.Stage {
	return func(a ops.Array) *ops.Stage {
		if from := t.stored[a]; from != nil {
			a = ops.Array{Of: from}
		}
		return c.stageOf(a)
	}
}

// tasks are those of a drive as they are done: of what is made in place, tiles are there of what that is made from.
func (t *tiled) tasks(c *collector, op *ops.Instance, about ops.Drive) ops.Tasks {
	had, in := c.had(t), map[*ops.Stage][]*ops.Stage{}
	op.Call.Arrays(func(_ string, a ops.Array) {
		s := had(a)
		if w := t.woven[a]; w != nil {
			in[s] = []*ops.Stage{}
			for _, a := range w.from {
				in[s] = append(in[s], had(a))
			}
		} else if fromFile(s) {
			in[s] = []*ops.Stage{s}
		}
	})
	for _, s := range about.State {
		in[s] = []*ops.Stage{s}
	}
	out := about.Tasks
	out.Of = nil
	for _, s := range about.Tasks.Of {
		out.Of = appendNew(out.Of, in[s])
	}
	out.At = func(number int) ops.Task {
		t := about.Tasks.At(number)
		reads := make([]ops.Tile, 0, len(t.Reads))
		for _, r := range t.Reads {
			for _, s := range in[r.Of] {
				reads = append(reads, ops.Tile{Of: s, Box: r.Box})
			}
		}
		t.Reads = reads
		return t
	}
	return out
}
