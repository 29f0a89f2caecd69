package native

import (
	"bytes"
	"fmt"
	"sync"
	"sync/atomic"
	"testing"

	"weft/kernels/device"
	"weft/kernels/ir"
)

// Threads that ask take part in launches under way, of which all make the same bits as one thread alone; nobody waits for what is never given.
func TestThreadsShareLaunches(t *testing.T) {
	d := open(t, "")
	for _, typ := range []ir.DType{ir.F32, ir.F64} {
		for _, lies := range []string{"AB", "ABt"} {
			t.Run(fmt.Sprint(typ, lies), func(t *testing.T) {
				k := product(typ, 211, 203, 20011, lies, false)
				programs, err := d.Compile(t.Context(), []*ir.Kernel{k}, device.Options{})
				if err != nil {
					t.Fatal(err)
				}
				p := programs[0].(device.Shared)
				b, _ := filled(t, d, k)
				plain, err := p.Bind(b)
				if err != nil {
					t.Fatal(err)
				}
				if err := plain(k.Domain()); err != nil {
					t.Fatal(err)
				}
				made := b.Mem[k.Outputs()[0]].Host()
				want := bytes.Clone(made)
				launch, assist, err := p.BindShared(b)
				if err != nil {
					t.Fatal(err)
				}
				if assist == nil {
					t.Fatalf("%s shares nothing", p.Report().Schedule)
				}
				if assist() {
					t.Error("a part of a launch, and none is under way")
				}
				var parts atomic.Int64
				for range 12 {
					clear(made)
					var all sync.WaitGroup
					begun, ended := make(chan bool), make(chan bool)
					all.Go(func() {
						close(begun)
						if err := launch(k.Domain()); err != nil {
							t.Error(err)
						}
						close(ended)
					})
					for range 3 {
						all.Go(func() {
							<-begun
							for {
								if assist() {
									parts.Add(1)
								}
								select {
								case <-ended:
									return
								default:
								}
							}
						})
					}
					all.Wait()
					if !bytes.Equal(made, want) {
						t.Fatal("not the same bits as without help")
					}
				}
				if parts.Load() == 0 {
					t.Error("nobody was given anything")
				}
			})
		}
	}
}

// Who asks a launch that ends before it gives anything is told so.
func TestAskingEnds(t *testing.T) {
	d := open(t, "")
	k := product(ir.F64, 40, 70, 20011, "AB", false)
	programs, err := d.Compile(t.Context(), []*ir.Kernel{k}, device.Options{})
	if err != nil {
		t.Fatal(err)
	}
	b, _ := filled(t, d, k)
	launch, assist, err := programs[0].(device.Shared).BindShared(b)
	if err != nil || assist == nil {
		t.Fatalf("%s: %v", programs[0].Report().Schedule, err)
	}
	var all sync.WaitGroup
	for range 100 {
		all.Go(func() { assist() })
		if err := launch(k.Domain()); err != nil {
			t.Fatal(err)
		}
		all.Wait()
	}
}
