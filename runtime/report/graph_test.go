package report

import (
	"fmt"
	"regexp"
	"strconv"
	"testing"

	"weft/planner/bound"
	"weft/planner/plan"
)

// many is a plan of a source and kernels that all read it, and one that reads them all.
func many(kernels int) *bound.Plan {
	p := &bound.Plan{}
	add := func(id string, kind plan.StepKind, reads ...string) {
		made := "b" + id
		s := bound.Step{Step: plan.Step{ID: id, Kind: kind, Name: "skyview", Reads: reads, Writes: []string{made}}}
		if kind == plan.KernelStep {
			s.Kernel = &bound.Kernel{Kernel: plan.Kernel{Stages: []plan.Fused{{Name: "skyview.ground.strips"}}, Predicted: 1}}
		}
		p.Steps = append(p.Steps, s)
		p.Buffers = append(p.Buffers, bound.Buffer{Buffer: plan.Buffer{ID: made, Stage: "skyview.ground.of." + id, Bytes: 1 << 20}})
	}
	add("r1", plan.ReadStep)
	var all []string
	for i := range kernels {
		id := fmt.Sprintf("k%d", i+1)
		add(id, plan.KernelStep, "br1")
		all = append(all, "b"+id)
	}
	add("last", plan.KernelStep, all...)
	return p
}

// A plan of many kernels fits a page, and no label lies on another or on a box.
func TestManyKernelsFitAPage(t *testing.T) {
	const page = 1176
	for _, n := range []int{1, 5, 18, 40} {
		drawn := drawGraph(many(n), nil)
		number := func(s string) float64 {
			v, err := strconv.ParseFloat(s, 64)
			if err != nil {
				t.Fatal(err)
			}
			return v
		}
		size := regexp.MustCompile(`viewBox="0 0 (\d+) (\d+)" style`).FindStringSubmatch(drawn)
		if w := number(size[1]); leastScale*w > page {
			t.Errorf("%d kernels are %g wide, which scrolls sideways", n, w)
		}
		var rooms [][4]float64
		for _, m := range regexp.MustCompile(`<rect x="(\d+)" y="(\d+)" width="340" height="(\d+)"`).FindAllStringSubmatch(drawn, -1) {
			x, y, h := number(m[1]), number(m[2]), number(m[3])
			rooms = append(rooms, [4]float64{x, y, x + 340, y + h})
		}
		labels := regexp.MustCompile(`<text x="(\d+)" y="(\d+)" class="edge">([^<]*)<`).FindAllStringSubmatch(drawn, -1)
		for _, m := range labels {
			x, y := number(m[1]), number(m[2])
			rooms = append(rooms, [4]float64{x, y - 10, x + letter*float64(len(m[3])), y + 2})
		}
		for i, a := range rooms {
			for _, b := range rooms[:i] {
				if a[0] < b[2]-1 && b[0] < a[2]-1 && a[1] < b[3]-1 && b[1] < a[3]-1 {
					t.Errorf("%d kernels: %v and %v overlap", n, a, b)
				}
			}
		}
		if len(labels) < min(n, 10) {
			t.Errorf("%d kernels: only %d labels", n, len(labels))
		}
	}
}
