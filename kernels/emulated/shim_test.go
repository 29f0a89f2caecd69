package emulated

import (
	"runtime"
	"testing"
	"unsafe"

	"weft/kernels/codegen/cuda"
	"weft/kernels/native"
)

// Barriers that not all threads reach are noticed, and those that all reach work.
func TestBarriers(t *testing.T) {
	const text = `
WEFT_KERNEL(64) meet(int *out) {
  WEFT_SHARED int sum[64];
  sum[threadIdx.x] = (int)threadIdx.x;
  __syncthreads();
  int s = 0;
  for (int i = 0; i < 64; i++) s += sum[i];
  out[blockIdx.x * 64 + threadIdx.x] = s + s_block_add_i(1) + s_warp_high_i((int)threadIdx.x) * 1000000;
}
static void meet_entry(void **p) { meet(*(int **)&p[0]); }
int meet_run(const weft_launch *l) { return weft_run_together(l, meet_entry); }
WEFT_KERNEL(64) miss(int *out) { if (threadIdx.x < 40) { out[0] = s_warp_add_i(1); } }
static void miss_entry(void **p) { miss(*(int **)&p[0]); }
int miss_run(const weft_launch *l) { return weft_run_together(l, miss_entry); }
WEFT_KERNEL(64) leave(int *out) { if (threadIdx.x < 10) return; __syncthreads(); out[threadIdx.x] = 7; }
static void leave_entry(void **p) { leave(*(int **)&p[0]); }
int leave_run(const weft_launch *l) { return weft_run_together(l, leave_entry); }
`
	functions, _, err := host(t).CompileText(t.Context(), shim+cuda.Prelude()+text, "meet_run", "miss_run", "leave_run")
	if err != nil {
		t.Fatal(err)
	}
	for i, want := range []int32{0, 1, 0} {
		out := make([]int32, 128)
		var pin runtime.Pinner
		pin.Pin(&out[0])
		params := []uint64{uint64(uintptr(unsafe.Pointer(&out[0])))}
		pin.Pin(&params[0])
		a := &arguments{params: uintptr(unsafe.Pointer(&params[0])), grid: [3]int32{2, 1, 1}, block: [3]int32{64, 1, 1}}
		pin.Pin(a)
		if got := native.Invoke(functions[i], uintptr(unsafe.Pointer(a))); got != want {
			t.Errorf("kernel %d: status %d, want %d", i, got, want)
		}
		pin.Unpin()
		if i == 0 && (out[0] != 63*32+64+31000000 || out[127] != 63*32+64+63000000) {
			t.Errorf("got %d and %d", out[0], out[127])
		}
	}
}
