package emulated

import (
	"fmt"
	"regexp"
	"strconv"
	"sync"

	"weft/kernels/cuda/launch"
	"weft/kernels/device"
	"weft/kernels/ir"
)

var _ device.Describer = (*Device)(nil)

// presumed is the compute capability of a device whose description names none.
const presumed = 90

// Describe says how a GPU of the described capability would run a kernel.
func (d *Device) Describe(k *ir.Kernel) (device.Report, error) {
	code, err := launch.For(d.info, k, d.schedules)
	if err != nil {
		return device.Report{}, err
	}
	capability, ok := d.description.capability()
	if !ok { // a description that was not parsed
		return device.Report{}, fmt.Errorf("%s: capability %q", d.info.Name, d.description.Capability)
	}
	return code.Described(capability)
}

var capabilityText = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^([1-9][0-9]?)\.([0-9])$`) })

// capability is the described one as a number, 90 for 9.0; ok is false where the text is no capability.
func (d Description) capability() (n int, ok bool) {
	if d.Capability == "" {
		return presumed, true
	}
	m := capabilityText().FindStringSubmatch(d.Capability)
	if m == nil {
		return 0, false
	}
	n, err := strconv.Atoi(m[1] + m[2])
	return n, err == nil
}
