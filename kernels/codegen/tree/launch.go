package tree

import (
	"fmt"

	"weft/kernels/ir"
)

// AxisName is the variable that goes along an axis.
func AxisName(n *ir.Node) string { return fmt.Sprintf("x%d", n.ID()) }

// TileLo is where the tile of a launch begins along an axis.
func TileLo(axis int) *Expr { return At(Name("a->lo"), Int(axis)) }

// TileHi is where it ends.
func TileHi(axis int) *Expr { return At(Name("a->hi"), Int(axis)) }

// ChunkEnds are where the current chunk begins and ends along an axis.
func ChunkEnds(axis *ir.Node) (from, to *Expr) {
	return Name(AxisName(axis) + "_from"), Name(AxisName(axis) + "_to")
}

// ScratchAt is a place in a launch's own memory.
func ScratchAt(at int) *Expr { return Add(Name("scratch"), Int(at)) }
