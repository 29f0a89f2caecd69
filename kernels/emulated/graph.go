package emulated

import (
	"context"
	"fmt"
	"time"

	"weft/kernels/cuda/launch"
	"weft/kernels/device"
)

// Launches is what a device takes for launches that go in line together. A device of which that is not described has no such.
type Launches struct {
	Launch Duration `yaml:"launch"` // latency of all of them
	Node   Duration `yaml:"node"`   // of each
	Make   Duration `yaml:"make"`   // of the host for each, once
}

// graph is launches that go in line together.
type graph struct {
	dev      *Device
	nodes    []launch.Node
	programs []*program
}

var _ device.Graphs = (*Device)(nil)

// Graph makes one of launches.
func (d *Device) Graph(of []device.Node) (device.Graph, error) {
	if d.description.Graph == nil {
		return nil, device.ErrNoGraphs
	}
	if _, err := d.fate.next(onGraph); err != nil {
		return nil, fmt.Errorf("%s: a graph of %d kernels: %w", d.info.Name, len(of), err)
	}
	nodes, programs, err := launch.Nodes(of, d.info.Name, func(p *program) bool { return p.dev == d })
	if err != nil {
		return nil, err
	}
	return &graph{dev: d, nodes: nodes, programs: programs}, sleep(context.Background(), time.Duration(d.description.Pace*float64(len(of))*float64(d.description.Graph.Make)))
}

// Launch runs all, and takes what the described device takes for them together.
func (g *graph) Launch() (device.Pending, error) {
	launches := make([]launch.Launch, len(g.nodes))
	for i, n := range g.nodes {
		l, _, err := n.Launch()
		if err != nil {
			return nil, &device.NodeError{Node: i, Err: err}
		}
		launches[i] = l
	}
	d := g.dev
	q := d.put(onLaunch, time.Time{}, func(took time.Duration) { d.meter.launchedSeveral(len(g.nodes), took) }, func() (time.Duration, error) {
		all, failed := time.Duration(d.description.Graph.Launch), error(nil)
		for i, n := range g.nodes {
			if product(launches[i].Grid) == 0 {
				continue
			}
			took, err := g.programs[i].perform(n.Bound, launches[i], n.Tile)
			if all += took - time.Duration(d.description.Launch) + time.Duration(d.description.Graph.Node); err != nil && failed == nil {
				failed = launch.Told(g.nodes, i, err)
			}
		}
		return all, failed
	})
	for _, n := range g.nodes {
		for _, m := range n.Memories() {
			m.(*memory).last.Store(q)
		}
	}
	return q, nil
}

// Free has nothing to give back.
func (*graph) Free() {}
