package planner

import (
	"maps"
	"sync"
	"testing"

	"weft/kernels/device"
	"weft/kernels/ir"
	"weft/kernels/region"
	"weft/ops"
	"weft/planner/bound"
	"weft/planner/plan"
)

// A kernel's footprint names each array it reads by its id: a region with its halo, and tables as a whole.
func TestFootprintOfAStep(t *testing.T) {
	w := &world{}
	in := w.tall(1000, 40)
	sink := w.sink(w.shifted(in, 1000, func(_ *ops.Body, y *ir.Node) *ir.Node { return y }, []float64{3, -7, 0}))
	p, err := Build([]*ops.Instance{sink}, device.Info{Name: "test"}, Options{Rates: plan.Rates{Flops: 50e9, Bandwidth: 20e9}})
	if err != nil {
		t.Fatal(err)
	}
	var step *bound.Step
	for i := range p.Steps {
		if p.Steps[i].Kernel != nil {
			step = &p.Steps[i]
		}
	}
	foot := p.Footprint(step)
	var group sync.WaitGroup
	for lo := range 50 {
		group.Go(func() {
			over := region.Region{{Lo: 20 * lo, Hi: 20*lo + 20}, {Lo: 4, Hi: 9}}
			want := map[string]region.Region{}
			for _, id := range step.Reads {
				want[id] = region.Region{{Lo: max(0, over[0].Lo-7), Hi: min(1000, over[0].Hi+3)}, over[1]}
				if p.Buffer(id).Role == plan.FromPlan {
					want[id] = region.Whole(3)
				}
			}
			if got := foot(over); !maps.EqualFunc(got, want, region.Region.Equal) || len(got) != 2 {
				t.Errorf("%v needs %v, want %v", over, got, want)
			}
		})
	}
	group.Wait()
}

// What a kernel is given and does not load, such as x of x ^ 0, has no footprint.
func TestFootprintOfWhatIsNotRead(t *testing.T) {
	w := &world{}
	in := w.note(w.dear(w.ramp(50)), "keep")
	p := planned(t, Options{}, w.sink(w.reading("power", in, func(b *ops.Body, in *ops.Stage, i *ir.Node) *ir.Node {
		in.At(b, i)
		return b.F32(1)
	})))
	step := &p.Steps[len(p.Steps)-2]
	if step.Kernel == nil || len(step.Reads) != 1 {
		t.Fatalf("step %+v", step)
	}
	if got := p.Footprint(step)(region.Region{{Lo: 3, Hi: 7}}); len(got) != 0 {
		t.Errorf("needs %v", got)
	}
}
