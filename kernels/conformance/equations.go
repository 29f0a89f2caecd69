package conformance

import "weft/kernels/ir"

// equations are 15 of a symmetric matrix each, solved by its triangular root: its 120 elements are needed to the end, in float64. What a point wants is one of the unknowns.
func equations(k *kit) {
	const n, systems = 15, 21
	y, x := k.axis("system", systems), k.axis("unknown", n)
	a, b := k.floats(ir.F64, "a", k.noise(systems*n*n, 0.1), systems, n, n), k.floats(ir.F64, "b", k.noise(systems*n, 1), systems, n)
	var m [n][n]*ir.Node
	var v, one [n]*ir.Node
	for p := range n {
		for q := range p + 1 {
			e := k.at(a, y, k.I32(p), k.I32(q))
			if q == p {
				e = k.Add(e, k.F64(2))
			}
			for j := range q {
				e = k.Sub(e, k.Mul(m[p][j], m[q][j]))
			}
			if q == p {
				one[p] = k.Div(k.F64(1), k.Sqrt(e))
				continue
			}
			m[p][q] = k.Mul(e, one[q])
		}
		v[p] = k.at(b, y, k.I32(p))
		for q := range p {
			v[p] = k.Sub(v[p], k.Mul(m[p][q], v[q]))
		}
		v[p] = k.Mul(v[p], one[p])
	}
	for p := n - 1; p >= 0; p-- {
		for q := p + 1; q < n; q++ {
			v[p] = k.Sub(v[p], k.Mul(m[q][p], v[q]))
		}
		v[p] = k.Mul(v[p], one[p])
	}
	of := v[0]
	for p := 1; p < n; p++ {
		of = k.Select(k.Lt(k.I32(p-1), x), v[p], of)
	}
	k.out("solution", of)
}
