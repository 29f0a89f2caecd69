package planner_test

import (
	"fmt"
	"strings"
	"testing"

	"weft/kernels/ir"
	"weft/kernels/profile"
	"weft/kernels/schedule/exits"
	"weft/planner"
	"weft/planner/cost"
	"weft/planner/plan"
)

// Which loops get tables of largest elements, and which do not: each of these either is too small to pay, cannot skip, or has no bound.
func TestLoopsGetTablesWhereTheyMaySkip(t *testing.T) {
	const head = `city = simulate.city(y: 200, x: 200, seed: 1)
b = city.dsm
turn = axis(turn, -1 .. 1 in 9)
k = axis(step, 1 .. 64)
dy = round(k * turn)
`
	const moved = "b[y: here + dy, x: here - k, outside: %s]"
	for _, c := range []struct {
		name, line, moved string
		culled            bool
	}{
		{"any", "any(%s - k * 0.5 m > b, over: step)", "-inf", true},
		{"any, held at the ends", "any(%s - k * 0.5 m > b, over: step)", "nearest", true},
		{"all of what is not", "all(not (%s - k * 0.5 m > b), over: step)", "-inf", true},
		{"of two", "any(%s > b + k * 0 m or b[y: here - dy, outside: -inf] - k * 0.5 m > b + 1 m, over: step)", "-inf", true},
		{"a state with an end", "fold((up: %s - k * 0.5 m > b), along: step, from: (hit: false, way: false), " +
			"step: (s, o) -> (hit: s.hit or o.up, way: s.way or not (s.hit or not o.up))).hit", "-inf", true},
		{"a state without one", "fold((up: %s - k * 0.5 m > b), along: step, from: 0, step: (s, o) -> where(o.up, s + 1, s)) > 2", "-inf", false},
		{"a sum", "sum(where(%s - k * 0.5 m > b, 1, 0), over: step) > 3", "-inf", false},
		{"any, below", "any(%s + k * 0.5 m < b, over: step)", "inf", true},
		{"all of what is not below", "all(not (%s < b - 1 m), over: step)", "inf", true},
		{"above and below", "any(%s - k * 0.5 m > b or b[y: here + dy, x: here - k, outside: -inf] < b - k * 0.1 m, over: step)", "-inf", false},
		{"all, where one that is unknown decides", "all(%s - k * 0.5 m <= b, over: step)", "-inf", false},
	} {
		at := fmt.Sprintf(moved, c.moved)
		text := head + fmt.Sprintf("sum(where(%s, 1, 0), over: turn) | show", fmt.Sprintf(c.line, at))
		text = strings.ReplaceAll(text, "k * 0 m", "0 m")
		dev := avx2(t).Info()
		p, err := planner.Build(checked(t, text).Sinks, dev, planner.Options{Threads: 4,
			Cost: &cost.Model{Profile: profile.Default(4), Kind: "native", Rules: dev.Rules, Threads: 4}})
		if err != nil {
			t.Fatal(err)
		}
		culls, whole := false, true
		for _, s := range p.Kernels() {
			block := exits.CulledBlock(s.Kernel.IR)
			s.Kernel.IR.Walk(func(n *ir.Node) {
				if n.Kind == ir.KFold && block(n.Fold) > 0 {
					culls = true
				}
				if n.Kind == ir.KLoad && n.Buf.Facts.Max != nil {
					for _, x := range n.Index() {
						ir.WalkNodes([]*ir.Node{x}, func(x *ir.Node) { whole = whole && !x.Type.Float() })
					}
				}
			})
		}
		if culls != c.culled || !whole {
			t.Errorf("%s: culled %t, indices are whole numbers %t\n%s", c.name, culls, whole, text)
		}
		weighed := false
		for _, e := range p.Edges {
			weighed = weighed || e.Code == plan.Bounding && e.FusedMs > e.StoredMs && e.StoredMs > 0
		}
		if weighed != c.culled {
			t.Errorf("%s: tables that are predicted to pay %t\n%s", c.name, weighed, text)
		}
	}
	for name, less := range map[string][2]string{"few turns": {"1 .. 64", "1 .. 8"}, "few places": {"y: 200, x: 200", "y: 40, x: 40"}} {
		line := fmt.Sprintf("sum(where(any("+moved+" - k * 0.5 m > b, over: step), 1, 0), over: turn) | show", "-inf")
		text := strings.Replace(head, less[0], less[1], 1) + line
		for _, e := range made(t, text, 0).Edges {
			if e.Code == plan.Bounding {
				t.Errorf("%s: a table that does not pay\n%s", name, text)
			}
		}
	}
}
