package device

import (
	"errors"

	"weft/kernels/region"
)

// Graphs is a device that may put several launches in line by one call, which takes less of the host and of itself than as many calls do.
type Graphs interface {
	// Graph makes one of launches, one behind the other, of programs of the device. It may be ErrNoGraphs.
	Graph(of []Node) (Graph, error)
}

// ErrNoGraphs is that a device, or its driver, has no graphs.
var ErrNoGraphs = errors.New("it has no graphs")

// Node is a launch of a graph: a program that is Queued, with what it is given, over a tile.
type Node struct {
	Program  Program
	Bindings Bindings
	Tile     region.Region
}

// Graph is launches that go in line together, as often as somebody likes.
type Graph interface {
	// Launch puts them in line, as Queued has it for one. What it returns tells what all of them took; an error that is a NodeError which of them failed.
	Launch() (Pending, error)
	// Free gives the graph up; launches in line go on.
	Free()
}

// NodeError is what became of one launch of a graph.
type NodeError struct {
	Node int
	Err  error
}

func (e *NodeError) Error() string { return e.Err.Error() }

func (e *NodeError) Unwrap() error { return e.Err }
