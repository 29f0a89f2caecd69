package graph

import (
	"weft/kernels/ir"
	"weft/ops"
)

// Arrays are the stages of a graph in memory.
type Arrays struct {
	Bufs map[*ops.Stage]*ir.Buffer
	g    *Graph
}

// NewArrays has none yet.
func NewArrays(g *Graph) Arrays { return Arrays{Bufs: map[*ops.Stage]*ir.Buffer{}, g: g} }

// Of is the buffer of a stage, with the tables that bound it.
func (a Arrays) Of(s *ops.Stage) *ir.Buffer {
	if b := a.Bufs[s]; b != nil {
		return b
	}
	b := a.g.Buffer(s)
	a.Bufs[s] = b
	if t := s.Tall; t != nil {
		b.Facts.Max = &ir.MaxPyramid{Top: a.Of(t.Top)}
		for _, l := range t.Levels {
			b.Facts.Max.Tables = append(b.Facts.Max.Tables, ir.MaxTable{Buf: a.Of(l.Table), Shift: l.Shift, Rows: l.Rows, Cols: l.Cols, Block: l.Block})
		}
	}
	return b
}
