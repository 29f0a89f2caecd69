package linear

import (
	"math"
	"math/big"

	"weft/kernels/ir"
	"weft/ops"
)

// probing are the places where a matrix of n rows is looked at in some turns: turn k looks at column p r + q k of row r, modulo n, and so once at each column c, in row back c + turn k.
// Of rows in a row, columns lie as evenly as multiples of the golden ratio: in whichever tile something is wrong, it is seen.
type probing struct{ n, p, q, back, turn int }

func probe(n, turns int) probing {
	coprime := func(x int) int {
		for new(big.Int).GCD(nil, nil, big.NewInt(int64(x)), big.NewInt(int64(n))).Int64() != 1 {
			x++
		}
		return x
	}
	inverse := func(x int) int {
		return int(new(big.Int).ModInverse(big.NewInt(int64(x)), big.NewInt(int64(n))).Int64())
	}
	step, row := coprime(max(1, int(float64(n)*(math.Phi-1)))), coprime(turns)
	return probing{n, step * row % n, step, inverse(step * row), n - inverse(row)}
}

func (s probing) at(b *ops.Body, x, k *ir.Node, p, q int) *ir.Node {
	wide := func(x *ir.Node, times int) *ir.Node { return b.Mul(b.Cast(ir.I64, x), b.Const(ir.I64, float64(times))) }
	return b.Cast(ir.I32, b.Alu(ir.Mod, b.Add(wide(x, p), wide(k, q)), b.Const(ir.I64, float64(s.n))))
}

// column is where a turn looks in a row, row in which row it looks at a column.
func (s probing) column(b *ops.Body, r, k *ir.Node) *ir.Node { return s.at(b, r, k, s.p, s.q) }
func (s probing) row(b *ops.Body, c, k *ir.Node) *ir.Node    { return s.at(b, c, k, s.back, s.turn) }
