package linear

import "testing"

// A turn looks at each column once, in the row that is said to be so, and a few of them see all tiles of a matrix.
func TestProbing(t *testing.T) {
	for _, n := range []int{2, 3, 4, 12, 100, 101, 720, 4096} {
		for _, turns := range []int{1, 2, 8, 16} {
			if turns >= n {
				continue
			}
			s := probe(n, turns)
			looked := make([]int, n*n)
			for k := range turns {
				columns := make([]bool, n)
				for r := range n {
					c := (s.p*r + s.q*k) % n
					if columns[c] || (s.back*c+s.turn*k)%n != r {
						t.Fatalf("%d rows, turn %d of %d: row %d looks at column %d, again or from row %d", n, k, turns, r, c, (s.back*c+s.turn*k)%n)
					}
					columns[c] = true
					looked[r*n+c]++
				}
			}
			const side = 64
			if n < 8*side || turns < 8 {
				continue
			}
			tiles, missed := 0, 0
			for r := 0; r+side <= n; r += side / 2 {
				for c := 0; c+side <= n; c += side / 2 {
					seen := 0
					for i := r; i < r+side; i++ {
						for j := c; j < c+side; j++ {
							seen += looked[i*n+j]
						}
					}
					if tiles++; seen == 0 {
						missed++
					}
				}
			}
			if missed > 0 {
				t.Errorf("%d rows, %d turns: %d of %d tiles are not seen", n, turns, missed, tiles)
			}
		}
	}
}
