package emulated

import (
	"errors"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"weft/kernels/device"
	"weft/kernels/region"
)

// A graph takes its own latency and that of its nodes, fails where a launch is to fail, and tells which; a device of which none is described has none.
func TestGraphs(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		const plain = "pace: 1, launch: 100us, shortest: 20us, sync: 7us"
		s := newRamp(8, 8).on(t, open(t, "{"+plain+", graph: {launch: 200us, node: 3us, make: 1ms}, failures: [{on: launch, at: 7}, {on: graph, at: 2}]}", Options{}))
		node := device.Node{Program: s.program, Bindings: device.Bindings{Mem: s.mem}}
		var nodes []device.Node
		for row := range 4 {
			node.Tile = region.Region{{Lo: 2 * row, Hi: 2*row + 2}, {Lo: 0, Hi: 8}}
			nodes = append(nodes, node)
		}
		start := time.Now()
		g, err := s.dev.Graph(nodes)
		if err != nil || time.Since(start) != 4*time.Millisecond {
			t.Fatalf("%v, made in %v", err, time.Since(start))
		}
		start = time.Now()
		p, err := g.Launch()
		if err != nil {
			t.Fatal(err)
		}
		if took, err := p.Wait(); err != nil || took != 292*time.Microsecond || time.Since(start) != 299*time.Microsecond {
			t.Errorf("%v of the device, %v until it is over: %v", took, time.Since(start), err)
		}
		if u := s.dev.Usage(); u.Launches != 4 || u.Compute != 292*time.Microsecond || s.wrong(t) > 0 {
			t.Errorf("%+v, %d elements are wrong", u, s.wrong(t))
		}
		if p, err = g.Launch(); err != nil {
			t.Fatal(err)
		}
		var failed *device.NodeError
		if _, err := p.Wait(); !errors.As(err, &failed) || failed.Node != 2 || !strings.Contains(err.Error(), "kernel ramp: launch 7 fails") {
			t.Errorf("the third launch of the second graph fails: %v", err)
		}
		if _, err := s.dev.Graph(nodes); err == nil || !strings.Contains(err.Error(), "a graph of 4 kernels: graph 2 fails") {
			t.Errorf("the second graph is not to be made: %v", err)
		}
		s.mem[s.in].Free()
		if _, err := g.Launch(); !errors.As(err, &failed) || failed.Node != 0 || !strings.Contains(err.Error(), "freed") {
			t.Errorf("with memory that was freed: %v", err)
		}
		none := newRamp(8, 8).on(t, open(t, "{"+plain+"}", Options{}))
		if _, err := none.dev.Graph(nodes); !errors.Is(err, device.ErrNoGraphs) {
			t.Errorf("got %v", err)
		}
	})
}
