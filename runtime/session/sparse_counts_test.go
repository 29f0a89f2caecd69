package session

import (
	"fmt"
	"math"
	"slices"
	"testing"

	"weft/kernels/cache/cachetest"
	"weft/lang/check"
	"weft/runtime"
	"weft/runtime/result"
)

// What products with sparse matrices compute and move is told within a tenth of what is counted by hand: here of rows of 48 entries in columns side by side, which are
// three blocks of sixteen.
func TestSparseProductsAreCounted(t *testing.T) {
	cachetest.Use(t)
	t.Chdir(t.TempDir())
	const rows, columns, each = 20_000, 352, 48
	const n, blocks = rows * each, rows * each / 16
	s, err := Open(Config{Device: HostOnly, Threads: 2})
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		name, text   string
		flops, bytes float64
	}{
		{"rows", `a.apply(x)`, 2 * n, 8*n + 4*columns + 4*rows},
		{"rows, transposed", `a.transposed(y)`, 2 * n, 8*n + 4*rows},
		{"blocks of f16", `half().apply(x)`, 2*n + blocks, 2*n + 4*blocks + 16*rows + 4*rows},
		{"blocks of f16, transposed", `half().transposed(y)`, 2 * n, 2*n + 4*blocks + 16*rows + 4*rows},
		{"sixteen columns at a time", `sum(a.value * z[j: a.column], over: entry in a.first .. a.last)`, 32 * n, 8*n + 64*columns + 64*rows},
	} {
		prog := CheckText("a.weft", fmt.Appendf(nil, `use sparse
e = indices(axis(entry, 0 .. 1 in %[1]d), entry)
row = floor_div(e, %[2]d)
value = cast(1 + mod(e, 7), f32)  @keep
column = cast(16 * mod(row, 20) + mod(e, 48), i32)  @keep
i = indices(axis(i, 0 .. 1 in %[3]d), i)
j = indices(axis(j, 0 .. 1 in %[4]d), j)
a = sparse.matrix(value, column, %[2]d * i, %[2]d * i + %[5]d, j, j)
fn half() = sparse.store(a, j, form: half)
x = 0.1 * cast(j, f32)  @keep
y = 0.1 * cast(i, f32)  @keep
z = x + indices(axis(probe, 0 .. 1 in 16), probe)  @keep
%[6]s | write("out.npy")
`, n, each, rows, columns, each-1, c.text), check.Options{})
		p, err := s.Plan(t.Context(), prog, PlanOptions{AsWritten: true})
		if err != nil {
			t.Fatal(c.name, err, prog.Found.String())
		}
		r, err := s.Run(t.Context(), prog, p, runtime.Options{Discard: true})
		if err != nil {
			t.Fatal(c.name, err)
		}
		var k result.Kernel // the last that goes through the entries
		for _, at := range slices.Backward(r.Kernels) {
			if at.Flops >= n {
				k = at
				break
			}
		}
		if math.Abs(k.Flops-c.flops) > 0.1*c.flops {
			t.Errorf("%s: %s is said to take %g flops, and takes %g", c.name, k.Name, k.Flops, c.flops)
		}
		if math.Abs(float64(k.Bytes)-c.bytes) > 0.1*c.bytes {
			t.Errorf("%s: %s is said to move %d bytes, and moves %g", c.name, k.Name, k.Bytes, c.bytes)
		}
	}
}
