package schedule

import (
	"strings"
	"testing"

	"weft/kernels/conformance"
)

// Tables of counts have as many copies as their turns repay; sums of floats, whose order counts, and of weights have none.
func TestTablesOfCountsHaveCopies(t *testing.T) {
	want := map[string]int{"counts in i64 of 5 bins in rows of 300": 4, "counts in i32 of 90 bins in rows of 531": 2, "counts in i32 of 3 bins in rows of 11": 4,
		"counts in nested folds, of which only the inner one stores": 4}
	for _, c := range conformance.Cases() {
		if s := Default(c.Kernel, AVX512); s.Copies != want[c.Name] || s.Copies > 0 && !strings.Contains(s.String(), "copies") {
			t.Errorf("%s: %s, want %d copies", c.Name, s, want[c.Name])
		}
		delete(want, c.Name)
	}
	if len(want) > 0 {
		t.Errorf("no cases %v", want)
	}
}
