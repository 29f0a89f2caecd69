package native

import (
	"slices"
	"strings"
	"testing"
)

// Long sources are compiled at the first level, apart from the others; nothing is left out.
func TestLongSourcesAreCompiledApart(t *testing.T) {
	var variants []*variant
	for _, size := range []int{100, longSource + 1, 3000, 2 * longSource, longSource} {
		v := &variant{level: levelOf(strings.Repeat("x", size)), weight: size}
		if want := map[bool]string{true: "-O1", false: "-O2"}[size > longSource]; v.level != want {
			t.Errorf("%d characters are compiled at %s, want %s", size, v.level, want)
		}
		variants = append(variants, v)
	}
	for parts := 1; parts < 5; parts++ {
		var all []*variant
		for _, u := range byLevel(variants, parts) {
			for _, v := range u {
				if all = append(all, v); v.level != u[0].level {
					t.Errorf("%d parts: one has kernels of both levels", parts)
				}
			}
		}
		if len(all) != len(variants) || slices.ContainsFunc(variants, func(v *variant) bool { return !slices.Contains(all, v) }) {
			t.Errorf("%d parts hold %d kernels of %d", parts, len(all), len(variants))
		}
	}
}
