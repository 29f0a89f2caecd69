package array

import (
	"slices"
	"testing"

	"weft/ops"
	"weft/ops/optest"
	"weft/ops/shape"
)

func spec(t testing.TB, name string) *ops.Spec {
	t.Helper()
	return optest.Named(t, slices.Concat(Specs(), shape.Specs()), name)
}
