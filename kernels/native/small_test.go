package native

import (
	"sync"
	"testing"

	"weft/kernels/device"
	"weft/kernels/region"
)

// What is for tiles smaller than a step alone is compiled when the first of them comes, once, or with the rest where they are announced. It stores
// the same bits.
func TestSmallTilesAreCompiledWhenTheyCome(t *testing.T) {
	const n = 1000
	for _, announced := range []bool{false, true} {
		d := quickIn(t, "", t.TempDir())
		s := newShifted("small", n)
		p := compileOne(t, d, s.kernel, device.Options{Small: announced})
		objects := d.store.objects()
		whole, parts := s.bindings(t, d, 2), s.bindings(t, d, 2)
		launch, err := p.Bind(whole)
		if err != nil {
			t.Fatal(err)
		}
		if err := launch(region.Region{{Lo: 0, Hi: n}}); err != nil {
			t.Fatal(err)
		}
		if got := d.store.objects(); got != objects {
			t.Errorf("announced %v: a large tile made %d objects", announced, got-objects)
		}
		if launch, err = p.Bind(parts); err != nil {
			t.Fatal(err)
		}
		var group sync.WaitGroup
		for at := 0; at < n; at += 3 {
			group.Go(func() {
				if err := launch(region.Region{{Lo: at, Hi: min(n, at+3)}}); err != nil {
					t.Error(err)
				}
			})
		}
		group.Wait()
		s.check(t, parts, 2)
		if want, got := string(whole.Mem[s.out].Host()), string(parts.Mem[s.out].Host()); got != want {
			t.Errorf("announced %v: small tiles store other bits", announced)
		}
		want := 1
		if announced {
			want = 0
		}
		if got := d.store.objects() - objects; got != want {
			t.Errorf("announced %v: small tiles made %d objects, want %d", announced, got, want)
		}
	}
}
