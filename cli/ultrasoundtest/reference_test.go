package ultrasoundtest

import (
	"math"
	"math/cmplx"
)

const (
	c        = 1540.0
	fc, fs   = 3e6, 12e6
	samples  = 224
	start    = 12e-6
	elements = 16
	shots    = 3
)

type vector struct{ x, y, z float64 }

func (a vector) less(b vector) vector       { return vector{a.x - b.x, a.y - b.y, a.z - b.z} }
func (a vector) times(b vector) float64     { return a.x*b.x + a.y*b.y + a.z*b.z }
func (a vector) length() float64            { return math.Sqrt(a.times(a)) }
func (a vector) scaled(f float64) vector    { return vector{a.x * f, a.y * f, a.z * f} }
func (a vector) beside(axis vector) float64 { return a.less(axis.scaled(a.times(axis))).length() }

// element is where one is, and which way it looks.
type element struct{ at, look vector }

func linear() (p []element) {
	for e := range elements {
		p = append(p, element{vector{(float64(e) - 7.5) * 0.3e-3, 0, 0}, vector{0, 0, 1}})
	}
	return p
}

func matrix() (p []element) {
	for e := range elements {
		p = append(p, element{vector{(float64(e%4) - 1.5) * 0.3e-3, (float64(e/4) - 1.5) * 0.3e-3, 0}, vector{0, 0, 1}})
	}
	return p
}

func curved() (p []element) {
	const radius = 20e-3
	for e := range elements {
		sin, cos := math.Sincos((float64(e) - 7.5) * 0.5e-3 / radius)
		p = append(p, element{vector{radius * sin, 0, radius*cos - radius}, vector{sin, 0, cos}})
	}
	return p
}

// law is the way that the wave of a shot has gone when it meets a place.
type law func(p []element, shot int, at vector) float64

func deg(v float64) float64 { return v * math.Pi / 180 }

var angles = [shots]float64{deg(-8), 0, deg(8)}

func plane(_ []element, shot int, at vector) float64 {
	return math.Sin(angles[shot])*at.x + math.Cos(angles[shot])*at.z
}

func tilted(_ []element, shot int, at vector) float64 {
	a, e := angles[shot], deg(5)
	return math.Sin(a)*math.Cos(e)*at.x + math.Sin(e)*at.y + math.Cos(a)*math.Cos(e)*at.z
}

func side(shot int) float64 { return float64(shot-1) * 1e-3 }

func diverging(_ []element, shot int, at vector) float64 {
	v := vector{side(shot), 0, -8e-3}
	return at.less(v).length() - v.length()
}

func single(p []element, shot int, at vector) float64 {
	return at.less(p[5*shot].at).length()
}

// focus of a shot: from the middle, 1 mm apart, 15 mm deep.
func focused(_ []element, shot int, at vector) float64 {
	f := vector{side(shot), 0, 15e-3}
	if at.less(f).times(f) < 0 {
		return f.length() - at.less(f).length()
	}
	return f.length() + at.less(f).length()
}

func fired(p []element, shot int, at vector) float64 {
	least := math.Inf(1)
	for e, q := range p {
		if e%5 != shot {
			least = math.Min(least, at.less(q.at).length()+c*float64(e*(shot+1))*20e-9)
		}
	}
	return least
}

func fromFirst(l law) law {
	return func(p []element, shot int, at vector) float64 {
		least := math.Inf(1)
		for _, q := range p {
			least = math.Min(least, l(p, shot, q.at))
		}
		return l(p, shot, at) - least
	}
}

// weigher is how much of an echo, or of a wave, counts.
type weigher func(e element, shot int, at vector) float64

func hann(u float64) float64 {
	if u > 1 {
		return 0
	}
	return 0.5 + 0.5*math.Cos(math.Pi*u)
}

func all(element, int, vector) float64 { return 1 }

func aperture(e element, _ int, at vector) float64 {
	return hann(2 * 1.2 * math.Abs(at.x-e.at.x) / at.z)
}

func cone(e element, _ int, at vector) float64 {
	d := at.less(e.at)
	return hann(2 * 1.1 * math.Tan(math.Acos(math.Min(1, d.times(e.look)/d.length()))))
}

