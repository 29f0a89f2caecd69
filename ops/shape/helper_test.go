package shape

import (
	"testing"

	"weft/ops"
	"weft/ops/optest"
)

func spec(t testing.TB, name string) *ops.Spec {
	t.Helper()
	return optest.Named(t, Specs(), name)
}
