package emulated

import (
	"errors"
	"os"
	"testing"

	"weft/kernels/cache/cachetest"
	"weft/kernels/native"
)

func TestMain(m *testing.M) {
	cachetest.OptimiseLittle()
	os.Exit(m.Run())
}

func host(t testing.TB) *native.Device {
	t.Helper()
	c := native.FromEnv()
	c.Cache = cachetest.Folder()
	d, err := native.New(c)
	if errors.Is(err, native.ErrNoCompiler) {
		t.Skip(err)
	}
	if err != nil {
		t.Fatal(err)
	}
	return d
}

// open makes the one device of a description.
func open(t testing.TB, text string, opt Options) *Device {
	t.Helper()
	list, err := Parse([]byte("devices:\n  - " + text))
	if err != nil {
		t.Fatal(err)
	}
	return New(host(t), list, opt)[0]
}
