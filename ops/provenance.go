package ops

import "context"

// Provenance says where a result comes from. It is the same for the same program, inputs and machine: no times are in it.
type Provenance struct {
	Weft      string           `json:"weft"`
	File      string           `json:"file,omitempty"` // the pipeline
	Plan      string           `json:"plan"`           // hash of what is computed
	Devices   []string         `json:"devices"`
	Precision []StagePrecision `json:"precision"`
	Inputs    []InputIdentity  `json:"inputs"`

	// Beside asks for a file of its own beside an output that has no room for it.
	Beside bool `json:"-"`
}

// StagePrecision is what a kernel stores, computes and accumulates in.
type StagePrecision struct {
	Stage      string `json:"stage"`
	Storage    string `json:"storage"`
	Compute    string `json:"compute"`
	Accumulate string `json:"accumulate,omitempty"`
}

// InputIdentity tells a file that was read from others.
type InputIdentity struct {
	Path     string `json:"path"`
	Bytes    int64  `json:"bytes"`
	Modified int64  `json:"modified_unix_ns,omitempty"`
	Hash     string `json:"hash"` // of all of it, or of samples: it says which
}

type provenanceKey struct{}

// WithProvenance lets sinks know where what they write comes from.
func WithProvenance(ctx context.Context, p *Provenance) context.Context {
	return context.WithValue(ctx, provenanceKey{}, p)
}

// ProvenanceOf is what WithProvenance was given; nil without.
func ProvenanceOf(ctx context.Context) *Provenance {
	p, _ := ctx.Value(provenanceKey{}).(*Provenance)
	return p
}
