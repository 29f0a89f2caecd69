package matrix

import (
	"math"
	"math/rand/v2"
	"testing"
)

const side = 6 // antisymmetric matrices of an odd one have no inverses

type square [side][side]float64

// holds reports whether a matrix is what is said of it.
func (m square) holds(p Property) bool {
	most := 1.0
	for _, row := range m {
		for _, x := range row {
			most = max(most, math.Abs(x))
		}
	}
	near := func(x, y float64) bool { return math.Abs(x-y) <= 1e-8*most }
	product := m.turned().times(m)
	for i := range side {
		for j := range side {
			one := 0.0
			if i == j {
				one = 1
			}
			if zero := map[Property]bool{Zero: true, Diagonal: i != j, Lower: j > i, Upper: j < i}[p]; zero && !near(m[i][j], 0) {
				return false
			}
			switch p {
			case UnitDiagonal:
				if i == j && !near(m[i][j], 1) {
					return false
				}
			case Symmetric, PositiveDefinite:
				if !near(m[i][j], m[j][i]) {
					return false
				}
			case Antisymmetric:
				if !near(m[i][j], -m[j][i]) {
					return false
				}
			case Orthogonal:
				if !near(product[i][j], one) {
					return false
				}
			}
		}
	}
	for k := 0; p == PositiveDefinite && k < side; k++ {
		if !(m[k][k] > 0) {
			return false
		}
		for i := k + 1; i < side; i++ {
			f := m[i][k] / m[k][k]
			for j := k; j < side; j++ {
				m[i][j] -= f * m[k][j]
			}
		}
	}
	return true
}

func (m square) times(o square) (out square) {
	for i := range side {
		for j := range side {
			for k := range side {
				out[i][j] += m[i][k] * o[k][j]
			}
		}
	}
	return out
}

func (m square) turned() (out square) {
	for i := range side {
		for j := range side {
			out[j][i] = m[i][j]
		}
	}
	return out
}

// inverse is by Gauss and Jordan.
func (m square) inverse() square {
	var out square
	for i := range side {
		out[i][i] = 1
	}
	for k := range side {
		for i := k + 1; i < side; i++ {
			if math.Abs(m[i][k]) > math.Abs(m[k][k]) {
				m[i], m[k], out[i], out[k] = m[k], m[i], out[k], out[i]
			}
		}
		f := m[k][k]
		for j := range side {
			m[k][j], out[k][j] = m[k][j]/f, out[k][j]/f
		}
		for i := range side {
			if f := m[i][k]; i != k {
				for j := range side {
					m[i][j], out[i][j] = m[i][j]-f*m[k][j], out[i][j]-f*out[k][j]
				}
			}
		}
	}
	return out
}

// random makes a matrix that has a property and, but for what follows from it, no other one; none: it has none.
func random(r *rand.Rand, p Property) (m square) {
	for i := range side {
		for j := range side {
			m[i][j] = r.Float64() - 0.5
		}
		m[i][i] = []float64{-3, 3}[r.IntN(2)] * (1 + r.Float64())
	}
	m[0][0], m[1][1] = -math.Abs(m[0][0]), math.Abs(m[1][1])
	if p != PositiveDefinite {
		m[0][0] *= 30 // more than one that is can make up for
		m[1][1] *= 30
	}
	for i := range side {
		for j := range side {
			if p == Zero || p == Diagonal && i != j || p == Lower && j > i || p == Upper && j < i {
				m[i][j] = 0
			}
			if p == UnitDiagonal && i == j {
				m[i][j] = 1
			}
		}
	}
	switch p {
	case Symmetric:
		for i := range side {
			for j := range i {
				m[i][j] = m[j][i]
			}
		}
	case Antisymmetric:
		for i := range side {
			m[i][i] = 0
			for j := range i {
				m[i][j] = -m[j][i]
			}
		}
	case Orthogonal: // by Gram and Schmidt
		for i := range side {
			for range 2 {
				for k := range i {
					dot := 0.0
					for j := range side {
						dot += m[i][j] * m[k][j]
					}
					for j := range side {
						m[i][j] -= dot * m[k][j]
					}
				}
			}
			size := 0.0
			for j := range side {
				size += m[i][j] * m[i][j]
			}
			for j := range side {
				m[i][j] /= math.Sqrt(size)
			}
		}
	case PositiveDefinite:
		m = m.times(m.turned())
		for i := range side {
			m[i][i] += 0.1
		}
	}
	return m
}

