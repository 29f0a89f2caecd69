package planner

import (
	"slices"

	"weft/kernels/device"
	"weft/kernels/ir"
	"weft/planner/cost"
)

// estimate counts a kernel's work and predicts its time.
func (b *builder) estimate(k *Kernel, g *group) {
	k.Flops = ir.CostOf(g.kernel).Flops
	for _, s := range g.loads {
		k.loads = append(k.loads, b.a.buffer(s).Bytes())
	}
	for _, s := range g.roots {
		k.stores = append(k.stores, b.a.buffer(s).Bytes())
	}
	for _, n := range slices.Concat(k.loads, k.stores) {
		k.Bytes += n
	}
	k.costs, k.kind = b.plan.costs, b.dev.Kind
	k.predict(0, nil)
}

// predict fills in the predicted time. Tiles and the report of its program are 0 and nil before they are known.
func (k *Kernel) predict(tiles int, known *device.Report) {
	switch model := k.costs.model; {
	case model != nil:
		k.slow = 1 // the model knows its device
		k.Estimate = model.Predict(cost.Kernel{IR: k.Ir, Hash: k.Hash, Ops: k.Ops, Loads: k.loads, Stores: k.stores,
			Tiles: tiles, Report: known, Kind: k.kind, Ready: k.Ready})
	case k.costs.rates != Rates{}:
		k.Estimate = roofline(k, k.costs.rates)
	default:
		return // a plan that was read describes; it has nothing to predict from
	}
	k.Predicted, k.Bound = 1e3*k.Estimate.Seconds, k.Estimate.Bound
}

// roofline is the larger of arithmetic and memory traffic at two given rates.
func roofline(k *Kernel, r Rates) cost.Estimate {
	e := cost.Estimate{Compute: k.Flops / r.Flops, Memory: float64(k.Bytes) / r.Bandwidth, Bound: "compute", Factor: 1, Source: "given rates"}
	e.Seconds = max(e.Compute, e.Memory)
	if e.Memory > e.Compute {
		e.Bound = "bandwidth"
	}
	return e
}

// predictTiles fills in the predicted time once the kernel is cut.
func (k *Kernel) predictTiles() {
	if k.Program == nil {
		k.predict(k.Tiles, nil)
		return
	}
	r := k.Program.Report()
	k.predict(k.Tiles, &r)
}

// sumPredictions sums the kernels' predictions up, which change when kernels are compiled.
func (p *Plan) sumPredictions() {
	p.Totals.Predicted = 0
	for _, s := range p.Steps {
		if s.Kernel != nil {
			ms, _ := s.Kernel.Expected()
			p.Totals.Predicted += ms
		}
	}
}

// Kind is that of the device the kernel is planned or compiled for.
func (k *Kernel) Kind() string { return k.kind }
