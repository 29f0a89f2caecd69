package choices

import (
	"bytes"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"slices"
	"strings"
	"testing"

	"weft/cli"
	"weft/ops/files/npy"
)

// levenberg fits a exp(-k t) + c to lines of y, each to its own end.
const levenberg = `
y = with_coordinates(read("y.npy", dims: [row, object, t]), t, 0 .. 1)
t = axis(t, 0 .. 1 in %d)
i = axis(i, 0 .. 2 in 3)
fn model(p) = p[i: 0] * exp(0 - p[i: 1] * t) + p[i: 2]
fn step(s) {
    e = exp(0 - s.p[i: 1] * t)
    jac = where(i == 0, e, where(i == 1, 0 - s.p[i: 0] * t * e, 1))
    jt = rename(jac, from: i, to: j)
    h = sum(jac * jt, over: t) * (1 + s.lambda * where(i == axis(j, 0 .. 2 in 3), 1, 0))
    g = sum(jac * (y - model(s.p)), over: t)
    d = solve(h, g, rows: i, columns: j) | rename(from: j, to: i)
    q = s.p + d
    chi = sum((y - model(q)) ^ 2, over: t)
    better = chi < s.chi
    (p: where(better, q, s.p), chi: where(better, chi, s.chi), lambda: where(better, s.lambda / 10, s.lambda * 10), moved: max(abs(d), over: i))
}
zero = 0 * y[t: 0]
p = where(i == 0, 1, where(i == 1, 3, 0)) + zero
f = (p: p, chi: sum((y - model(p)) ^ 2, over: t), lambda: 0.001 + zero, moved: 1 + zero) | iterate(step, at_most: %d, until: (old, new) -> new.moved < 1e-4)
f.value.p | write("p.npy")
f.steps | write("steps.npy")
f.converged | where(1, 0) | cast(i32) | write("converged.npy")
`

// fitted does the same for one line.
func fitted(y []float64, most int) (p [3]float64, steps int, converged bool) {
	p, lambda := [3]float64{1, 3, 0}, 0.001
	at := func(i int) float64 { return float64(float32(i) / float32(len(y)-1)) } // as axis has it
	off := func(p [3]float64) (chi float64) {
		for i, v := range y {
			chi += math.Pow(v-p[0]*math.Exp(-p[1]*at(i))-p[2], 2)
		}
		return chi
	}
	chi := off(p)
	for steps < most && !converged {
		var h [3][4]float64 // the right side last
		for i, v := range y {
			e := math.Exp(-p[1] * at(i))
			jac := [3]float64{e, -p[0] * at(i) * e, 1}
			for a := range 3 {
				for b := range 3 {
					h[a][b] += jac[a] * jac[b]
				}
				h[a][3] += jac[a] * (v - p[0]*e - p[2])
			}
		}
		for a := range 3 {
			h[a][a] *= 1 + lambda
		}
		for c := range 3 {
			for r := range 3 {
				if f := h[r][c] / h[c][c]; r != c {
					for k := range 4 {
						h[r][k] -= f * h[c][k]
					}
				}
			}
		}
		q, moved := p, 0.0
		for a := range 3 {
			d := h[a][3] / h[a][a]
			q[a] += d
			moved = math.Max(moved, math.Abs(d))
		}
		if c := off(q); c < chi {
			p, chi, lambda = q, c, lambda/10
		} else {
			lambda *= 10
		}
		steps++
		converged = moved < 1e-4
	}
	return p, steps, converged
}

// ran runs a program, and gives what it writes of numbers.
func ran(t *testing.T, program, env string, flags ...string) (p []float64, steps, converged []int32) {
	t.Helper()
	t.Setenv("WEFT_CC", env)
	if err := os.WriteFile("p.weft", []byte(program), 0o644); err != nil {
		t.Fatal(err)
	}
	var out bytes.Buffer
	if code := cli.Run(t.Context(), append([]string{"run", "p.weft"}, flags...), nil, &out, &out); code != 0 {
		t.Fatalf("%v: exit %d\n%s", flags, code, &out)
	}
	p, _, err := npy.Load[float64]("p.npy")
	must(t, err)
	steps, _, err = npy.Load[int32]("steps.npy")
	must(t, err)
	converged, _, err = npy.Load[int32]("converged.npy")
	must(t, err)
	return p, steps, converged
}

// Fits of many lines end each by itself, where the best of each is, wherever they run, and whatever else there is to fit.
func TestObjectsAreFittedEachToItsEnd(t *testing.T) {
	if testing.Short() {
		t.Skip("compiles dozens of kernels")
	}
	withDevices(t)
	const rows, objects, points = 3, 41, 21
	rng := rand.New(rand.NewPCG(4, 9))
	y := make([]float64, rows*objects*points)
	for o := range rows * objects {
		a, k, c := 0.5+1.5*rng.Float64(), 1+6*rng.Float64(), rng.Float64()-0.5
		for i := range points {
			y[o*points+i] = a*math.Exp(-k*float64(i)/(points-1)) + c + 0.02*rng.NormFloat64()
		}
	}
	must(t, npy.Save("y.npy", []int{rows, objects, points}, y))
	const n = rows * objects
	for _, most := range []int{50, 5} {
		program := fmt.Sprintf(levenberg, points, most)
		all, steps, converged := ran(t, program, "")
		for o := range n {
			p, s, c := fitted(y[o*points:(o+1)*points], most)
			if int(steps[o]) != s || (converged[o] != 0) != c {
				t.Errorf("at most %d: object %d took %d steps, %d, want %d, %v", most, o, steps[o], converged[o], s, c)
			}
			for i := range p {
				if got := all[i*n+o]; math.Abs(got-p[i]) > 1e-6 {
					t.Errorf("at most %d: parameter %d of object %d is %v, want %v", most, i, o, got, p[i])
				}
			}
		}
		if most == 5 {
			continue
		}
		for _, place := range [][]string{{"--threads", "3"}, {"--fuse-limit", "0"}, {"--devices", "devices.yaml", "--device", "small,large,odd"}, {"interpreted"}} {
			env, flags := "", place
			if place[0] == "interpreted" {
				env, flags = "no-such-compiler", nil
			}
			p, s, _ := ran(t, program, env, flags...)
			if !slices.Equal(s, steps) {
				t.Errorf("%v: steps %v, want %v", place, s, steps)
			}
			for i := range p {
				if math.Abs(p[i]-all[i]) > 1e-9 || place[0] == "--threads" && p[i] != all[i] {
					t.Errorf("%v: %v, want %v", place, p[i], all[i])
				}
			}
		}
		// Some of the objects, in another order, have the same bits.
		var some []float64
		order := rng.Perm(n)[:30]
		for _, o := range order {
			some = append(some, y[o*points:(o+1)*points]...)
		}
		must(t, npy.Save("y.npy", []int{1, len(order), points}, some))
		p, s, _ := ran(t, program, "")
		for k, o := range order {
			if s[k] != steps[o] || p[k] != all[o] || p[len(order)+k] != all[n+o] || p[2*len(order)+k] != all[2*n+o] {
				t.Errorf("object %d among others: %d steps, want %d", o, s[k], steps[o])
			}
		}
		must(t, npy.Save("y.npy", []int{rows, objects, points}, y))
	}
	if plan := explained(t); !strings.Contains(plan, "rounds  each row and object until it is done") {
		t.Errorf("no rounds in\n%s", plan)
	}
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}
