package cli

import (
	"math"
	"os"
	"path/filepath"
	"testing"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"

	"weft/ops/files/npy"
)

// The propagator of a thousand points that are on record has the density and the modes that are recorded of them: the largest eigenvalues of i times its commutator, each
// twice as a singular value, and the sum of the squares of all. Lanczos' method finds the largest ones, both of each, and vectors at right angles.
func TestPropagatorOfRecordedPoints(t *testing.T) {
	const shared = "../../shared/data/linalg/points1000.npy"
	points, err := filepath.Abs(shared)
	must(t, err)
	if _, err := os.Stat(points); err != nil {
		t.Skip("the shared fixtures are not here")
	}
	r := &restarter{t: t, folder: t.TempDir(), env: os.Environ()}
	must(t, os.WriteFile(filepath.Join(r.folder, "p.weft"), []byte(`use causal
points = read("`+points+`", dims: [i, c])
c = causal.order(points[c: 0], points[c: 1])
k = causal.propagator(c, mass: 1, density: 1000)
k | write("k.npy")
between = k - rename(k, from: [i, j], to: [j, i])
modes = eigen(dot(between, rename(between, from: j, to: l), over: i), count: 10, method: lanczos, tolerance: 1e-13)
modes.value | write("modes.npy")
fn ways(block) = eigen(complex(0 * between, between), count: 10, method: lanczos, which: highest, tolerance: 1e-12, block: block)
one = ways(1)
eight = ways(8)
most = ways(32)
turned = eigen(between, count: 20, tolerance: 1e-12)
one.value | write("one.npy")
eight.value | write("eight.npy")
most.value | write("most.npy")
imag(turned.value) | write("turned.npy")
max(abs(real(turned.value))) | write("beside.npy")
(max(one.residual) + max(eight.residual) + max(most.residual) + max(turned.residual)) | write("residual.npy")
v = most.vector
cast(max(abs(sum(v * conj(rename(v, from: eigenvalue, to: other)), over: i) - where(indices(v, eigenvalue) == rename(indices(v, eigenvalue), from: eigenvalue, to: other), 1, 0))), f64) | write("angles.npy")
modes.vector | write("vectors.npy")
cast(mean(where(c, 1, 0)), f64) | write("density.npy")
`), 0o666))
	r.run()
	density, _, err := npy.Load[float64](filepath.Join(r.folder, "density.npy"))
	must(t, err)
	if math.Abs(density[0]-0.2566) > 5e-5 {
		t.Errorf("density %g", density[0])
	}
	k, _, err := npy.Load[float64](filepath.Join(r.folder, "k.npy"))
	must(t, err)
	const n = 1000
	between, squares := mat.NewDense(n, n, nil), 0.0
	for i := range n {
		for j := range n {
			if j <= i && k[i*n+j] != 0 {
				t.Fatalf("row %d has %g in column %d", i, k[i*n+j], j)
			}
			d := k[i*n+j] - k[j*n+i]
			between.Set(i, j, d)
			squares += d * d
		}
	}
	var product mat.Dense
	product.Mul(between.T(), between)
	var e mat.EigenSym
	if !e.Factorize(mat.NewSymDense(n, product.RawMatrix().Data), false) {
		t.Fatal("no eigenvalues")
	}
	values, sum := e.Values(nil), 0.0
	for _, v := range values {
		sum += v
	}
	if math.Abs(sum/squares-1) > 1e-12 {
		t.Errorf("squares of the modes add up to %g, and of the elements to %g", sum, squares)
	}
	for i, want := range []float64{203.857255, 75.740180, 55.633237} {
		for _, at := range []int{n - 1 - 2*i, n - 2 - 2*i} {
			if got := math.Sqrt(values[at]); math.Abs(got-want) > 1e-6 {
				t.Errorf("mode %d is %.6f, recorded is %.6f", i, got, want)
			}
		}
	}
	modes, _, err := npy.Load[float64](filepath.Join(r.folder, "modes.npy"))
	must(t, err)
	vectors, _, err := npy.Load[float64](filepath.Join(r.folder, "vectors.npy"))
	must(t, err)
	for i, got := range modes {
		if math.Abs(got/values[n-1-i]-1) > 1e-10 {
			t.Errorf("mode %d squared is %.12g, and %.12g by another way", i, got, values[n-1-i])
		}
		for j := range i + 1 {
			dot := floats.Dot(vectors[i*n:(i+1)*n], vectors[j*n:(j+1)*n])
			if i == j {
				dot--
			}
			if math.Abs(dot) > 1e-12 {
				t.Errorf("the products of vectors %d and %d are off by %g", i, j, dot)
			}
		}
	} // The same by the hermitian matrix itself, whatever the block, and by the antisymmetric one, whose eigenvalues are pairs on the imaginary axis.
	for _, name := range []string{"one", "eight", "most", "turned"} {
		got, _, err := npy.Load[float64](filepath.Join(r.folder, name+".npy"))
		must(t, err)
		for i := range 10 {
			v := got[i]
			if name == "turned" {
				if v = got[2*i]; v != -got[2*i+1] {
					t.Errorf("%g and %g are no pair", v, got[2*i+1])
				}
			}
			if want := math.Sqrt(values[n-1-2*i]); math.Abs(v/want-1) > 1e-10 {
				t.Errorf("%s: mode %d is %.12g, and %.12g by another way", name, i, v, want)
			}
		}
	}
	for name, most := range map[string]float64{"beside": 1e-10, "residual": 1e-8, "angles": 1e-12} {
		got, _, err := npy.Load[float64](filepath.Join(r.folder, name+".npy"))
		must(t, err)
		if !(got[0] <= most) {
			t.Errorf("%s: %g", name, got[0])
		}
	}
}
