package device

import (
	"context"
	"math"
	"strings"
	"testing"

	"weft/kernels/ir"
)

func TestCopies(t *testing.T) {
	m := allocated(t, &ir.Buffer{Name: "b", Type: ir.U8, Shape: []int{5}})
	if err := Write(t.Context(), m, 2, []byte{7, 8}); err != nil {
		t.Fatal(err)
	}
	got := make([]byte, 3)
	if err := Read(t.Context(), m, got, 1); err != nil || got[0] != 0 || got[1] != 7 || got[2] != 8 {
		t.Errorf("got %v, %v", got, err)
	}
	for _, c := range []struct {
		offset int64
		n      int
	}{{-1, 1}, {5, 1}, {6, 0}, {0, 6}, {math.MaxInt64, 2}} {
		if err := Write(t.Context(), m, c.offset, make([]byte, c.n)); err == nil || !strings.Contains(err.Error(), "not within the 5 bytes") {
			t.Errorf("%d bytes at %d: %v", c.n, c.offset, err)
		}
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if err := Read(ctx, m, got, 0); err == nil {
		t.Error("a copy after cancellation")
	}
}
