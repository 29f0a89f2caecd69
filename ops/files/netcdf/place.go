package netcdf

import (
	"weft/ops"
	"weft/ops/files/cf"
)

// told is a variable that tells something of others.
type told struct {
	*variable
	path string
}

func (t told) Name() string { return t.name }

func (t told) Attribute(name string) (string, []float64) {
	a := t.attrs[name]
	return a.text, a.numbers()
}

func (t told) Shape() []int { return t.shape }

func (t told) Values() ([]float64, error) { return t.values(t.path) }

// Place gives dims their coordinates, and those on the map their system.
func (n *input) Place(c *ops.Call, dims []ops.Dim) (warnings, err error) {
	along := make([]cf.Variable, len(dims))
	for i, at := range n.v.along {
		if at != nil && at != n.v {
			along[i] = told{at, n.path}
		}
	}
	var mapping cf.Variable
	if m := n.in.gridMapping(n.v); m != nil {
		mapping = told{m, n.path}
	}
	return cf.Place(c, dims, along, mapping)
}
