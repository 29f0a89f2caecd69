package session_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"gonum.org/v1/gonum/mat"

	"weft/kernels/cache/cachetest"
	"weft/kernels/device"
	"weft/lang/check"
	"weft/ops"
	"weft/ops/optest"
	"weft/planner/bound"
	"weft/runtime"
	"weft/runtime/notebook"
	"weft/runtime/session"
)

// matrices are a positive definite one, but for rounding of its upper triangle, and right sides, with the seed of their size.
func matrices(n, sides int) (a, b *mat.Dense) {
	r := rand.New(rand.NewPCG(uint64(n), 7))
	x := mat.NewDense(n, n, nil)
	for i := range n {
		for j := range n {
			x.Set(i, j, r.NormFloat64())
		}
	}
	a = mat.NewDense(n, n, nil)
	a.Mul(x, x.T())
	b = mat.NewDense(sides, n, nil)
	for i := range n {
		a.Set(i, i, a.At(i, i)+float64(n))
		for s := range sides {
			b.Set(s, i, r.NormFloat64())
		}
	}
	a.Scale(1/float64(n), a)
	return a, b
}

// ran runs a text over the matrices, and gives what it shows.
func ran(t *testing.T, text string, values map[string]ops.Value) map[int]ops.Dense {
	t.Helper()
	s, err := session.Open(session.Config{Device: session.HostOnly, Threads: 2})
	if err != nil {
		t.Fatal(err)
	}
	prog := session.CheckText("m.weft", []byte(text), check.Options{Values: values})
	p, err := s.Plan(t.Context(), prog, session.PlanOptions{})
	if err != nil {
		t.Fatal(err, &prog.Found)
	}
	got := map[int]ops.Dense{}
	see := func(step *bound.Step, in []ops.HostArray) error { got[step.Line] = in[0].Dense(); return nil }
	r, err := s.Run(t.Context(), prog, p, runtime.Options{Verify: true, Discard: true, See: see})
	if err != nil {
		t.Fatal(err, &prog.Found)
	}
	for _, c := range r.Parity {
		if !c.OK {
			t.Errorf("%+v", c)
		}
	}
	return got
}

// Roots, solutions and inverses of matrices of sizes about those of panels are those of gonum, wherever rows and columns are.
func TestLargeMatrices(t *testing.T) {
	cachetest.Use(t)
	for _, c := range []struct {
		n    int
		e    ops.ElemType
		dims [2]string
	}{{21, ops.F64, [2]string{"j", "i"}}, {128, ops.F64, [2]string{"i", "j"}}, {129, ops.F32, [2]string{"i", "j"}}, {300, ops.F64, [2]string{"j", "i"}}, {641, ops.F64, [2]string{"i", "j"}}} {
		n, e, dims := c.n, c.e, c.dims
		t.Run(fmt.Sprint(n, e, dims), func(t *testing.T) {
			const sides = 3
			a, b := matrices(n, sides)
			values := map[string]ops.Value{}
			put := func(name string, m *mat.Dense, dims ...string) {
				rows, columns := m.Dims()
				h := ops.HostArray{Type: ops.Type{Elem: e, Dims: optest.Dims(dims[0], rows, dims[1], columns)}}
				buf := h.Type.Buffers("")[0]
				memory, err := device.NewHostMemory(buf)
				if err != nil {
					t.Fatal(err)
				}
				t.Cleanup(memory.Free)
				h.Parts = []ops.HostPart{{Buf: buf, Data: memory.Host()}}
				h.Parts[0].Store(0, m.RawMatrix().Data)
				values[name] = notebook.Given(name, h)
			}
			even, low := mat.DenseCopyOf(a), mat.DenseCopyOf(a) // roots and triangles do not read the upper one
			for i := range n {
				for j := i + 1; j < n; j++ {
					even.Set(i, j, a.At(j, i))
					low.Set(i, j, 1e9)
				}
			}
			put("m", even, dims[0], dims[1])
			if dims[0] == "i" {
				put("a", low, "i", "j")
			} else {
				put("a", mat.DenseCopyOf(low.T()), "j", "i")
			}
			put("b", b, "s", "i")
			got := ran(t, "show(cholesky(a, rows: i, columns: j))\nshow(solve(m, b, rows: i, columns: j, symmetric: true))\n"+
				"show(solve(a, b, rows: i, columns: j, triangle: lower))\nshow(solve(a, rename(b, from: i, to: j), rows: j, columns: i, triangle: upper))\n"+
				"show(inverse(m, rows: i, columns: j, symmetric: true))\nshow(inverse(a, rows: i, columns: j, triangle: lower))\n"+
				"show(inverse(a, rows: j, columns: i, triangle: upper))\n", values)
			sym := mat.NewSymDense(n, nil)
			tri := mat.NewTriDense(n, mat.Lower, nil)
			for i := range n {
				for j := range i + 1 {
					sym.SetSym(i, j, a.At(i, j))
					tri.SetTri(i, j, a.At(i, j))
				}
			}
			var c mat.Cholesky
			if !c.Factorize(sym) {
				t.Fatal("not positive definite")
			}
			var root mat.TriDense
			c.LTo(&root)
			want := map[int]mat.Matrix{1: &root}
			solved := func(m mat.Matrix, rights mat.Matrix) mat.Matrix {
				var x mat.Dense
				if err := x.Solve(m, rights); err != nil {
					t.Fatal(err)
				}
				return mat.DenseCopyOf(x.T())
			}
			one := mat.NewDiagDense(n, slices.Repeat([]float64{1}, n))
			want[2], want[3], want[4] = solved(sym, b.T()), solved(tri, b.T()), solved(tri.T(), b.T())
			want[5], want[6], want[7] = solved(sym, one), solved(tri, one), solved(tri.T(), one)
			for line, w := range want {
				rows, columns := w.Dims()
				turned := dims[0] == "j" && line != 2 && line != 3 && line != 4 // over dims of the matrix, in their order
				if line == 7 {
					turned = !turned // its rows are j
				}
				peak, worst := 0.0, 0.0
				for r := range rows {
					for k := range columns {
						at := r*columns + k
						if turned {
							at = k*rows + r
						}
						peak, worst = max(peak, math.Abs(w.At(r, k))), max(worst, math.Abs(w.At(r, k)-got[line].Re[at]))
					}
				}
				if most := map[ops.ElemType]float64{ops.F64: 1e-12, ops.F32: 2e-4}[e]; !(worst <= most*peak) {
					t.Errorf("line %d: off by %g of %g", line, worst, peak)
				}
			}
		})
	}
}
