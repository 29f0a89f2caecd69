package planner

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
	// Why says what decided, for people.
	Why string `yaml:"why,omitempty" json:"why,omitempty"`
}

// Accelerates reports a kernel that is placed on accelerators.
func (p Placement) Accelerates() bool { return len(p.Devices) > 0 }
