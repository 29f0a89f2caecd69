package ultrasoundtest

import (
	"math"
	"math/cmplx"
	"testing"
)

// What moves: three shots of 11 frames at 6 x 5 places, tissue that is loud and slow, and blood.
const moving = `use doppler
use simulate
frame = indices(fill(0, dims: frame, extents: 11), frame)
x = indices(fill(0, dims: x, extents: 6), x)
z = indices(fill(0, dims: z, extents: 5), z)
n = (frame * 6 + x) * 5 + z
a = complex(cast(simulate.normal(n, 1), f32), cast(simulate.normal(n, 2), f32)) + cis(0.9 * frame) * (1 + x) + 20 * cis(0.02 * frame * (1 + z)) @keep
of = v -> stack([real(v), imag(v)], dim: part)
movie = v -> transpose(of(v), [x, z, frame, part])
movie(a) | write("a.npy")
movie(doppler.regression_filter(a, 0)) | write("mean.npy")
movie(doppler.regression_filter(a, 3)) | write("cubic.npy")
near = v -> doppler.near(doppler.near(v, x, 3), z, 5)
flow = doppler.colour(a - 20, fc: 5 MHz, interval: 0.2 ms, lag: 2, smooth: near)
still = v -> transpose(of(complex(v, 0)), [x, z, part])
still(flow.velocity / (1 m/s)) | write("velocity.npy")
still(flow.spread / (1 m/s)) | write("spread.npy")
still(doppler.power(a)) | write("power.npy")
`

// regress takes the values of polynomials from those of a place, by orthogonalizing powers.
func regress(v []complex128, order int) []complex128 {
	out := append([]complex128{}, v...)
	var basis [][]float64
	for k := range order + 1 {
		p := make([]float64, len(v))
		for i := range p {
			p[i] = math.Pow(float64(i)-5, float64(k))
		}
		for range 2 {
			for _, q := range basis {
				dot := 0.0
				for i := range p {
					dot += p[i] * q[i]
				}
				for i := range p {
					p[i] -= dot * q[i]
				}
			}
		}
		norm := 0.0
		for _, x := range p {
			norm += x * x
		}
		var dot complex128
		for i := range p {
			p[i] /= math.Sqrt(norm)
			dot += out[i] * complex(p[i], 0)
		}
		for i := range p {
			out[i] -= dot * complex(p[i], 0)
		}
		basis = append(basis, p)
	}
	return out
}

// window joins neighbours as near does, turned round at the points at the ends.
func window(v []complex128) []complex128 {
	fold := func(i, n int) int {
		if i < 0 {
			i = -i
		}
		if i >= n {
			i = 2*n - 2 - i
		}
		return i
	}
	pass := func(v []complex128, points int, x, z int) []complex128 {
		out := make([]complex128, len(v))
		for i := range 6 {
			for j := range 5 {
				total := 0.0
				for d := range points {
					w := 0.54 - 0.46*math.Cos(2*math.Pi*float64(d)/float64(points-1))
					total += w
					o := d - points/2
					out[5*i+j] += complex(w, 0) * v[5*fold(i+x*o, 6)+fold(j+z*o, 5)]
				}
				out[5*i+j] /= complex(total, 0)
			}
		}
		return out
	}
	return pass(pass(v, 3, 1, 0), 5, 0, 1)
}

func TestDoppler(t *testing.T) {
	if testing.Short() {
		t.Skip("compiles dozens of kernels")
	}
	run(t, moving)
	a := pairs(t, "a")
	r0, r1, power := make([]complex128, 30), make([]complex128, 30), make([]complex128, 30)
	var mean, cubic []complex128
	for i := range 30 {
		v := a[11*i:][:11]
		mean, cubic = append(mean, regress(v, 0)...), append(cubic, regress(v, 3)...)
		for k, z := range v {
			power[i] += complex(real(z)*real(z)+imag(z)*imag(z), 0) / 11
			z -= 20
			r0[i] += z * cmplx.Conj(z) / 11
			if k+2 < 11 {
				r1[i] += (v[k+2] - 20) * cmplx.Conj(z) / 9
			}
		}
	}
	r0, r1 = window(r0), window(r1)
	var velocity, spread []complex128
	nyquist := 1540.0 / (4 * 5e6 * 2 * 0.2e-3)
	for i := range 30 {
		velocity = append(velocity, complex(nyquist/math.Pi*cmplx.Phase(r1[i]), 0))
		spread = append(spread, complex(nyquist/math.Pi*math.Sqrt(2*math.Max(0, 1-cmplx.Abs(r1[i])/real(r0[i]))), 0))
	}
	near(t, "mean", pairs(t, "mean"), mean, 1e-5)
	near(t, "cubic", pairs(t, "cubic"), cubic, 1e-5)
	near(t, "velocity", pairs(t, "velocity"), velocity, 1e-4)
	near(t, "spread", pairs(t, "spread"), spread, 1e-4)
	near(t, "power", pairs(t, "power"), power, 1e-5)
}

// Singular vectors that are known: places and frames by waves that are orthogonal.
func TestSingularVectors(t *testing.T) {
	if testing.Short() {
		t.Skip("compiles dozens of kernels")
	}
	run(t, `use doppler
frame = indices(fill(0, dims: frame, extents: 12), frame)
x = indices(fill(0, dims: x, extents: 8), x)
z = indices(fill(0, dims: z, extents: 4), z)
wave = (k, m) -> cis(2 * pi * k * frame / 12) * cis(2 * pi * m * (4 * x + z) / 32)
low = 0.3 * wave(5, 3) + 0.1 * wave(7, 9)
a = 100 * wave(0, 1) + 95 * wave(1, 2) + low
of = v -> transpose(stack([real(v), imag(v)], dim: part), [x, z, frame, part])
of(doppler.svd_filter(a, 2, over: [x, z])) | write("two.npy")
of(doppler.svd_filter(a, 3, over: [x, z])) | write("three.npy")
`)
	var two, three []complex128
	for p := range 32 {
		for f := range 12 {
			wave := func(k, m int) complex128 {
				return cmplx.Rect(1, 2*math.Pi*(float64(k*f)/12+float64(m*p)/32))
			}
			two, three = append(two, 0.3*wave(5, 3)+0.1*wave(7, 9)), append(three, 0.1*wave(7, 9))
		}
	}
	near(t, "two", pairs(t, "two"), two, 1e-3)
	near(t, "three", pairs(t, "three"), three, 1e-3)
}

// Velocities of beams from three sides, by which those of the plane are known.
func TestVector(t *testing.T) {
	run(t, `use doppler
shot = indices(fill(0, dims: transmit, extents: 3), transmit)
angles = (shot - 1) * 14 deg
back = shot * 3 deg
x = axis(x, -30 mm/s .. 20 mm/s in 6)
z = axis(z, -10 mm/s .. 40 mm/s in 5)
beams = -(sin(angles) * x + cos(angles) * z + sin(back) * x + cos(back) * z) / 2
v = doppler.vector(beams, send: angles, receive: back)
of = v -> transpose(stack([v / (1 m/s), 0 * v / (1 m/s)], dim: part), [x, z, part])
of(v.x + 0 * v.z) | write("x.npy")
of(v.z + 0 * v.x) | write("z.npy")
`)
	var x, z []complex128
	for i := range 6 {
		for j := range 5 {
			x, z = append(x, complex(-0.03+0.01*float64(i), 0)), append(z, complex(-0.01+0.0125*float64(j), 0))
		}
	}
	near(t, "x", pairs(t, "x"), x, 1e-4)
	near(t, "z", pairs(t, "z"), z, 1e-4)
}
