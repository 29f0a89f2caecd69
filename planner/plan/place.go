package plan

import (
	"cmp"
	"strings"
)

// Placement is where a kernel runs. The zero value is the host's processor.
type Placement struct {
	// Devices are the names of the accelerators that share the kernel's rows; empty: the host's processor.
	Devices []string `yaml:"devices,omitempty,flow" json:"devices,omitempty"`
	// Weights are the predicted shares of these devices, in their order; they sum to 1.
	Weights []float64 `yaml:"weights,omitempty,flow" json:"weights,omitempty"`
	// Host, Accelerated and Transfer are predicted times in ms: on the host's processor, on the accelerators with what has to be
	// copied for it, and of the copies alone. All are 0 where there is no accelerator to weigh.
	Host        float64 `yaml:"host_ms,omitempty" json:"host_ms,omitempty"`
	Accelerated float64 `yaml:"accelerated_ms,omitempty" json:"accelerated_ms,omitempty"`
	Transfer    float64 `yaml:"transfer_ms,omitempty" json:"transfer_ms,omitempty"`
	// Bound is what limits it on the accelerators: compute, bandwidth, latency or transfer.
	Bound string `yaml:"accelerated_bound,omitempty" json:"accelerated_bound,omitempty"`
	// Refused is why the kernel is not on the accelerators that the run was asked to be on; empty: it is where it was asked to be.
	Refused string `yaml:"refused,omitempty" json:"refused,omitempty"`
	// Why says what decided, for people.
	Why string `yaml:"why,omitempty" json:"why,omitempty"`

	// Learned is what runs taught: Accelerated is multiplied by it.
	Learned float64 `yaml:"learned,omitempty" json:"learned,omitempty"`
}

// Accelerates reports whether a kernel is placed on accelerators.
func (p Placement) Accelerates() bool { return len(p.Devices) > 0 }

// Unlearned is Accelerated without what runs taught, in ms.
func (p Placement) Unlearned() float64 { return p.Accelerated / cmp.Or(p.Learned, 1) }

// Key names the devices together, for what is learned of them.
func (p Placement) Key() string { return strings.Join(p.Devices, "+") }

// Expected is how long the kernel is predicted to take where it is placed, in ms, and what limits it there.
func (k *Kernel) Expected() (ms float64, bound string) {
	if k.Place.Accelerates() {
		return k.Place.Accelerated, k.Place.Bound
	}
	return k.Predicted, k.Bound
}
