package launch

import (
	"fmt"
	"time"

	"weft/kernels/device"
	"weft/kernels/region"
)

// Node is a launch of a graph, bound.
type Node struct {
	Of *Program
	*Bound
	Tile region.Region
}

// Node binds the program for a graph.
func (p *Program) Node(n device.Node) (Node, error) {
	bound, err := p.bind(n.Bindings)
	return Node{p, bound, n.Tile}, err
}

// Nodes binds launches of a graph of a device, of that name, whose programs are mine.
func Nodes[P interface {
	Node(device.Node) (Node, error)
}](of []device.Node, name string, mine func(P) bool) (nodes []Node, programs []P, err error) {
	for _, n := range of {
		p, ok := n.Program.(P)
		if !ok || !mine(p) {
			return nil, nil, fmt.Errorf("%s: a kernel of a graph is not of this device", name)
		}
		node, err := p.Node(n)
		if err != nil {
			return nil, nil, err
		}
		nodes, programs = append(nodes, node), append(programs, p)
	}
	return nodes, programs, nil
}

// Launch is the node's, as Bound.At.
func (n Node) Launch() (l Launch, ok bool, err error) {
	l, ok, err = n.At(n.Tile)
	return l, ok, n.Of.told(err)
}

// Told is an error of a node by number, or of one that is not known where that is negative, told of its program.
func Told(nodes []Node, at int, err error) error {
	switch {
	case err == nil:
		return nil
	case at < 0:
		return fmt.Errorf("%s: a graph of %d kernels from %s on: %w", nodes[0].Of.Owner.Info().Name, len(nodes), nodes[0].Of.Code.Kernel.Name, err)
	}
	return &device.NodeError{Node: at, Err: nodes[at].Of.told(err)}
}

// GraphPending is a graph in line of which is not known which node fails.
type GraphPending struct {
	Of []Node
	device.Pending
}

// Wait tells of the graph, too.
func (p GraphPending) Wait() (time.Duration, error) {
	took, err := p.Pending.Wait()
	return took, Told(p.Of, -1, err)
}
