package native

import (
	"cmp"
	"context"
	"errors"
	"os"
	"testing"

	"weft/kernels/cache"
	"weft/kernels/cache/cachetest"
	"weft/kernels/codegen/c"
)

// common is a cache that tests share which do not look at it.
var common = cachetest.Folder()

// open returns a device for one instruction set (empty: the best) on the common cache, or skips the test.
func open(t testing.TB, isa string) *Device { return openIn(t, isa, common) }

// quick is open, of a device that does not optimise: for tests that compile much and ask for no more than what kernels mean.
func quick(t testing.TB, isa string) *Device {
	t.Helper()
	return quickIn(t, isa, common)
}

func quickIn(t testing.TB, isa, cache string) *Device {
	t.Helper()
	return openWith(t, Config{Compilers: []string{cmp.Or(os.Getenv("WEFT_CC"), "cc") + " -O0"}, ISA: isa, Cache: cache})
}

// fresh returns a device with an empty cache of its own.
func fresh(t testing.TB) *Device { return openIn(t, "", t.TempDir()) }

func openIn(t testing.TB, isa, cache string) *Device {
	t.Helper()
	c := FromEnv()
	c.ISA, c.Cache = isa, cache
	return openWith(t, c)
}

func openWith(t testing.TB, c Config) *Device {
	t.Helper()
	d, err := New(c)
	if errors.Is(err, ErrNoCompiler) {
		t.Skip(err)
	}
	if err != nil {
		if c.ISA != "" && !supported(t, c.ISA) {
			t.Skip(err)
		}
		t.Fatal(err)
	}
	return d
}

// supported reports that the machine's best instruction set includes isa.
func supported(t testing.TB, isa string) bool {
	d, err := New(Config{Cache: common})
	if err != nil {
		t.Fatal(err)
	}
	for _, l := range levels {
		if l.target.ISA == isa {
			return len(l.lack(d.compiler.Macros)) == 0
		}
	}
	return true
}

// buildC compiles C text that follows the prelude and loads a symbol of it.
func buildC(t testing.TB, d *Device, text string, symbols ...string) []uintptr {
	t.Helper()
	dir := t.TempDir()
	if err := cache.Write(dir+"/test.c", []byte(c.Prelude(d.target)+text)); err != nil {
		t.Fatal(err)
	}
	if err := d.compiler.compile(context.Background(), d.flags(), dir+"/test.c", dir+"/test.so"); err != nil {
		t.Fatal(err)
	}
	out := make([]uintptr, len(symbols))
	for i, s := range symbols {
		a, err := load(dir+"/test.so", s)
		if err != nil {
			t.Fatal(err)
		}
		out[i] = a
	}
	return out
}
