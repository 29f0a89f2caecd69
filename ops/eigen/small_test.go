package eigen

import (
	"math/cmplx"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"weft/kernels/ir"
	"weft/ops"
)

// Eigenvalues of small matrices are what the matrix does to their vectors, whatever their kind; those of hermitian ones are real, in order, and their vectors at right angles.
func TestSmallMatrices(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for n := 1; n < 14; n++ {
		for _, kind := range []string{"symmetric", "hermitian", "general", "one value", "diagonal blocks"} {
			a := make([]complex128, n*n)
			for i := range n {
				for j := range n {
					switch v := complex(r.NormFloat64(), 0); kind {
					case "general":
						a[i*n+j] = v
					case "one value":
						if i == j {
							a[i*n+j] = 3
						}
					case "diagonal blocks": // of which a hermitian one has columns of zeros to turn
						if i/2 == j/2 {
							a[min(i, j)*n+max(i, j)] = 1i
							a[max(i, j)*n+min(i, j)] = cmplx.Conj(a[min(i, j)*n+max(i, j)])
						}
						if i == j {
							a[i*n+j] = complex(float64(i), 0)
						}
					default:
						if kind == "hermitian" && i != j {
							v += complex(0, r.NormFloat64())
						}
						if j >= i {
							a[i*n+j], a[j*n+i] = v, cmplx.Conj(v)
						}
					}
				}
			}
			at := func(i, j int) complex128 { return a[i*n+j] }
			for _, which := range orders {
				find := hermitianPairs
				if kind == "general" {
					find = generalPairs
				}
				found, err := find(n, at)
				if err != nil {
					t.Fatal(err)
				}
				found = found.sorted(which)
				if !slices.IsSortedFunc(found.values, orderOf(which)) {
					t.Fatalf("%s, %s: %v", kind, which, found.values)
				}
				for c, x := range found.vectors {
					for i := range n {
						left := -found.values[c] * x[i]
						for j := range n {
							left += at(i, j) * x[j]
						}
						if cmplx.Abs(left) > 1e-12*float64(n) {
							t.Fatalf("%s of %d rows: %v is left of value %d", kind, n, left, c)
						}
					}
					for d, y := range found.vectors[:c+1] {
						dot := complex128(0)
						for i := range n {
							dot += cmplx.Conj(x[i]) * y[i]
						}
						if d == c {
							dot--
						}
						if kind != "general" && cmplx.Abs(dot) > 1e-13*float64(n) {
							t.Fatalf("%s of %d rows: vectors %d and %d have %v of each other", kind, n, c, d, dot)
						}
					}
				}
				if kind != "general" || n < 3 {
					continue
				}
				vectors, inside, err := schur(n, func(i, j int) float64 { return real(at(i, j)) }, which, n/2)
				if err != nil {
					t.Fatal(err)
				}
				if k := len(vectors); k < n && imag(found.values[k]) != 0 && found.values[k] == cmplx.Conj(found.values[k-1]) && k > n/2 {
					t.Fatalf("%d of %d are kept, which parts a pair", k, n)
				}
				trace, sum := complex128(0), complex128(0)
				for c, x := range vectors {
					trace, sum = trace+inside(c, c), sum+found.values[c]
					for i := range n {
						left := complex128(0)
						for j := range n {
							left += at(i, j) * x[j]
						}
						for d, y := range vectors {
							left -= y[i] * inside(d, c)
						}
						if cmplx.Abs(left) > 1e-12*float64(n) {
							t.Fatalf("%d rows, %s: the space that is kept is left by %v", n, which, left)
						}
					}
				}
				if cmplx.Abs(trace-sum) > 1e-11*float64(n) {
					t.Fatalf("%d rows, %s: kept are values of sum %v, and sought those of %v", n, which, trace, sum)
				}
			}
		}
	}
}

// A pass costs more than vectors where the matrix comes from afar, and the whole of a small matrix costs less than passes: that is what is chosen, and said.
func TestWhatIsChosen(t *testing.T) {
	for _, c := range []struct {
		rows, block int
		symmetric   bool
		says        string
	}{
		{8, 0, true, "method: dense, as the matrix is symmetric and small"},
		{600, 1, true, "method: lanczos, as the matrix is symmetric"},
		{600, 1, false, "method: arnoldi, as the matrix is not known to be symmetric"},
		{4000, 8, true, "122 MiB go through the memory in each pass"},
		{28000, 16, true, "5.84 GiB are read from disk or computed, as a rule, in each pass"},
	} {
		dims := []ops.Dim{{Name: "i", Size: c.rows}, {Name: "j", Size: c.rows}}
		a := asked{matrix: ops.Type{Elem: ops.ElemType{Base: ir.F64}, Dims: dims}, count: 10}
		var said []string
		block := 0
		switch z := a.choose("", 0, c.symmetric).(type) {
		case *krylov:
			said, block = z.says, z.block
			for _, other := range blocks {
				if a.roomy(other) && a.takes(other) < a.takes(block) {
					t.Errorf("%d rows: %d vectors take %g s, and %d take %g", c.rows, block, a.takes(block), other, a.takes(other))
				}
			}
		case *dense:
			said = z.says
		}
		if block != c.block || !strings.Contains(strings.Join(said, "\n"), c.says) {
			t.Errorf("%d rows: %d, %q", c.rows, block, said)
		}
		if z, ok := a.choose("lanczos", 5, c.symmetric).(*krylov); !ok || z.block != 5 || !strings.Contains(strings.Join(z.says, "\n"), "block: 5, as was asked for") {
			t.Errorf("%d rows: a block that was asked for is not taken", c.rows)
		}
	}
}
