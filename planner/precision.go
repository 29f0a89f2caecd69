package planner

import (
	"slices"
	"strings"

	"weft/kernels/ir"
)

// precisionOf reads the triple off a kernel: what it stores, computes with and accumulates in.
func precisionOf(k *ir.Kernel) Precision {
	var storage, compute, acc []string
	add := func(list *[]string, t ir.DType) {
		if s := t.String(); !slices.Contains(*list, s) {
			*list = append(*list, s)
		}
	}
	for _, s := range k.Stores {
		add(&storage, s.Buf.Type)
	}
	k.Walk(func(n *ir.Node) {
		switch {
		case n.Kind == ir.KAlu && n.Type.Float():
			add(&compute, n.Type)
		case n.Kind == ir.KFold && n.Fold.Monoid != ir.Ordered:
			for _, a := range n.Fold.Accs {
				add(&acc, a.Type)
			}
		}
	})
	if compute == nil {
		compute = storage
	}
	join := func(l []string) string { slices.Sort(l); return strings.Join(l, "+") }
	return Precision{Storage: join(storage), Compute: join(compute), Accumulate: join(acc)}
}
