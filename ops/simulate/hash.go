package simulate

import (
	"math"

	"weft/kernels/ir"
	"weft/ops"
)

// Noise is drawn by counter: draw i of a seed is a hash of both, so every element of an array has its own, whatever the
// order or the device in which elements are computed. The hash is the 32-bit finaliser "lowbias32" (C. Wellons,
// hash-prospector, 2018), whose bias is about that of a random function:
//
//	x ^= x >> 16;  x *= 0x7feb352d;  x ^= x >> 15;  x *= 0x846ca68b;  x ^= x >> 16
//
// Draw i of seed s is hash(hash(i) + hash(s) + 0x9e3779b9 k) for the k-th word of the draw.
var hashSteps = []struct {
	shift int
	times uint32
}{{16, 0x7feb352d}, {15, 0x846ca68b}, {16, 1}}

const goldenRatio = 0x9e3779b9

func hash(x uint32) uint32 {
	for _, s := range hashSteps {
		x ^= x >> s.shift
		x *= s.times
	}
	return x
}

func hashNode(b *ops.Body, x *ir.Node) *ir.Node {
	for _, s := range hashSteps {
		x = b.Alu(ir.BitXor, x, b.Alu(ir.Ushr, x, b.I32(s.shift)))
		x = b.Mul(x, word(b, s.times))
	}
	return x
}

// normalPair draws two independent standard normal numbers (Box and Muller 1958) from 24 bits each, so none exceeds 5.9.
func normalPair(seed, i uint32) (x, y float64) {
	base := hash(i) + hash(seed)
	r := math.Sqrt(-2 * math.Log(uniform(hash(base))))
	sin, cos := math.Sincos(2 * math.Pi * uniform(hash(base+goldenRatio)))
	return r * cos, r * sin
}

// uniform is a number in (0, 1).
func uniform(word uint32) float64 { return (float64(word>>8) + 0.5) / (1 << 24) }

// normalNodes is normalPair in a kernel; i is an I32.
func normalNodes(b *ops.Body, seed uint32, i *ir.Node) (x, y *ir.Node) {
	base := b.Add(hashNode(b, i), word(b, hash(seed)))
	next := b.Add(base, word(b, goldenRatio))
	r := b.Sqrt(b.Mul(b.F32(-2), b.Alu(ir.Log, uniformNode(b, hashNode(b, base)))))
	turn := b.Mul(b.F32(2*math.Pi), uniformNode(b, hashNode(b, next)))
	return b.Mul(r, b.Alu(ir.Cos, turn)), b.Mul(r, b.Alu(ir.Sin, turn))
}

// word is a constant of 32 bits.
func word(b *ops.Body, x uint32) *ir.Node { return b.Int(ir.I32, int64(int32(x))) }

func uniformNode(b *ops.Body, word *ir.Node) *ir.Node {
	f := b.Cast(ir.F32, b.Alu(ir.Ushr, word, b.I32(8)))
	return b.Mul(b.Add(f, b.F32(0.5)), b.F32(1./(1<<24)))
}
