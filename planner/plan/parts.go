package plan

import (
	"fmt"
	"strings"
)

// Approximation is what is not exact about a use of an operator, by its arguments.
type Approximation struct {
	Op   string `yaml:"op" json:"op"`
	Line int    `yaml:"line,omitempty" json:"line,omitempty"`
	What string `yaml:"what" json:"what"`
}

// Reached is the part of an array that there is.
type Reached struct {
	Dims       []ReachedDim `yaml:"dims" json:"dims"`
	SavedBytes int64        `yaml:"saved_bytes" json:"saved_bytes"`
	SavedFlops float64      `yaml:"saved_flops" json:"saved_flops"`
}

// ReachedDim are the indices of one dim, of so many, from Lo up to Hi.
type ReachedDim struct {
	Name string `yaml:"name" json:"name"`
	Lo   int    `yaml:"lo" json:"lo"`
	Hi   int    `yaml:"hi" json:"hi"`
	Of   int    `yaml:"of" json:"of"`
}

// String is written as in explain: sample 130..520 of 559.
func (r *Reached) String() string {
	parts := make([]string, len(r.Dims))
	for i, d := range r.Dims {
		parts[i] = fmt.Sprintf("%s %d..%d of %d", d.Name, d.Lo, d.Hi-1, d.Of)
	}
	return strings.Join(parts, ", ")
}