func directivity(e element, _ int, at vector) float64 {
	d := at.less(e.at)
	a := math.Acos(math.Min(1, d.times(e.look)/d.length()))
	u := math.Pi * 0.4e-3 * fc / c * math.Sin(a)
	return math.Cos(a) * math.Sin(u) / u
}

func hourglass(_ element, shot int, at vector) float64 {
	f := vector{side(shot), 0, 15e-3}
	axis, d := f.scaled(1/f.length()), at.less(f)
	return hann(d.beside(axis) / (math.Max(math.Abs(d.times(axis))/1.5, 1e-3) / 2))
}

// delayed are the echoes of a shot from a place, one an element.
func delayed(iq []complex128, p []element, shot int, at vector, send law, weigh weigher, late float64) []complex128 {
	out := make([]complex128, len(p))
	way := send(p, shot, at)
	for e, q := range p {
		tau := (way + at.less(q.at).length()) / c
		s := (tau - start - late) * fs
		n := math.Floor(s)
		if n < 0 || n+1 > samples-1 {
			continue
		}
		u := complex(s-n, 0)
		of := func(n int) complex128 { return iq[(shot*samples+n)*elements+e] }
		out[e] = ((1-u)*of(int(n)) + u*of(int(n)+1)) * cmplx.Rect(weigh(q, shot, at), 2*math.Pi*fc*tau)
	}
	return out
}

func sum(v []complex128) (s complex128) {
	for _, x := range v {
		s += x
	}
	return s
}

func coherence(v []complex128) complex128 {
	power, n := 0.0, 0.0
	for _, x := range v {
		power += real(x)*real(x) + imag(x)*imag(x)
		if x != 0 {
			n++
		}
	}
	return complex(math.Pow(cmplx.Abs(sum(v)), 2)/(n*power), 0)
}

// generalized goes through the whole Fourier transform.
func generalized(v []complex128) complex128 {
	low, total := 0.0, 0.0
	n := len(v)
	for k := range n {
		var x complex128
		for i, e := range v {
			x += e * cmplx.Rect(1, -2*math.Pi*float64(k*i)/float64(n))
		}
		power := math.Pow(cmplx.Abs(x), 2)
		total += power
		if k <= 2 || k >= n-2 {
			low += power
		}
	}
	return complex(low/total, 0)
}

// multiplied goes through all pairs.
func multiplied(v []complex128) (s complex128) {
	for i := range v {
		for j := range i {
			if v[i] != 0 && v[j] != 0 {
				s += v[i] * v[j] / complex(math.Sqrt(cmplx.Abs(v[i])*cmplx.Abs(v[j])), 0)
			}
		}
	}
	return s
}

func shortLag(v []complex128) (s complex128) {
	for m := 1; m <= 3; m++ {
		mean := 0.0
		for i := range len(v) - m {
			if v[i] != 0 && v[i+m] != 0 {
				mean += math.Cos(cmplx.Phase(v[i]) - cmplx.Phase(v[i+m]))
			}
		}
		s += complex(mean/float64(len(v)-m), 0)
	}
	return s
}

// capon solves for weights of runs of 5 by elimination.
func capon(v []complex128) (s complex128) {
	const m = 5
	n := len(v) - m + 1
	var r [m][m + 1]complex128
	trace := 0.0
	for i := range m {
		for j := range m {
			for l := range n {
				r[i][j] += v[l+i] * cmplx.Conj(v[l+j]) / complex(float64(n), 0)
			}
		}
		r[i][m] = 1
		trace += real(r[i][i])
	}
	for i := range m {
		r[i][i] += complex(0.02*trace/m, 0)
	}
	for k := range m {
		for i := range m {
			if i != k {
				f := r[i][k] / r[k][k]
				for j := k; j <= m; j++ {
					r[i][j] -= f * r[k][j]
				}
			}
		}
	}
	var total complex128
	for i := range m {
		w := r[i][m] / r[i][i]
		total += w
		for l := range n {
			s += cmplx.Conj(w) * v[l+i] / complex(float64(n), 0)
		}
	}
	return s / complex(real(total), 0)
}
