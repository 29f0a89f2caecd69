package planner

import (
	"testing"

	"weft/kernels/ir"
	"weft/ops"
	"weft/planner/bound"
)

func TestOnlyTheKernelBehindASourceFindsItsPages(t *testing.T) {
	w := &world{}
	same := func(_ *ops.Body, y *ir.Node) *ir.Node { return y }
	second := w.shifted(w.shifted(w.tall(1000, 40), 1000, same, nil), 1000, same, []float64{-11, 23})
	prefaulted := func(p *bound.Plan) (out []bool) {
		for _, s := range p.Steps {
			if s.Kernel != nil {
				out = append(out, s.Kernel.Prefault)
			}
		}
		return out
	}
	if got := prefaulted(planned(t, Options{Request: Request{FuseLimit: new(0)}}, w.rowSink(second))); len(got) != 2 || !got[0] || got[1] {
		t.Errorf("prefaulted: %v, want the first of two kernels alone", got)
	}
	for _, r := range prefaulted(inBlocksOf(t, 60000, w.rowSink(second))) {
		if r {
			t.Error("a run in blocks has no whole arrays to prefault")
		}
	}
}
