package ops

import (
	"context"
	"encoding/json"
	"path/filepath"
	"strings"
)

// Provenance says where a result comes from. It is the same for the same program, inputs and machine: no times are in it.
type Provenance struct {
	Weft      string            `json:"weft"`
	File      string            `json:"file,omitempty"` // the pipeline
	Plan      string            `json:"plan"`           // hash of what is computed
	Devices   []string          `json:"devices"`
	Computed  map[string]string `json:"computed,omitempty"` // what the devices are that kernels were placed on, by name: others may round otherwise
	Precision []StagePrecision  `json:"precision"`
	Inputs    []InputIdentity   `json:"inputs"`

	Origin
	Sink      string          `json:"sink,omitempty"`      // step of the plan that wrote this
	Decisions json.RawMessage `json:"decisions,omitempty"` // what planning weighed, to make the same plan again

	// Beside asks for a file of its own beside an output that has no room for it.
	Beside bool `json:"-"`
	// Failed says that what is written did not pass its check.
	Failed bool `json:"-"`
}

// Origin is what a run was asked: with it, and the inputs, it can be run again.
type Origin struct {
	Text      string            `json:"text,omitempty"` // of the pipeline
	Params    map[string]string `json:"params,omitempty"`
	Tolerance string            `json:"tolerance,omitempty"`
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

// PathFor is where a sink writes its file: what did not pass its check stands beside, so that nobody takes it for the result.
func PathFor(ctx context.Context, path string) string {
	if p := ProvenanceOf(ctx); p != nil && p.Failed {
		return FailedPath(path)
	}
	return path
}

// FailedPath is where what did not pass its check is written instead: beside the file that a link leads to.
func FailedPath(path string) string {
	if to, err := filepath.EvalSymlinks(path); err == nil && filepath.Clean(path) != to {
		path = to
	}
	ending := filepath.Ext(path)
	return strings.TrimSuffix(path, ending) + ".failed" + ending
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
