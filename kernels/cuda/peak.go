//go:build cuda

package cuda

import (
	"context"
	"errors"
	"fmt"
	"math"
	"unsafe"

	"weft/kernels/device"
	"weft/kernels/ir"
)

var _ device.Peaking = (*memory)(nil)

// peakKernel finds the largest finite magnitude of elements in lines, for each block: warps have up to 1,024 elements of a line at a time. Squares of float32
// are exact in float64, so that sums of two are rounded once, as on the host.
var peakKernel = own{"weft_largest", `
FN double weft_element(const unsigned char *p, long long i, long long type) {
  switch (type) {
    case 0: return s_load_bool(p + i);
    case 1: return s_load_i8((const signed char *)p + i);
    case 2: return s_load_u8(p + i);
    case 3: return s_load_i16((const short *)p + i);
    case 4: return s_load_u16((const unsigned short *)p + i);
    case 5: return s_load_i32((const int *)p + i);
    case 6: return (double)s_load_u32((const unsigned *)p + i);
    case 7: return (double)s_load_i64((const long long *)p + i);
    case 8: return s_load_f16((const unsigned short *)p + i);
    case 9: return s_load_bf16((const unsigned short *)p + i);
    case 10: return s_load_f32((const float *)p + i);
  }
  return s_load_f64((const double *)p + i);
}
WEFT_KERNEL(256) weft_largest(const unsigned char *re, const unsigned char *im, double *to, long long pitch, long long width, long long lines, long long type) {
  const long long pieces = (width + 1023) / 1024;
  double most = 0;
  for (long long u = blockIdx.x * 8LL + threadIdx.x / 32; u < pieces * lines; u += gridDim.x * 8LL) {
    const long long line = u / pieces * pitch, from = u % pieces * 1024, end = from + 1024 < width ? from + 1024 : width;
    for (long long i = from + threadIdx.x % 32; i < end; i += 32) {
      double x = weft_element(re + line, i, type);
      if (im) {
        const double y = weft_element(im + line, i, type);
        x = x * x + y * y;
      }
      x = s_abs_d(x);
      if (x < WEFT_INF_D && x > most) most = x;
    }
  }
  most = s_block_high_d(most);
  if (threadIdx.x == 0) to[blockIdx.x] = most;
}
`}

const (
	peakThreads = 256
	peakUnits   = peakThreads / 32 // of a block at a time
	peakUnit    = 1024             // elements
	peakBlocks  = 1024             // at most: about as many as there are at a time
)

// peakTypes are those of elements, as the kernel counts them.
var peakTypes = []ir.DType{ir.Bool, ir.I8, ir.U8, ir.I16, ir.U16, ir.I32, ir.U32, ir.I64, ir.F16, ir.BF16, ir.F32, ir.F64}

// peak is a search in line, with what each block finds.
type peak struct {
	gathered
	most []float64
}

// Found is the largest of them.
func (p *peak) Found() (most float64) {
	for _, v := range p.most {
		most = max(most, v)
	}
	if len(p.from) > 1 {
		most = math.Sqrt(most)
	}
	return most
}

// EnqueuePeak finds the largest finite magnitude by a launch on a stream of its own, behind what uses the memory, and copies what each of its blocks finds behind that.
func (m *memory) EnqueuePeak(ctx context.Context, of device.Lines, imaginary device.Memory) (device.Peak, error) {
	p := &peak{gathered: gathered{from: []*memory{m}}}
	if imaginary != nil {
		im, ok := imaginary.(*memory)
		if !ok || im.dev != m.dev || im.buf.Type != m.buf.Type {
			return nil, fmt.Errorf("%s: %s has no imaginary part there", m.dev.info.Name, m.buf.Name)
		}
		p.from = append(p.from, im)
	}
	all, err := of.Span(), device.CheckLines(of, of.Bytes())
	for _, f := range p.from {
		f.mu.RLock()
		if !f.there() && err == nil {
			err = errors.New("it has been freed")
		}
		if err == nil {
			err = f.holds(all.From, int(all.To-all.From))
		}
	}
	if err == nil && of.Bytes() > 0 {
		err = p.begin(ctx, of)
	}
	if err != nil {
		_, _ = p.Wait() // of what was begun nothing is wanted
		return nil, fmt.Errorf("%s: looking for the largest of buffer %s: %w", m.dev.info.Name, m.buf.Name, err)
	}
	return p, nil
}

func (p *peak) begin(ctx context.Context, of device.Lines) error {
	m := p.from[0]
	function, err := m.dev.own(&m.dev.largest, peakKernel)
	if err != nil {
		return err
	}
	width := of.Width / m.buf.Type.Size()
	blocks := min(((width+peakUnit-1)/peakUnit*of.Count+peakUnits-1)/peakUnits, peakBlocks)
	p.most = make([]float64, blocks)
	to, err := p.scratchFor(8 * blocks)
	if err != nil {
		return err
	}
	values := []uint64{uint64(m.first) + uint64(of.Offset), 0, uint64(to.first), uint64(of.Pitch), uint64(width), uint64(of.Count), peakType(m.buf.Type)}
	if len(p.from) > 1 {
		values[1] = uint64(p.from[1].first) + uint64(of.Offset)
	}
	found := unsafe.Slice((*byte)(unsafe.Pointer(unsafe.SliceData(p.most))), 8*blocks)
	return p.launch(ctx, function, blocks, peakThreads, values, to, found, nil)
}

func peakType(t ir.DType) uint64 {
	for i, of := range peakTypes {
		if of == t {
			return uint64(i)
		}
	}
	return uint64(len(peakTypes))
}
