package sky

import (
	"math"

	"weft/kernels/ir"
	"weft/ops"
)

var byteType = ops.ElemType{Base: ir.U8}

// wordBits is how many patches a word of the masks holds while they are summed.
const wordBits = 32

// kernel is what the main stages of skyview are made of: one fold over patches in which each patch marches along its ray.
type kernel struct {
	*view
	marcher
	weights *ops.Stage // by patch and part
	inputs  []*ops.Stage
}

func (k *kernel) words() int { return (len(k.patches) + wordBits - 1) / wordBits }

// Lower marches along all rays of a pixel in one fold, which all outputs share.
func (v *view) Lower(l *ops.Lowering) []*ops.Stage {
	k := &kernel{view: v, marcher: newMarcher(l, &v.scene, v.rays())}
	patch := ops.Dim{Name: "patch", Size: len(v.patches)}
	var weights []float64
	for _, p := range v.patches {
		weights = append(weights, p.weight[:]...)
	}
	k.weights = l.Table("weights", ir.F32, weights, patch, ops.Dim{Name: "part", Size: len(parts)})
	k.inputs = append(k.marcher.inputs(), k.weights)
	var out []*ops.Stage
	for i, o := range v.Outputs() {
		s := l.Stage(o.Name, o.Type, k.inputs, k.output(i))
		s.Exact = true
		s.Unrolled = o.Type.Elem == byteType
		s.Steps = k.steps(o.Name)
		out = append(out, s)
	}
	return out
}

func (k *kernel) steps(output string) []string {
	return append(k.marcher.steps(), "weigh", "sum "+output)
}

// output defines the i-th output.
func (k *kernel) output(i int) func(b *ops.Body, index []*ir.Node) ops.Elem {
	kind, part := i/(len(parts)+1), i%(len(parts)+1)
	each := len(parts) + k.words()
	return func(b *ops.Body, index []*ir.Node) ops.Elem {
		y, x := index[0], index[1]
		sums := b.Once(k, index[:2], func() []*ir.Node { return k.sums(b, y, x) })[kind*each:][:each]
		known := k.known(b, y, x)
		if part == len(parts) {
			return ops.Real(k.byteOf(b, known, sums[len(parts):], index[2]))
		}
		sum := sums[part]
		if parts[part].offset {
			sum = b.Add(sum, k.offset(b, kind, y, x))
		}
		return ops.Real(b.Select(known, b.Min(sum, b.F32(1)), b.F32(math.NaN())))
	}
}

// offset is what is added to the south and west parts; to those of vegetation only where there is no trunk.
func (k *kernel) offset(b *ops.Body, kind int, y, x *ir.Node) *ir.Node {
	c := b.F32(single(shareOfZenith))
	if kind == 0 {
		return c
	}
	return b.Select(k.none(b, k.trunk(b, y, x)), c, b.F32(0))
}

// byteOf is byte i of the words of a mask, 0 where the mask is not known.
func (k *kernel) byteOf(b *ops.Body, known *ir.Node, words []*ir.Node, i *ir.Node) *ir.Node {
	const bytes = wordBits / 8
	part := func(word, shift *ir.Node) *ir.Node {
		return b.Alu(ir.BitAnd, b.Alu(ir.Ushr, b.Select(known, word, b.I32(0)), shift), b.I32(0xff))
	}
	if i.Kind == ir.KConst {
		return part(words[i.I/bytes], b.Int(ir.I32, i.I%bytes*8))
	}
	word := words[len(words)-1]
	for w := len(words) - 2; w >= 0; w-- {
		word = b.Select(b.Lt(i, b.I32((w+1)*bytes)), words[w], word)
	}
	return part(word, b.Mul(b.Alu(ir.BitAnd, i, b.I32(bytes-1)), b.I32(8)))
}

// sums marches to every patch: for each kind of mask the weights of the patches seen, then the bits. Patches are taken a word
// of bits at a time, so that few values change from patch to patch.
func (k *kernel) sums(b *ops.Body, y, x *ir.Node) []*ir.Node {
	each := len(parts) + k.words()
	spec := ir.FoldSpec{Lo: b.I32(0), Hi: b.I32(k.words())}
	for range k.kinds() {
		for range parts {
			spec.Init = append(spec.Init, b.F32(0))
		}
		for range k.words() {
			spec.Init = append(spec.Init, b.I32(0))
		}
	}
	return b.Fold(spec, func(w *ir.Node, acc []*ir.Node) ([]*ir.Node, *ir.Node) {
		first := b.Mul(w, b.I32(wordBits))
		inner := ir.FoldSpec{Lo: b.I32(0), Hi: b.Min(b.Sub(b.I32(len(k.patches)), first), b.I32(wordBits))}
		for kind := range k.kinds() {
			inner.Init = append(append(inner.Init, acc[kind*each:][:len(parts)]...), b.I32(0))
		}
		done := b.Fold(inner, func(bit *ir.Node, acc []*ir.Node) ([]*ir.Node, *ir.Node) {
			return k.patch(b, b.Add(first, bit), bit, y, x, acc), nil
		})
		var out []*ir.Node
		for kind := range k.kinds() {
			own := done[kind*(len(parts)+1):][:len(parts)+1]
			out = append(out, own[:len(parts)]...)
			for i := range k.words() {
				out = append(out, b.Select(b.Alu(ir.Eq, w, b.I32(i)), own[len(parts)], acc[kind*each+len(parts)+i]))
			}
		}
		return out, nil
	})
}

// patch adds a patch to the sums and to a bit of a word, for each kind of mask.
func (k *kernel) patch(b *ops.Body, p, bit, y, x *ir.Node, acc []*ir.Node) (out []*ir.Node) {
	mask := b.Alu(ir.Shl, b.I32(1), bit)
	for _, hidden := range k.marcher.hidden(b, p, y, x) {
		for i := range parts {
			out = append(out, b.Add(acc[i], b.Select(hidden, b.F32(0), k.weights.At(b, p, b.I32(i)).Re)))
		}
		out = append(out, b.Alu(ir.BitOr, acc[len(parts)], b.Select(hidden, b.I32(0), mask)))
		acc = acc[len(parts)+1:]
	}
	return out
}
