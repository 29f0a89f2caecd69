package memory

import (
	"os"
	"slices"
	"unsafe"

	"weft/kernels/device"
)

// reserved are the addresses of a buffer of which parts have memory: what is touched has, until it is dropped. Pages that are dropped stay idle for parts
// that come, since the system clears new ones, which takes longer than to read what they are for; so there are never more than there were at once. What
// comes holds anything.
type reserved struct {
	all  []byte
	raw  []byte // with margins
	data []byte
	huge bool   // in huge pages
	idle []span // pages of parts that were dropped, which lie where they lay
	cuts []int  // where memory that was moved begins and ends, in order: across them none is moved together
}

// span is from one place in raw to another.
type span struct{ from, to int }

// leastMoved is what is worth a call of the system.
const leastMoved = 64 << 10

// newReserved reserves the addresses of so many bytes, which begin with a huge page, between margins.
func newReserved(bytes, margin int) (*reserved, error) {
	all, err := reserve(bytes + 2*margin + device.HugePage)
	if err != nil {
		return nil, err
	}
	first := -(int(uintptr(unsafe.Pointer(unsafe.SliceData(all)))) + margin) & (device.HugePage - 1)
	raw := all[first : first+bytes+2*margin]
	return &reserved{all: all, raw: raw, data: raw[margin : margin+bytes : margin+bytes]}, nil
}

// enlarge asks for huge pages, as long as nothing is there, if there is enough for them.
func (r *reserved) enlarge() {
	if r.huge = len(r.data) >= hugeFrom; r.huge {
		adviseHuge(r.all)
	}
}

// unit is the size of the pages.
func (r *reserved) unit() int {
	if r.huge {
		return device.HugePage
	}
	return os.Getpagesize()
}

// margin is how far data is within raw.
func (r *reserved) margin() int { return (len(r.raw) - len(r.data)) / 2 }

// down is the place in raw where the page begins that a place in data is in, and up the first one from there on where one begins.
func (r *reserved) down(at int) int { return r.up(at - r.unit() + 1) }
func (r *reserved) up(at int) int   { return r.margin() + (at+r.unit()-1)&^(r.unit()-1) }

// stays takes the pages between two places of raw from those that are idle: something of them comes.
func (r *reserved) stays(from, to int) {
	var rest []span
	for _, s := range r.idle {
		for _, part := range []span{{s.from, min(s.to, from)}, {max(s.from, to), s.to}} {
			if part.from < part.to {
				rest = append(rest, part)
			}
		}
	}
	r.idle = rest
}

// ready gives what lies between two places of raw pages that are idle, as far as there are any. Nothing else may be there.
func (r *reserved) ready(from, to int) {
	gaps := []span{{from, to}}
	for i := 0; i < len(r.idle); i++ { // what lies there itself stays
		s := r.idle[i]
		g := slices.IndexFunc(gaps, func(g span) bool { return max(g.from, s.from) < min(g.to, s.to) })
		if g < 0 {
			continue
		}
		gap := gaps[g]
		gaps = append(slices.Delete(gaps, g, g+1), span{gap.from, max(gap.from, s.from)}, span{min(gap.to, s.to), gap.to})
		r.idle = slices.Delete(r.idle, i, i+1)
		for _, rest := range []span{{s.from, gap.from}, {gap.to, s.to}} {
			if rest.from < rest.to {
				r.idle = append(r.idle, rest)
			}
		}
		i--
	}
	for _, g := range gaps {
		r.fill(g)
	}
	r.idle = slices.DeleteFunc(r.idle, func(s span) bool { // ends that fit nothing
		short := s.to-s.from < (to-from)/4
		if short {
			discard(r.raw[s.from:s.to])
		}
		return short
	})
}

// fill moves idle pages to a place.
func (r *reserved) fill(at span) {
	for at.from < at.to && len(r.idle) > 0 {
		last := &r.idle[len(r.idle)-1]
		n := min(at.to-at.from, last.to-last.from)
		if i, _ := slices.BinarySearch(r.cuts, last.to); i > 0 {
			n = min(n, last.to-r.cuts[i-1])
		}
		switch pages := r.raw[last.to-n : last.to]; {
		case n < leastMoved:
			discard(pages)
		case !move(pages, r.raw[at.from:at.from+n]):
			r.release()
			return
		default:
			r.cut(at.from, at.from+n)
			at.from += n
		}
		if last.to -= n; last.from == last.to {
			r.idle = r.idle[:len(r.idle)-1]
		}
	}
}

// cut notes that what lies between two places was moved there together.
func (r *reserved) cut(from, to int) {
	i, _ := slices.BinarySearch(r.cuts, from)
	j, found := slices.BinarySearch(r.cuts, to)
	if found {
		j++
	}
	r.cuts = slices.Replace(r.cuts, i, j, from, to)
}

// drop gives up what lies between two places of raw, which are whole pages.
func (r *reserved) drop(from, to int) {
	switch {
	case from >= to:
	case !moves || to-from < leastMoved:
		discard(r.raw[from:to])
	default:
		r.idle = append(r.idle, span{from, to})
	}
}

// release gives idle pages back to the system.
func (r *reserved) release() {
	for _, s := range r.idle {
		discard(r.raw[s.from:s.to])
	}
	r.idle = nil
}

// free gives all of it back.
func (r *reserved) free() error {
	r.data = nil
	return giveBack(r.all)
}
