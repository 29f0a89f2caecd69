package bound

import (
	"slices"

	"weft/kernels/device"
	"weft/kernels/ir"
	"weft/planner/cost"
	"weft/planner/plan"
)

// Plan counts a kernel's work, cuts it into tiles and predicts its time.
func (k *Kernel) Plan(kind string, costs Costs, threads int) {
	k.Costs, k.Kind = costs, kind
	k.Flops, k.Bytes = ir.CostOf(k.IR).Flops, 0
	for _, n := range slices.Concat(k.MovedIn, k.MovedOut) {
		k.Bytes += n
	}
	k.predict(0, nil)
	k.setTiles(nil, threads)
	k.Predict()
}

// predict fills in the predicted time. Tiles and the report of its program are 0 and nil before they are known.
func (k *Kernel) predict(tiles int, known *device.Report) {
	switch model := k.Costs.Model; {
	case model != nil:
		k.slow = 1 // the model knows its device
		k.Estimate = model.Predict(cost.Kernel{IR: k.IR, Hash: k.Hash, Ops: k.Ops, Loads: k.MovedIn, Stores: k.MovedOut,
			Tiles: tiles, Report: known, Kind: k.Kind, Prefault: k.Prefault})
	case k.Costs.Rates != plan.Rates{}:
		k.Estimate = roofline(k, k.Costs.Rates)
	default:
		return // a plan that was read describes; it has nothing to predict from
	}
	k.Predicted, k.Bound = 1e3*k.Estimate.Seconds, k.Estimate.Bound
}

// roofline is the larger of arithmetic and memory traffic at two given rates.
func roofline(k *Kernel, r plan.Rates) cost.Estimate {
	e := cost.Estimate{Compute: k.Flops / r.Flops, Memory: float64(k.Bytes) / r.Bandwidth, Bound: "compute", Factor: 1, Source: "given rates"}
	e.Seconds = max(e.Compute, e.Memory)
	if e.Memory > e.Compute {
		e.Bound = "bandwidth"
	}
	return e
}

// Predict fills in the predicted time once the kernel is cut.
func (k *Kernel) Predict() {
	if k.Program == nil {
		k.predict(k.Tiles, nil)
		return
	}
	r := k.Program.Report()
	k.predict(k.Tiles, &r)
}

// SumPredictions sums the kernels' predictions up, which change when kernels are compiled.
func (p *Plan) SumPredictions() {
	p.Totals.Predicted = 0
	for _, s := range p.Steps {
		if s.Kernel != nil {
			ms, _ := s.Kernel.Expected()
			p.Totals.Predicted += ms
		}
	}
}
