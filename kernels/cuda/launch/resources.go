package launch

import (
	"errors"
	"fmt"
	"sync"

	"weft/kernels/cache"
	"weft/kernels/codegen/cuda"
	"weft/kernels/cuda/cubin"
	"weft/kernels/cuda/nvrtc"
	"weft/kernels/device"
)

var library = sync.OnceValues(func() (nvrtc.Kept, error) {
	lib, err := nvrtc.Open()
	if err != nil {
		return nvrtc.Kept{}, err
	}
	dir, _ := cache.Open()
	if dir == "" {
		return nvrtc.Kept{Library: lib}, nil
	}
	return lib.In(dir)
})

// ErrUnread is that of machine code of which is not known what it takes. It is an image all the same: whether it runs is the driver's to say.
var ErrUnread = errors.New("what the machine code takes cannot be read")

// Resources compiles the code for a compute capability, 90 for 9.0, and reads what it takes of such a GPU. It needs
// no GPU, but NVRTC; where that is missing, or cannot make machine code for the capability, the figures are unknown, with the reason.
func (c *Code) Resources(capability int) (device.Resources, error) {
	lib, err := library()
	if errors.Is(err, nvrtc.ErrNotFound) {
		return device.Resources{Unknown: "NVRTC not found (tools/nvrtc.sh)"}, nil
	}
	if err != nil {
		return device.Resources{}, err
	}
	target := lib.Best(capability)
	if target.PTX {
		return device.Resources{Unknown: fmt.Sprintf("%s makes no machine code for sm_%d", lib, capability)}, nil
	}
	_, r, err := c.Image(lib, target)
	if err != nil {
		return device.Resources{}, err
	}
	return device.Resources{Architecture: fmt.Sprintf("sm_%d", capability), Registers: r.Registers, Shared: r.Shared, Spill: r.Stack}, nil
}

// Image is the code compiled, and of machine code what it takes. The compiler gives threads fewer registers than there are so that more of them run at a time,
// even where some are spilled for it; what needs local memory so is compiled again with all there are, and is that if it needs less, and at least half
// as many threads run at a time: a few bytes are not worth more.
func (c *Code) Image(lib nvrtc.Kept, target nvrtc.Target) (nvrtc.Image, cubin.Resources, error) {
	image, r, err := c.compiled(lib, target, cuda.Flags())
	if err != nil || r.Stack == 0 {
		return image, r, err
	}
	roomy, other, err := c.compiled(lib, target, cuda.Roomy())
	if err != nil || other.Stack >= r.Stack || other.Registers > 2*r.Registers {
		return image, r, err
	}
	return roomy, other, nil
}

func (c *Code) compiled(lib nvrtc.Kept, target nvrtc.Target, flags []string) (image nvrtc.Image, r cubin.Resources, err error) {
	image, err = lib.Compile(c.Kernel.Name, cuda.Prelude()+c.Out.Source, target, flags)
	if err != nil || target.PTX {
		return image, r, err
	}
	found, err := cubin.Read(image.Data)
	if err != nil {
		return image, r, fmt.Errorf("%w: %w", ErrUnread, err)
	}
	r, ok := found[c.Out.Name]
	if !ok {
		err = fmt.Errorf("%w: kernel %s: its machine code holds no function %s", ErrUnread, c.Kernel.Name, c.Out.Name)
	}
	return image, r, err
}

// Described is the code's report with its resources.
func (c *Code) Described(capability int) (device.Report, error) {
	r := c.Report()
	var err error
	r.Resources, err = c.Resources(capability)
	return r, err
}
