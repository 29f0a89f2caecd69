//go:build !cuda

package cuda

import (
	"errors"

	"weft/kernels/device"
)

// Devices reports that this binary cannot drive GPUs.
func Devices(Config) ([]device.Device, error) {
	return nil, errors.New("not built in: tools/cuda.sh go build -tags cuda")
}
