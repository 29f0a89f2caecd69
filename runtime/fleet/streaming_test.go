package fleet

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"weft/kernels/device"
	"weft/kernels/emulated"
	"weft/kernels/ir"
	"weft/kernels/region"
)

// member is an emulated device, which needs no compiler as long as it only copies.
func member(t *testing.T, description string) *Member {
	t.Helper()
	list, err := emulated.Parse([]byte("devices: [" + description + "]"))
	if err != nil {
		t.Fatal(err)
	}
	return New([]device.Device{emulated.New(nil, list, emulated.Options{})[0]}, Options{}).members[0]
}

// long is an array of several chunks, in one piece or in lines, with something in it.
func long(pad ir.Pad) Array {
	a := Array{Buf: &ir.Buffer{Name: "long", Type: ir.U8, Shape: []int{4096, 2500}, Pad: pad}}
	a.Data = make([]byte, a.Buf.Bytes())
	r := rand.New(rand.NewPCG(1, 2))
	for i := range a.Data {
		a.Data[i] = byte(r.Uint32())
	}
	return a
}

// Long copies take as long as the link does: the host fills and empties memory meanwhile, and is not waited for between parts. What arrives is what was sent, with one piece of
// page-locked memory as with two.
func TestLongCopiesAreNotWaitedForInParts(t *testing.T) {
	const each = 4 * time.Millisecond // that a chunk takes on the link
	for _, c := range []struct {
		pins  string
		pad   ir.Pad
		parts int
		most  time.Duration // between parts
	}{
		{"", ir.Pad{}, 3, 0},
		{"", ir.Pad{Before: 700, After: 3}, 3, 0},
		{", failures: [{on: pin, at: 2}, {on: pin, at: 3}]", ir.Pad{}, 3, 2 * time.Millisecond},
	} {
		synctest.Test(t, func(t *testing.T) {
			a := long(c.pad)
			m := member(t, fmt.Sprintf("{pace: 1, sync: 1ms, link: {rate: %g}%s}", chunk/each.Seconds(), c.pins))
			mem, err := m.dev.Alloc(a.Buf)
			if err != nil {
				t.Fatal(err)
			}
			defer mem.Free()
			s := &staging{m: m, stage: "test"}
			s.borrow()
			back := Array{Buf: a.Buf, Data: slices.Clone(a.Data)}
			for i := range back.Data {
				back.Data[i] = 0
			}
			takes(t, s, upload, a, mem, each, c.parts, c.most)
			takes(t, s, download, back, mem, each, c.parts, c.most)
			s.close()
			m.unpin()
			for y := range 4096 {
				row := y*a.Buf.Row() + c.pad.Before
				if !bytes.Equal(a.Data[row:row+2500], back.Data[row:row+2500]) {
					t.Fatalf("row %d is another after it came back", y)
				}
			}
			if u := m.report(); u.BytesIn != 4096*2500 || u.BytesOut != u.BytesIn || u.PinsRefused > 0 {
				t.Errorf("%+v", u)
			}
		})
	}
}

func takes(t *testing.T, s *staging, lane int, a Array, mem device.Memory, each time.Duration, parts int, between time.Duration) {
	t.Helper()
	start := time.Now()
	if _, err := s.copy(t.Context(), lane, a, mem, region.Whole(a.Buf.Shape...), true); err != nil {
		t.Fatal(err)
	}
	link := time.Duration(float64(each) * 4096 * 2500 / chunk)
	most := link + time.Millisecond + time.Duration(parts-1)*between // the last part is waited for
	if took := time.Since(start); took < link || took > most {
		t.Errorf("%s: %v, the link alone %v, at most %v", laneNames[lane], took, link, most)
	}
}

// Whichever part of a copy fails, the copy does, with its reason, and nothing is left under way.
func TestLongCopiesFail(t *testing.T) {
	for _, on := range []string{"upload", "download"} {
		for _, kind := range []string{"fail", "lost"} {
			for at := 1; at <= 3; at++ {
				a := long(ir.Pad{})
				m := member(t, fmt.Sprintf("{failures: [{on: %s, at: %d, kind: %s}]}", on, at, kind))
				mem, err := m.dev.Alloc(a.Buf)
				if err != nil {
					t.Fatal(err)
				}
				s := &staging{m: m, stage: "test"}
				s.borrow()
				_, in := s.copy(t.Context(), upload, a, mem, region.Whole(a.Buf.Shape...), true)
				_, out := s.copy(t.Context(), download, a, mem, region.Whole(a.Buf.Shape...), true)
				failed, other := in, out
				if on == "download" {
					failed, other = out, in
				}
				if failed == nil || !strings.Contains(failed.Error(), fmt.Sprintf("%s %d", on, at)) || kind == "fail" && other != nil {
					t.Errorf("%s %d, %s: in %v, out %v", on, at, kind, in, out)
				}
				s.close()
				m.unpin()
				mem.Free()
			}
		}
	}
}
