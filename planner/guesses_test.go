package planner_test

import (
	"strings"
	"testing"

	"weft/kernels/profile"
	"weft/planner"
	"weft/planner/cost"
)

// longest is the predicted time of the kernel that takes longest of those that store a stage with a name, in ms.
func longest(t *testing.T, text, stage string) (ms float64) {
	t.Helper()
	dev := avx2(t)
	model := &cost.Model{Profile: profile.Default(4), Kind: "native", Rules: dev.Info().Rules, Threads: 4}
	p, err := planner.Build(checked(t, text).Sinks, dev.Info(), planner.Options{Threads: 4, Cost: model})
	if err != nil {
		t.Fatal(err)
	}
	for _, s := range p.Kernels() {
		for _, r := range s.Kernel.Roots {
			if strings.HasPrefix(r.Name, stage) {
				ms = max(ms, s.Kernel.Predicted)
			}
		}
	}
	if ms == 0 {
		t.Fatalf("%s\nno kernel stores %s", text, stage)
	}
	return ms
}

// What is required to hold is looked for to the end; what only tells whether something is so may end anywhere.
func TestWhatMustHoldIsReadWhole(t *testing.T) {
	const rows = `a = sum(axis(entry, 0 .. 1 in 4000000) * axis(k, 0 .. 1 in 2), over: k) @keep
first = cast(2000 * axis(row, 0 .. 1999 in 2000), i64) @keep
rise = all(a > a[entry: here - 1, outside: -1], over: entry in first .. first + 1999)
`
	must, may := longest(t, rows+`require(all(rise), "it rises")`, "all"), longest(t, rows+`rise | write("r.npy")`, "all")
	if must < 2*may {
		t.Errorf("a condition takes %.3g ms, and the same as a result %.3g", must, may)
	}
	both := longest(t, rows+`rise | write("r.npy")
require(all(rise), "it rises")`, "all")
	if both > 1.2*may {
		t.Errorf("a result that has to hold as well takes %.3g ms, and alone %.3g", both, may)
	}
}

// Of what is counted when it runs there is not as much as there is room for, unless that is what was told.
func TestCountedArraysAreNotExpectedFull(t *testing.T) {
	const kept = `a = sum(axis(i, 0 .. 1 in 4000) * axis(j, 0 .. 2 in 4000) + axis(k, 0 .. 1 in 2), over: k) @keep
s = a | scan((s, e) -> e, along: j, from: 0, keep: s -> s > 1.5`
	guessed, told := kept+")\n", kept+", at_most: 16000000)\n"
	for stage, use := range map[string]string{"mul": `2 * s.value | write("v.npy")`, "max": `show(max(s.value))`} {
		if few, many := longest(t, guessed+use, stage), longest(t, told+use, stage); many < 4*few {
			t.Errorf("%s takes %.3g ms where nobody knows of how many elements, and %.3g of as many as there is room for", stage, few, many)
		}
	}
}