// What the table says of what is made of matrices is so, of numbers; and what it says nothing of is not so, for some.
func TestWhatIsKept(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	element := func(f func(x, y float64) float64) func(a, b square) square {
		return func(a, b square) (out square) {
			for i := range side {
				for j := range side {
					out[i][j] = f(a[i][j], b[i][j])
				}
			}
			return out
		}
	}
	make := [joins]func(a, b square) square{
		Added:      element(func(x, y float64) float64 { return x + y }),
		Subtracted: element(func(x, y float64) float64 { return x - y }),
		Multiplied: element(func(x, y float64) float64 { return x * y }),
		Product:    square.times,
		Inverted:   func(a, _ square) square { return a.inverse() },
	}
	known := func(p Property) Structure { // properties: nothing
		s := Structure{Rows: "i", Columns: "j"}
		if p == properties {
			return s
		}
		return s.With(p, Verified)
	}
	for how := range joins {
		for p := range properties + 1 {
			for q := range properties + 1 {
				of := []Structure{known(p), known(q)}
				if how == Inverted {
					of = of[:1]
				}
				if how == Inverted && p == Zero {
					continue // it has none
				}
				said := Joined(how, of...)
				always := [properties]bool{}
				for x := range properties {
					always[x] = true
				}
				for range 200 {
					m := make[how](random(r, p), random(r, q))
					for x := range properties {
						always[x] = always[x] && m.holds(x)
					}
				}
				for x := range properties {
					if got := said.Is[x] > Unknown; got != always[x] {
						t.Errorf("way %d of %d and %d: it is said to be %s: %v, and it is: %v", how, p, q, PropertyNames[x], got, always[x])
					}
					if said.Is[x] > Derived {
						t.Errorf("way %d: %s is %s", how, PropertyNames[x], said.Is[x])
					}
				}
			}
		}
	}
}

// A transpose has the other triangle, and numbers are symmetric matrices.
func TestStructuresTurn(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	for p := range properties {
		s := Structure{Rows: "i", Columns: "j"}.With(p, Asserted)
		m, turned := random(r, p), s.Over("j", "i")
		for x := range properties {
			if s.Is[x] > Unknown != m.holds(x) || turned.Is[x] > Unknown != m.turned().holds(x) {
				t.Errorf("%s: %v, turned %v", PropertyNames[p], s.Is, turned.Is)
			}
		}
		if turned.Over("i", "j") != s || s.Over("i", "k").Is != [properties]Trust{} {
			t.Errorf("%s: %v", PropertyNames[p], turned.Over("i", "j"))
		}
		for _, c := range []struct {
			by   float64
			with Structure
		}{{2, Constant("i", "j", true)}, {-2, Constant("i", "j", false)}} {
			said := Joined(Multiplied, s, c.with)
			for i := range side {
				for j := range side {
					m[i][j] *= c.by
				}
			}
			for x := range properties {
				if said.Is[x] > Unknown != m.holds(x) {
					t.Errorf("%s times %g: %v", PropertyNames[p], c.by, said.Is)
				}
			}
			m = random(r, p)
		}
	}
	if s := Joined(Added, Structure{}.With(Lower, Verified), Structure{}.With(Lower, Asserted)); s.Is[Lower] != Asserted || s.Is[Upper] != Unknown {
		t.Errorf("%v", s.Is)
	}
}

// What follows from two properties follows; triangles with ones on the diagonal make such; and what no matrix is is found.
func TestTwoProperties(t *testing.T) {
	s := func(of ...Property) Structure {
		out := Structure{Rows: "i", Columns: "j"}
		for _, p := range of {
			out = out.With(p, Asserted)
		}
		return out
	}
	for _, c := range []struct {
		of    Structure
		is    Property
		known bool
	}{
		{s(Symmetric, Antisymmetric), Zero, true}, {s(Antisymmetric, Upper), Zero, true}, {s(Orthogonal, Lower), Diagonal, true}, {s(Diagonal, UnitDiagonal), PositiveDefinite, true},
		{s(Diagonal, UnitDiagonal), Orthogonal, true}, {s(Orthogonal, PositiveDefinite), UnitDiagonal, true}, {s(Orthogonal, Symmetric), Diagonal, false},
		{Joined(Product, s(Lower, UnitDiagonal), s(Lower, UnitDiagonal)), UnitDiagonal, true}, {Joined(Product, s(Lower, UnitDiagonal), s(Upper, UnitDiagonal)), UnitDiagonal, false},
		{Joined(Inverted, s(Upper, UnitDiagonal)), UnitDiagonal, true}, {Joined(Multiplied, s(Antisymmetric), s(Diagonal)), Zero, true},
	} {
		if got := c.of.Is[c.is] > Unknown; got != c.known {
			t.Errorf("%v: %s: %v", c.of.Is, PropertyNames[c.is], got)
		}
	}
	if one, other, found := s(Antisymmetric, PositiveDefinite).Contradiction(); !found || one != Zero && one != Antisymmetric || other != PositiveDefinite {
		t.Errorf("%v %v %v", one, other, found)
	}
	if _, _, found := s(Lower, UnitDiagonal).Contradiction(); found {
		t.Error("a lower triangle may have ones on its diagonal")
	}
}
