package launch

import (
	"errors"
	"testing"

	"weft/kernels/cache/cachetest"
	"weft/kernels/codegen/cuda"
	"weft/kernels/cuda/nvrtc"
	"weft/kernels/ir"
)

// crowded spills where NVIDIA's compiler chooses how many registers a thread has.
const crowded = `WEFT_KERNEL(256) crowded(const double *WEFT_RESTRICT a, const float *WEFT_RESTRICT b, const float *WEFT_RESTRICT c, double *WEFT_RESTRICT o, long long lo, long long hi, long long rows) {
for (long long z = blockIdx.z; z < rows; z += gridDim.z) {
for (long long y = blockIdx.y; y < rows; y += gridDim.y) {
const double *const p = a + y * 4000;
const float *const q = b + y * 4000;
const float *const r = c + y * 4000;
double *const s = o + z + y * 4000;
for (long long x = blockIdx.x; x < (hi - lo + 255) / 256; x += gridDim.x) {
const long long at = lo + x * 256 + threadIdx.x;
if (at >= hi) continue;
const float v = q[at];
s[at] = p[at] * (v != 0.0f ? s_sqrt_d((double)(v != 0.0f ? v : 1.0f)) * (double)r[at] : 0.0);
}
}
}
}`

// What spills so is compiled again with all registers there are.
func TestCodeThatSpillsGetsMoreRegisters(t *testing.T) {
	lib, err := nvrtc.Open()
	if errors.Is(err, nvrtc.ErrNotFound) {
		t.Skip(err)
	}
	if err != nil {
		t.Fatal(err)
	}
	kept, err := lib.In(cachetest.Folder())
	if err != nil {
		t.Fatal(err)
	}
	c := &Code{Kernel: &ir.Kernel{Name: "crowded"}, Out: cuda.Output{Name: "crowded", Source: crowded}}
	target := nvrtc.Target{Capability: 80}
	_, first, err := c.compiled(kept, target, cuda.Flags())
	if err != nil || first.Stack == 0 {
		t.Fatalf("%+v, %v: it has to spill", first, err)
	}
	_, got, err := c.Image(kept, target)
	if err != nil || got.Stack != 0 || got.Registers <= first.Registers {
		t.Errorf("%+v, %v; at first %+v", got, err, first)
	}
}
