package plan

import "slices"

// Stream is how a program runs whose arrays do not fit the memory budget at once: in passes over blocks of rows, the indices of
// the first dim. Each array keeps only the rows that are still needed, so rows are read once a pass and computed once; a result
// is the same bit for bit, since the same kernels run over the same indices.
type Stream struct {
	PeakBytes int64 `yaml:"peak_bytes" json:"peak_bytes"`   // of rows alive at once, what is read ahead and written behind included
	Whole     int64 `yaml:"whole_bytes" json:"whole_bytes"` // of all arrays alive at once without blocks
	// Strips says that passes may run through parts of rows.
	Strips bool `yaml:"strips,omitempty" json:"strips,omitempty"`
	// Carries are kernels that go on in each block with what they carried out of the one before.
	Carries []string `yaml:"carries,omitempty,flow" json:"carries,omitempty"`
	// Passes follow each other: one needs what an earlier one reduced its whole input to.
	Passes []Pass `yaml:"passes" json:"passes"`
	// Kept are arrays that stay in memory as a whole, and why.
	Kept []KeptArray `yaml:"kept,omitempty" json:"kept,omitempty"`
	// Halos are the rows around its own that a kernel needs of an array.
	Halos []Halo `yaml:"halos,omitempty" json:"halos,omitempty"`
}

// Chain is kernels of which each makes its rows from the same rows of what those before it made. They run over a few rows at a time, which stay in the caches
// of cores between them; a result is the same bit for bit.
type Chain struct {
	Steps  []string `yaml:"steps,flow" json:"steps"`   // one behind the other in the plan
	Inside []string `yaml:"inside,flow" json:"inside"` // buffers of which only those rows are there
	Rows   int      `yaml:"rows" json:"rows"`          // at a time
}

// ChainOf is the chain that a step is of; nil: it is of none.
func (p *Plan) ChainOf(step string) *Chain {
	for i := range p.Chains {
		if slices.Contains(p.Chains[i].Steps, step) {
			return &p.Chains[i]
		}
	}
	return nil
}

// Pass runs some steps of the plan once over all blocks.
type Pass struct {
	Steps     []string `yaml:"steps,flow" json:"steps"`
	Makes     []string `yaml:"makes,flow" json:"makes"` // buffers it is there for
	Frees     []string `yaml:"frees,omitempty,flow" json:"frees,omitempty"`
	BlockRows int      `yaml:"block_rows" json:"block_rows"` // of the tallest array it makes
	// Strip is the extents of blocks along the other dims of that array; empty: blocks are whole rows.
	Strip  []int `yaml:"strip,omitempty,flow" json:"strip,omitempty"`
	Blocks int   `yaml:"blocks" json:"blocks"`
	Peak   int64 `yaml:"peak_bytes" json:"peak_bytes"`
	Rows   int   `yaml:"rows" json:"rows"` // of the tallest array it makes
	// Reads and Writes are what its sources and sinks move, in all of its blocks.
	Reads  []Moved `yaml:"reads,omitempty" json:"reads,omitempty"`
	Writes []Moved `yaml:"writes,omitempty" json:"writes,omitempty"`
}

// Moved is the bytes of a file that a source or a sink moves.
type Moved struct {
	Step  string `yaml:"step" json:"step"`
	Bytes int64  `yaml:"bytes" json:"bytes"`
}

// Moves is the bytes of its file that a source or a sink moves in a pass.
func (p *Pass) Moves(step string) (bytes int64) {
	for _, m := range slices.Concat(p.Reads, p.Writes) {
		if m.Step == step {
			bytes += m.Bytes
		}
	}
	return bytes
}

// KeptArray is an array that does not run in blocks.
type KeptArray struct {
	Buffer string `yaml:"buffer" json:"buffer"`
	Name   string `yaml:"name" json:"name"`
	Bytes  int64  `yaml:"bytes" json:"bytes"`
	Why    string `yaml:"why" json:"why"`
}

// Halo is how many rows above and below those it computes a kernel needs of an array.
type Halo struct {
	Kernel string `yaml:"kernel" json:"kernel"`
	Of     string `yaml:"of" json:"of"`
	Above  int    `yaml:"above" json:"above"`
	Below  int    `yaml:"below" json:"below"`
}
