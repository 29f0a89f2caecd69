package native

import (
	"context"
	"fmt"
	"runtime"
	"strings"
	"unsafe"

	"weft/kernels/device"
	"weft/kernels/interp"
	"weft/kernels/ir"
)

// definition is a kernel as package interp defines it, compiled: what rendered code has is not in it, so that a fault of the renderer
// cannot hide there.
type definition struct {
	program *interp.Program
	host    map[*ir.Buffer][]byte // plain values, as the program's text reads them
	address uintptr
}

// definitionFlags are cautious, so that the code does what the text says; what -O2 takes longer than -O1, one run of a long kernel's checks saves.
// What addresses in a loop have in common is not looked for: gcc takes the square of their number for that, 7 of 11 CPU seconds where a kernel has
// 230 sums.
var definitionFlags = []string{"-O2", "-std=gnu11", "-fno-math-errno", "-fno-trapping-math", "-fwrapv", "-fno-strict-aliasing", "-ffp-contract=off", "-fno-ivopts"}

// Definitions compiles programs of the interpreter to plain C, all in one object, which is cached as those of kernels are. host holds
// the buffers that are plain values, which inputs need not give again.
func (d *Device) Definitions(ctx context.Context, programs []*interp.Program, host map[*ir.Buffer][]float64) ([]interp.Evaluator, error) {
	var text strings.Builder
	text.WriteString(interp.TextPreamble())
	symbols := make([]string, len(programs))
	for i, p := range programs {
		symbols[i] = fmt.Sprintf("weft_definition_%d", i)
		text.WriteString(p.C(symbols[i], func(b *ir.Buffer) bool { return host[b] != nil }))
	}
	addresses, _, err := d.compileText(ctx, text.String(), append(append([]string(nil), d.march...), definitionFlags...), symbols)
	if err != nil {
		return nil, err
	}
	out := make([]interp.Evaluator, len(programs))
	for i, p := range programs {
		x := &definition{p, map[*ir.Buffer][]byte{}, addresses[i]}
		for _, b := range p.TextBuffers() {
			if host[b] == nil {
				continue
			}
			if x.host[b], err = p.HostCells(b, host[b]); err != nil {
				return nil, err
			}
		}
		out[i] = x
	}
	return out, nil
}

// pointsAtOnce is how many points a call takes, between which it may be cancelled.
const pointsAtOnce = 16

// Eval implements interp.Evaluator: at an index out of range, or without an input, the error is the interpreter's.
func (x *definition) Eval(ctx context.Context, in interp.Inputs, points [][]int) ([][]interp.Sample, error) {
	if err := x.program.CheckPoints(in, points); err != nil {
		return nil, err
	}
	var pin runtime.Pinner
	defer pin.Unpin()
	args := x.arguments(in, &pin)
	axes, words := len(x.program.Kernel().Axes), x.program.TextWords()
	at, out := make([]int32, pointsAtOnce*axes+1), make([]int64, pointsAtOnce*words+1)
	pin.Pin(&at[0])
	pin.Pin(&out[0])
	pin.Pin(args)
	args.At, args.Out = uintptr(unsafe.Pointer(&at[0])), uintptr(unsafe.Pointer(&out[0]))
	samples := make([][]interp.Sample, 0, len(points))
	for len(points) > 0 {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		some := points[:min(pointsAtOnce, len(points))]
		for i, p := range some {
			for d, v := range p {
				at[i*axes+d] = int32(v)
			}
		}
		args.N = int64(len(some))
		if invoke(x.address, uintptr(unsafe.Pointer(args))) != 0 {
			if _, err := x.program.Eval(ctx, in, some); err != nil {
				return nil, err
			}
			return nil, fmt.Errorf("native: kernel %s: an index out of range in the compiled definition that the interpreter does not have", x.program.Kernel().Name)
		}
		for i := range some {
			samples = append(samples, x.program.TextSamples(out[i*words:(i+1)*words]))
		}
		points = points[len(some):]
	}
	runtime.KeepAlive(in)
	return samples, nil
}

// arguments are what all calls share. What they point to is pinned.
func (x *definition) arguments(in interp.Inputs, pin *runtime.Pinner) *interp.TextArgs {
	bufs := x.program.TextBuffers()
	scalars := x.program.Kernel().Args()
	words := make([]uint64, len(bufs)+2*len(scalars)+1)
	pin.Pin(&words[0])
	for i, b := range bufs {
		if cells := x.host[b]; cells != nil {
			if len(cells) > 0 {
				pin.Pin(&cells[0])
				words[i] = uint64(uintptr(unsafe.Pointer(&cells[0])))
			}
			continue
		}
		words[i] = uint64(address(in.Mem[b].Host()))
		if len(b.Shape) > 0 {
			words[i] += uint64(b.Pad.Before * b.Type.Size())
		}
	}
	farg := words[len(bufs):]
	iarg := farg[len(scalars):]
	for i, a := range scalars {
		s, _ := device.ScalarOf(in.Args, a)
		*(*float64)(unsafe.Pointer(&farg[i])), *(*int64)(unsafe.Pointer(&iarg[i])) = s.F, s.I
	}
	return &interp.TextArgs{Buf: uintptr(unsafe.Pointer(&words[0])), Farg: uintptr(unsafe.Pointer(&farg[0])), Iarg: uintptr(unsafe.Pointer(&iarg[0]))}
}
