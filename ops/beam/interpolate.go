package beam

// scheme is an interpolation as a polynomial in u: between samples, with s - centre = m + u, m whole and u in [-1/2, 1/2],
// the value is sum over k of u^k sum over j of coef[k][j] q[m+j]. It counts only where all the samples it reads exist.
type scheme struct {
	centre float64
	coef   [][]float64
}

// schemes: nearest, linear and cubic (Catmull and Rom 1974, that is Keys 1981 with a = -1/2), written about the middle of
// the interval.
var schemes = map[string]scheme{
	"nearest": {0, [][]float64{{1}}},
	"linear":  {0.5, [][]float64{{0.5, 0.5}, {-1, 1}}},
	"cubic": {1.5, [][]float64{
		{-1. / 16, 9. / 16, 9. / 16, -1. / 16},
		{1. / 8, -11. / 8, 11. / 8, -1. / 8},
		{1. / 4, -1. / 4, -1. / 4, 1. / 4},
		{-1. / 2, 3. / 2, -3. / 2, 1. / 2},
	}},
}

var schemeNames = []string{"nearest", "linear", "cubic"}

// reach is how many neighbouring samples are read.
func (s scheme) reach() int { return len(s.coef[0]) }

// powers is the number of coefficients a place of the table holds.
func (s scheme) powers() int { return len(s.coef) }
