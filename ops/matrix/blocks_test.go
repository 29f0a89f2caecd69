package matrix

import (
	"math/rand/v2"
	"testing"
)

// grid is a matrix of ones where blocks are there, and zeros.
func grid(b *Blocks, rows, columns int) [][]int {
	out := make([][]int, rows)
	for i := range out {
		out[i] = make([]int, columns)
		for j := range out[i] {
			out[i][j] = 1
			if b != nil && !b.There[within([]int{i + 1}, b.Rows)[0]][within([]int{j + 1}, b.Columns)[0]] {
				out[i][j] = 0
			}
		}
	}
	return out
}

func randomBlocks(r *rand.Rand, rows, columns int) *Blocks {
	cut := func(n int) (out []int) {
		for i := 1; i < n; i++ {
			if r.IntN(3) == 0 {
				out = append(out, i)
			}
		}
		return append(out, n)
	}
	return made(cut(rows), cut(columns), func(int, int) bool { return r.IntN(2) == 0 })
}

// Blocks of what is made of matrices are zero where the matrices say so, and nowhere else; those of rows lie where they are said to.
func TestBlocksOfWhatIsMade(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 6))
	for range 2000 {
		const m, k, n = 5, 7, 6
		of := func(b *Blocks) Structure { return Structure{Rows: "i", Columns: "k", Blocks: b} }
		x, y, z := randomBlocks(r, m, k), randomBlocks(r, m, k), randomBlocks(r, k, n)
		gx, gy, gz := grid(x, m, k), grid(y, m, k), grid(z, k, n)
		sum, by := grid(Joined(Added, of(x), of(y)).Blocks, m, k), grid(Joined(Multiplied, of(x), of(y)).Blocks, m, k)
		product := grid(Joined(Product, of(x), of(z)).Blocks, m, n)
		turned := grid(of(x).Over("k", "i").Blocks, k, m)
		with := grid(Joined(Subtracted, of(x), of(nil).With(Zero, Derived)).Blocks, m, k)
		for i := range m {
			for j := range k {
				if wantSum := gx[i][j] | gy[i][j]; x != nil && y != nil && sum[i][j] != wantSum || by[i][j] != gx[i][j]&gy[i][j] || turned[j][i] != gx[i][j] || with[i][j] != gx[i][j] {
					t.Fatalf("%v %v at %d, %d: sum %d, product %d, turned %d", x, y, i, j, sum[i][j], by[i][j], turned[j][i])
				}
			}
			for j := range n {
				any := 0
				for l := range k {
					any |= gx[i][l] & gz[l][j]
				}
				if x != nil && z != nil && product[i][j] != any {
					t.Fatalf("%v times %v at %d, %d: %d", x, z, i, j, product[i][j])
				}
			}
			if x == nil {
				continue
			}
			from, to := x.Span(within([]int{i + 1}, x.Rows)[0])
			for j := range k {
				if inside := j >= from && j < to; gx[i][j] == 1 && !inside || inside && (j == from || j == to-1) && gx[i][j] == 0 {
					t.Fatalf("%v: row %d from %d to %d", x, i, from, to)
				}
			}
		}
	}
}

// What all blocks on the diagonal are, the whole is, if nothing stands where that has none.
func TestAssembled(t *testing.T) {
	lower := Structure{}.With(Lower, Asserted).With(UnitDiagonal, Asserted)
	for _, c := range []struct {
		there [][]bool
		is    map[Property]bool
	}{
		{[][]bool{{true, false}, {true, true}}, map[Property]bool{Lower: true, UnitDiagonal: true}},
		{[][]bool{{true, true}, {false, true}}, map[Property]bool{UnitDiagonal: true}},
		{[][]bool{{true, false}, {false, true}}, map[Property]bool{Lower: true, UnitDiagonal: true}},
	} {
		s := Assembled("i", "k", &Blocks{[]int{2, 5}, []int{2, 5}, c.there}, []Structure{lower, lower})
		for p := range properties {
			if got := s.Is[p] == Asserted; got != c.is[p] {
				t.Errorf("%v: %s is %v", c.there, PropertyNames[p], s.Is[p])
			}
		}
	}
	sides := &Blocks{[]int{2, 5}, []int{3, 5}, [][]bool{{true, false}, {true, true}}}
	if s := Assembled("i", "k", sides, nil); s.Is != [properties]Trust{} || s.Blocks == nil {
		t.Errorf("%v", s)
	}
}
