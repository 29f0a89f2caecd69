package graph

import (
	"weft/kernels/ir"
	"weft/ops"
)

// Arrays are the stages of a graph in memory.
type Arrays struct {
	Bufs map[*ops.Stage][]*ir.Buffer
	g    *Graph
}

// NewArrays has none yet.
func NewArrays(g *Graph) Arrays { return Arrays{Bufs: map[*ops.Stage][]*ir.Buffer{}, g: g} }

// Of are the buffers of a stage, with the tables that bound it.
func (a Arrays) Of(s *ops.Stage) []*ir.Buffer {
	if b := a.Bufs[s]; b != nil {
		return b
	}
	b := a.g.Buffers(s)
	a.Bufs[s] = b
	if t := s.Tall; t != nil {
		m := &ir.MaxPyramid{Top: a.Of(t.Top)[0]}
		b[0].Facts.Max = m
		for _, l := range t.Levels {
			m.Tables = append(m.Tables, ir.MaxTable{Buf: a.Of(l.Table)[0], Shift: l.Shift, Rows: l.Rows, Cols: l.Cols, Block: l.Block})
		}
	}
	return b
}

// Stages are those that buffers hold parts of.
func (a Arrays) Stages() map[*ir.Buffer]*ops.Stage {
	out := map[*ir.Buffer]*ops.Stage{}
	for s, parts := range a.Bufs {
		for _, b := range parts {
			out[b] = s
		}
	}
	return out
}
