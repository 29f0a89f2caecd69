//go:build cuda

package cuda

import (
	"context"
	"errors"
	"fmt"
	"time"
	"unsafe"

	"github.com/ebitengine/purego"
	"gorgonia.org/cu"

	"weft/kernels/cuda/launch"
	"weft/kernels/device"
)

// graphs are the driver's functions for launches that go in line together, which cu does not bind.
type graphs struct {
	begin       func(stream unsafe.Pointer, mode int32) int32
	end         func(stream unsafe.Pointer, made *unsafe.Pointer) int32
	instantiate func(to *unsafe.Pointer, from unsafe.Pointer, flags uint64) int32
	launch      func(graph, stream unsafe.Pointer) int32
	destroy     func(graph unsafe.Pointer) int32
	drop        func(made unsafe.Pointer) int32
}

// threadLocal is of captures beside which other threads may do what they like.
const threadLocal = 1

// openGraphs is nil where the driver is older than these functions (11.4): all goes launch by launch then.
func openGraphs(lib uintptr) *graphs {
	g := &graphs{}
	for symbol, to := range map[string]any{
		"cuStreamBeginCapture_v2": &g.begin, "cuStreamEndCapture": &g.end, "cuGraphInstantiateWithFlags": &g.instantiate,
		"cuGraphLaunch": &g.launch, "cuGraphExecDestroy": &g.destroy, "cuGraphDestroy": &g.drop,
	} {
		address, err := purego.Dlsym(lib, symbol)
		if err != nil {
			return nil
		}
		purego.RegisterFunc(to, address)
	}
	return g
}

// graph is launches that go in line together.
type graph struct {
	dev   *Device
	born  int64 // in which of its contexts
	nodes []launch.Node
	exec  unsafe.Pointer // nil: freed
}

var _ device.Graphs = (*Device)(nil)

// Graph makes one of launches.
func (d *Device) Graph(of []device.Node) (device.Graph, error) {
	if d.extra.graphs == nil {
		return nil, device.ErrNoGraphs
	}
	nodes, programs, err := launch.Nodes(of, d.info.Name, func(p *program) bool { return p.dev == d })
	if err != nil {
		return nil, err
	}
	g := &graph{dev: d, born: d.contexts.Load(), nodes: nodes}
	if err := d.with(func() error { return g.capture(programs) }); err != nil {
		return nil, launch.Told(g.nodes, -1, err)
	}
	return g, nil
}

// capture has a stream of its own take the launches in, none of which runs then, and makes a graph of them; called in the device's context.
func (g *graph) capture(programs []*program) (err error) {
	x := g.dev.extra.graphs
	s, err := cu.MakeStream(cu.NonBlocking)
	if err != nil {
		return fmt.Errorf("making a stream: %w", err)
	}
	defer func() { err = errors.Join(err, s.Destroy()) }()
	stream := unsafe.Pointer(s.C())
	if err := check("cuStreamBeginCapture", x.begin(stream, threadLocal)); err != nil {
		return err
	}
	for i, n := range g.nodes {
		l, ok, e := n.Launch()
		if err == nil && e == nil && ok {
			e = programs[i].put(l, s)
		}
		err = errors.Join(err, e)
	}
	var made unsafe.Pointer
	if err = errors.Join(err, check("cuStreamEndCapture", x.end(stream, &made))); err == nil {
		err = check("cuGraphInstantiate", x.instantiate(&g.exec, made, 0))
	}
	if made != nil {
		err = errors.Join(err, check("cuGraphDestroy", x.drop(made)))
	}
	return err
}

// Launch puts all in line, behind what their memory waits for.
func (g *graph) Launch() (device.Pending, error) {
	var after []*piece
	for i, n := range g.nodes {
		if _, _, err := n.Launch(); err != nil { // as its memory was freed
			return nil, &device.NodeError{Node: i, Err: err}
		}
		for _, m := range n.Memories() {
			after = append(after, m.(*memory).last.Load())
		}
	}
	q, err := g.dev.begin(context.Background(), g.dev.compute, after, func(s cu.Stream) error {
		return check("cuGraphLaunch", g.dev.extra.graphs.launch(g.exec, unsafe.Pointer(s.C())))
	})
	if err != nil {
		return nil, launch.Told(g.nodes, -1, err)
	}
	q.done = func(u *device.Usage, took time.Duration) { u.Launches += int64(len(g.nodes)); u.Compute += took }
	for _, n := range g.nodes {
		for _, m := range n.Memories() {
			m.(*memory).last.Store(q)
		}
	}
	return launch.GraphPending{Of: g.nodes, Pending: q}, nil
}

// Free gives the graph up, which the driver does once what it has in line is over. That of another context went with it.
func (g *graph) Free() {
	if g.exec == nil || g.born != g.dev.contexts.Load() {
		return
	}
	// The only errors are those of earlier work, which showed there, or a lost device's.
	_ = g.dev.with(func() error { return check("cuGraphExecDestroy", g.dev.extra.graphs.destroy(g.exec)) })
	g.exec = nil
}
