package cli

import (
	"errors"
	"fmt"
	"os"

	"weft/kernels/cuda"
	"weft/kernels/device"
	"weft/kernels/emulated"
	"weft/kernels/interp"
	"weft/kernels/native"
	"weft/lang/diag"
	"weft/planner"
	"weft/planner/cost"
	weft "weft/runtime"
)

// deviceFlags say which devices there are besides those of the machine.
type deviceFlags struct {
	Devices string `placeholder:"FILE" help:"Add emulated devices, described in YAML (docs/gpu.md)."`
	isa     string // of another machine, for which kernels are only described; empty: this one's
}

// machine is the chain of devices that compute on the host, best first, those that cannot be had, and the accelerators.
type machine struct {
	devices      []device.Device
	missing      []weft.Missing
	cpu          *native.Device // nil without a compiler
	accelerators []device.Device
	cuda         string // why a GPU of NVIDIA's is missing; empty where none is
}

// hostOnly opens no accelerators.
const hostOnly = "cpu"

// open looks for a C compiler, without which the interpreter is all there is, for GPUs, and makes the emulated devices. A run that
// was asked to be on the host only needs no GPU to be started. Mistakes in the description of devices are printed.
func (f deviceFlags) open(s *streams, asked string) (machine, error) {
	m := machine{devices: []device.Device{interp.New(interp.Options{})}}
	cpu, err := f.host()
	if err != nil {
		m.missing = append(m.missing, weft.Missing{Kind: "native", Reason: err.Error()})
	} else {
		m.devices, m.cpu = append([]device.Device{cpu}, m.devices...), cpu
	}
	if asked != hostOnly {
		gpus, err := cuda.Devices(cuda.FromEnv())
		if err != nil {
			m.cuda = err.Error()
		}
		m.accelerators = append(m.accelerators, gpus...)
	}
	if f.Devices == "" {
		return m, nil
	}
	list, err := described(s, f.Devices)
	if err != nil {
		return m, err
	}
	if m.cpu == nil {
		return m, fmt.Errorf("error[%s]: emulated devices need a C compiler: %s", diag.DeviceFile, m.missing[0].Reason)
	}
	for _, d := range emulated.New(m.cpu, list, emulated.Options{}) {
		m.accelerators = append(m.accelerators, d)
	}
	return m, nil
}

func (f deviceFlags) host() (*native.Device, error) {
	if f.isa != "" {
		return native.Describing(f.isa)
	}
	return native.New(native.FromEnv())
}

// described reads a file of emulated devices.
func described(s *streams, path string) ([]emulated.Description, error) {
	text, err := os.ReadFile(path)
	if err != nil {
		return nil, fmt.Errorf("error[%s]: cannot read the devices of %s: %w", diag.DeviceFile, path, reasonOf(err))
	}
	list, err := emulated.Parse(text)
	if err == nil {
		return list, nil
	}
	var found diag.List
	source := diag.NewSource(path, string(text))
	for _, p := range problems(err) {
		if p.Line == 0 {
			found.Report(diag.DeviceFile, diag.Span{}, "%s: %s", path, p.Text)
			continue
		}
		found.Report(diag.DeviceFile, source.LineSpan(p.Line), "%s", p.Text).Helpf("docs/gpu.md has the keys")
	}
	return nil, showAll(s.err, &found)
}

// problems are the mistakes that an error holds.
func problems(err error) (out []emulated.Problem) {
	if several, ok := err.(interface{ Unwrap() []error }); ok {
		for _, e := range several.Unwrap() {
			out = append(out, problems(e)...)
		}
		return out
	}
	var p emulated.Problem
	if !errors.As(err, &p) {
		p.Text = err.Error()
	}
	return []emulated.Problem{p}
}

// model predicts for the best device of the host; why is what is wrong with the machine's profile, if anything is.
func (m machine) model(threads int) (model *cost.Model, why string, err error) {
	return cost.Open(m.devices[0].Info(), threads)
}

// models are the accelerators as the planner sees them.
func (m machine) models() []planner.DeviceModel {
	var out []planner.DeviceModel
	for _, d := range m.accelerators {
		out = append(out, planner.ModelOf(d))
	}
	return out
}
