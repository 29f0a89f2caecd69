package inside

import "weft/kernels/ir"

// SideBySide is the load that a value is, converted or not, if neighbours along an axis lie side by side in memory; nil: it is no such value.
func SideBySide(n, axis *ir.Node) *ir.Node {
	load := n
	if n.Kind == ir.KAlu && n.Op == ir.Cast && n.Type.Float() && n.Args[0].Type.Float() {
		load = n.Args[0]
	}
	if load.Kind != ir.KLoad || load.Guarded || ir.Flatten(load.Buf, load.Index()).Along(axis) != 1 {
		return nil
	}
	return load
}

// AlongTurns reports a value of which turns of a fold lie side by side in memory.
func AlongTurns(n *ir.Node, f *ir.Fold) (yes bool) {
	ir.WalkNodes([]*ir.Node{n}, func(n *ir.Node) {
		yes = yes || n.Kind == ir.KLoad && ir.Flatten(n.Buf, n.Index()).Along(f.Index) == 1
	})
	return yes
}
