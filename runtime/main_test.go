package runtime

import (
	"testing"

	"go.uber.org/goleak"

	"weft/kernels/cache/cachetest"
)

func TestMain(m *testing.M) {
	cachetest.Quick()
	goleak.VerifyTestMain(m)
}
