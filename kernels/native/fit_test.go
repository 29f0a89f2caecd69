package native

import (
	"bytes"
	"fmt"
	"testing"
	"testing/synctest"

	"weft/kernels/codegen/c"
	"weft/kernels/device"
	"weft/kernels/ir"
	"weft/kernels/schedule"
)

// On any number of threads, launches of products of any size take together no more than they may; on one or two they are as without a limit, up to 4,096 rows.
func TestChunksFitAllThreads(t *testing.T) {
	const all = 48 << 20
	for _, threads := range []int{1, 2, 3, 4, 8, 16, 24} {
		d, err := Describing("avx512")
		if err != nil {
			t.Fatal(err)
		}
		d.most, d.each = all, each(all, threads)
		for _, typ := range []ir.DType{ir.F32, ir.F64} {
			for _, n := range []int{300, 1000, 2500, 4096, 9000, 20000} {
				for _, lies := range []string{"AB", "ABt"} {
					k := product(typ, n, n, n, lies, false)
					was, err := d.render(k, schedule.Default(k, d.target), c.Way{})
					if err != nil {
						t.Fatal(err)
					}
					v, err := d.fitting(k, was.schedule)
					if err != nil {
						t.Fatal(err)
					}
					if got := int64(threads) * paged(v.out.Scratch); got > all {
						t.Errorf("%s %s of %d on %d threads: %d KiB, %s", typ, lies, n, threads, got>>10, v.schedule.Text(k))
					}
					if threads <= 2 && n <= 4096 && v.key != was.key {
						t.Errorf("%s %s of %d on %d threads: %s, and it was %s", typ, lies, n, threads, v.schedule.Text(k), was.schedule.Text(k))
					}
					if !schedule.AddsAlike(k, d.target, v.schedule) {
						t.Errorf("%s %s of %d on %d threads is added up in another order", typ, lies, n, threads)
					}
				}
			}
		}
	}
}

// Results are the same to the bit in chunks that fit, whole and in slices.
func TestChunksThatFitComputeTheSame(t *testing.T) {
	d := open(t, "")
	for _, typ := range []ir.DType{ir.F32, ir.F64} {
		k := product(typ, 310, 290, 1100, "AB bias", false)
		var want []byte
		splits := map[int]bool{}
		for _, most := range []int64{0, 2 << 20, 1200 << 10, 600 << 10, 256 << 10} {
			d.each = most
			v, err := d.fitting(k, schedule.Default(k, d.target))
			if err != nil {
				t.Fatal(err)
			}
			if most > 0 && int64(v.out.Scratch) > most {
				t.Errorf("%s: %d of %d bytes: %s", typ, v.out.Scratch, most, v.schedule.Text(k))
			}
			splits[v.schedule.Split] = true
			if err := d.build(t.Context(), []*variant{v}, nil); err != nil {
				t.Fatal(err)
			}
			b, _ := filled(t, d, k)
			call, err := newCall(v, b)
			if err != nil {
				t.Fatal(err)
			}
			if err := call.launch(k.Domain()); err != nil {
				t.Fatal(err)
			}
			got := b.Mem[k.Outputs()[0]].Host()
			if want == nil {
				want = bytes.Clone(got)
			}
			if !bytes.Equal(got, want) {
				t.Errorf("%s: other bits within %d bytes: %s", typ, most, v.schedule.Text(k))
			}
		}
		if len(splits) < 2 {
			t.Errorf("%s: nothing was sliced", typ)
		}
	}
}

// As many launches run at once as there is memory for what they take; one that takes more than there is runs alone.
func TestLaunchesWaitForMemory(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		const most = 3 << 20
		p := newPool()
		take := func(bytes int) *device.HostMemory {
			m, err := p.take(bytes, most)
			if err != nil {
				t.Error(err)
			}
			return m
		}
		first, second := take(1<<20), take(1<<20)
		if m, err := p.spared(2<<20, most); m != nil || err != nil {
			t.Errorf("%v, %v where there is no room", m, err)
		}
		var waited []string
		for _, bytes := range []int{1500 << 10, 5 << 20} {
			go func() {
				m := take(bytes)
				waited = append(waited, fmt.Sprint(bytes>>10))
				p.give(m)
			}()
			synctest.Wait()
		}
		if len(waited) > 0 {
			t.Errorf("%v did not wait", waited)
		}
		p.give(first)
		synctest.Wait()
		if fmt.Sprint(waited) != "[1500]" {
			t.Errorf("%v after one was given back", waited)
		}
		p.give(second)
		synctest.Wait()
		if fmt.Sprint(waited) != "[1500 5120]" || p.used != 0 || p.held != paged(5<<20) || len(p.spare) != 1 {
			t.Errorf("%v at the end; %d in use, %d bytes, %d spare", waited, p.used, p.held, len(p.spare))
		}
	})
}
