package report

import (
	"fmt"
	"slices"
	"strings"

	"weft/kernels/device"
	"weft/lang/diag"
	"weft/ops/amount"
	"weft/planner/bound"
	"weft/planner/plan"
)

// devices are those that a plan runs on, the host's first.
func devices(p *bound.Plan) string {
	names := []string{p.Device}
	for _, s := range p.Steps {
		if s.Kernel == nil {
			continue
		}
		for _, d := range s.Kernel.Place.Devices {
			if !slices.Contains(names, d) {
				names = append(names, d)
			}
		}
	}
	if len(names) == 1 {
		return names[0]
	}
	slices.Sort(names[1:])
	return strings.Join(names, ", ")
}

// where are the devices of a kernel, with their shares where there are several.
func where(k *bound.Kernel) string {
	p := k.Place
	if !p.Accelerates() {
		return k.Device
	}
	if len(p.Devices) == 1 {
		return p.Devices[0]
	}
	var out []string
	for i, d := range p.Devices {
		if i < len(p.Weights) { // a plan that was read may be anything
			d += fmt.Sprintf(" %.0f %%", 100*p.Weights[i])
		}
		out = append(out, d)
	}
	return strings.Join(out, ", ")
}

// shared says how the rows of a kernel are divided.
func shared(k *bound.Kernel) string {
	if k.Place.Accelerates() {
		return "ranges of rows on " + where(k)
	}
	tuned := ""
	if k.TilesTuned {
		tuned = " (tuned)"
	}
	return diag.Plural(k.Tiles, "tile") + tuned + " on " + k.Device
}

// predicted is the time of a kernel where it is placed, in ms.
func predicted(k *bound.Kernel) float64 {
	ms, _ := k.Expected()
	return ms
}

// source is a kernel's code where it is placed.
func source(k *bound.Kernel) string {
	for _, r := range []*device.Report{k.Described, k.Report} {
		if r != nil {
			return r.Source
		}
	}
	return ""
}

// place says why a kernel is where it is; nothing where there is only the host.
func (t *printer) place(k *bound.Kernel) {
	if k.Place.Why != "" {
		t.field("place", k.Place.Why)
	}
	if p := k.Place; p.Accelerates() {
		t.field("copies", copies(p))
	}
}

// copies is what is copied for a kernel on devices.
func copies(p plan.Placement) string {
	return fmt.Sprintf("%s to devices, %s of what it makes to the host", amount.Bytes(p.BytesIn), amount.Bytes(p.BytesOut))
}

// lanes says how the code of a kernel is laid out where it is placed.
func (t *printer) lanes(k *bound.Kernel) {
	if d := k.Described; d != nil {
		t.field("threads", d.Schedule)
	}
	if k.Place.Accelerates() || k.Schedule == "" {
		return
	}
	how := "by rule"
	if k.Tuned {
		how = "tuned"
	}
	t.line("      %-7s %s (%s)", "lanes", k.Schedule, how)
}

// whyPlace answers for where a kernel runs.
func (t *printer) whyPlace(k *bound.Kernel) {
	p := k.Place
	if p.Why == "" {
		return
	}
	t.line("  runs on %s", where(k))
	t.line("  %s", p.Why)
	t.line("  %-9s CPU %s", "predicted", millis(p.Host))
	if p.Accelerated > 0 {
		t.line("  %-9s GPU %s, bound by %s; its copies alone %s", "", millis(p.Accelerated), p.Bound, millis(p.Transfer))
	}
	if p.Accelerates() {
		t.line("  %-9s %s", "copies", copies(p))
	}
}

// resources is what a kernel takes of a GPU, in a line.
func resources(r device.Resources) string {
	switch {
	case r.Architecture == "" && r.Unknown != "":
		return r.Unknown + ": registers unknown"
	case r.Architecture == "":
		return "registers unknown"
	}
	spill := "no spill"
	if r.Spill > 0 {
		spill = fmt.Sprintf("%d B of local memory a thread (spilled registers, scratch of functions)", r.Spill)
	}
	return fmt.Sprintf("%s: %d registers a thread, %d B shared a block, %s", r.Architecture, r.Registers, r.Shared, spill)
}
