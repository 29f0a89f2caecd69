package bound

import (
	"maps"
	"reflect"
	"slices"

	"weft/kernels/device"
	"weft/kernels/ir"
	"weft/kernels/ir/text"
	"weft/ops"
	"weft/planner/cost"
	"weft/planner/graph"
	"weft/planner/plan"
)

// Plan counts a kernel's work, cuts it into tiles and predicts its time.
func (k *Kernel) Plan(kind string, costs Costs, threads int) {
	k.Costs, k.Kind = costs, kind
	k.count()
	if k.work = nil; costs.Model != nil {
		k.layout = costs.Model.Layout(k.IR)
	}
	k.recut(threads)
}

// count counts what the kernel computes and moves.
func (k *Kernel) count() {
	k.Flops, k.Bytes = cost.Asked(k.IR, k.told).Arithmetic*cost.Share(k.Roots[0], k.counted), 0
	read := cost.Read(k.IR, k.told)
	for _, a := range k.In {
		k.Bytes += a.Moved(read)
	}
	for _, a := range k.Out {
		k.Bytes += a.Moved(nil)
	}
}

// Compiled records how a device compiled the kernel, and cuts it into tiles that its code likes: those that were measured fastest, where
// they were and still fit.
func (k *Kernel) Compiled(on device.Info, r device.Report, step []int, threads int) {
	if !reflect.DeepEqual(k.layout, &r.Layout) { // else it is counted
		k.layout, k.work = &r.Layout, nil
	}
	k.Report, k.Step, k.Device, k.Kind = &r, step, on.Name, on.Kind
	k.Schedule, k.Tuned, k.Tables, k.Loads = r.Schedule, r.Tuned, r.Tables, nil
	for _, name := range slices.Sorted(maps.Keys(r.Loads)) {
		k.Loads = append(k.Loads, plan.Count{Name: name, N: r.Loads[name]})
	}
	k.recut(threads)
	if k.Costs.Model == nil || k.Asked() {
		return
	}
	if size := k.Costs.Model.Tiles(k.Hash, k.Kind); len(size) == len(k.IR.Axes) && len(size) > 0 {
		k.Retile(slices.Clone(size))
		k.TilesTuned = true
	}
}

// recut divides the kernel into tiles by its predicted time with what starting it takes, and predicts again with them.
func (k *Kernel) recut(threads int) {
	k.Tiles = 0
	k.Predict()
	seconds := k.Seconds()
	if k.Costs.Model != nil {
		seconds += cost.PerStep
	}
	k.Retile(cut(axesOf(k.IR), graph.AskedTile(k.Roots), k.Step, seconds/cost.Share(k.Roots[0], k.counted), threads)) // as if there were all, of which the first tiles are
}

// StorePast has what the kernel stores go past the caches. It computes the same.
func (k *Kernel) StorePast() {
	k.IR.Past = true
	k.Write()
}

// Write has the plan say what the kernel is.
func (k *Kernel) Write() {
	k.Hash, k.Text = ir.Hash(k.IR), text.Encode(k.IR, func(b *ir.Buffer) string { return k.Names[b] })
}

// Predict fills in the predicted time.
func (k *Kernel) Predict() {
	switch model := k.Costs.Model; {
	case model != nil:
		if k.work == nil {
			k.work = model.Count(k.IR, k.layout, k.told)
		}
		k.Estimate = model.Predict(cost.Kernel{Work: k.work, Hash: k.Hash, Ops: k.Ops, Loads: k.In, Stores: k.Out,
			Tiles: k.Tiles, Kind: k.Kind, Share: cost.Share(k.Roots[0], k.counted), Prefault: k.Prefault, Again: k.Again && k.Tiles > 0}) // tiles are cut for work that stands alone
	case k.Costs.Rates != plan.Rates{}:
		k.Estimate = roofline(k, k.Costs.Rates)
	default:
		return // a plan that was read describes; it has nothing to predict from
	}
	k.Predicted, k.Bound = 1e3*k.Estimate.Seconds, k.Estimate.Bound
}

// slowness is how much longer than plan.Rates predict a kind of device takes, roughly and at worst: tiles are cut by it.
var slowness = map[string]float64{"interp": 1000}

// Seconds is how long the kernel is expected to take where it runs. A model knows its device.
func (k *Kernel) Seconds() float64 {
	slow := 1.0
	if k.Costs.Model == nil {
		slow = max(1, slowness[k.Kind])
	}
	return k.Predicted * 1e-3 * slow
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

// SumPredictions sums the kernels' predictions up, which change when kernels are compiled, and has verdicts say the same as the kernels: what
// is known better now was off by as much in both choices, which share the work.
func (p *Plan) SumPredictions() {
	p.sumKernels()
	p.besides()
}

func (p *Plan) sumKernels() {
	p.Totals.Predicted = 0
	times := map[string]float64{}
	for _, s := range p.Steps {
		for _, program := range s.Programs {
			program.sumKernels()
		}
		if s.Kernel != nil {
			ms, _ := s.Kernel.Expected()
			p.Totals.Predicted += ms
			if root := s.Kernel.root(p.Graph); root != nil {
				times[graph.Key(root)] = ms
			}
		}
	}
	for i := range p.Edges {
		e := &p.Edges[i]
		chosen := e.StoredMs
		if e.Code.Fused() {
			chosen = e.FusedMs
		}
		if ms := times[e.Kernel]; ms > 0 && chosen > 0 {
			e.FusedMs, e.StoredMs = e.FusedMs*ms/chosen, e.StoredMs*ms/chosen
		}
	}
}

// root is the stage that a kernel is of: it stores others only on the way there. nil: it is of several.
func (k *Kernel) root(g *graph.Graph) *ops.Stage {
	root := k.Roots[len(k.Roots)-1]
	for _, s := range k.Roots {
		if s != root && !g.Leads(s, root) {
			return nil
		}
	}
	return root
}
