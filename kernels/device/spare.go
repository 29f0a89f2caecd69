package device

import (
	"fmt"
	"slices"
	"sync"

	"weft/kernels/ir"
)

// Spare keeps the huge pages of arrays that are freed for arrays that come: the system clears new pages, which takes as long as a short kernel that
// stores them. New pages are taken when no spare ones are left, so that arrays and spare pages together are never more than the arrays were at
// once. The zero value has none. All methods are safe for concurrent use.
type Spare struct {
	mu    sync.Mutex
	parts []part
}

// part is whole huge pages, with the ends of those that were moved there together.
type part struct {
	pages []byte
	ends  []int
}

// Keep frees memory. Where it is large memory of the host, its pages stay.
func (s *Spare) Keep(m Memory) {
	h, ok := m.(*HostMemory)
	if !ok || !gathers || len(h.pages) < HugePage {
		m.Free()
		return
	}
	h.once.Do(func() {
		s.mu.Lock()
		defer s.mu.Unlock()
		s.parts = append(s.parts, part{h.pages, h.ends})
		h.data, h.pages = nil, nil
	})
}

// Take is NewHostMemory with spare pages, as far as there are any; nil where there are none, or the buffer is small. Memory that is not to be zeroed holds
// anything but for margins and padding.
func (s *Spare) Take(buf *ir.Buffer, zeroed bool) (*HostMemory, error) {
	bytes, err := hostBytes(buf)
	if err != nil {
		return nil, err
	}
	margin := MarginBytes(buf)
	got, used, err := s.take(bytes + 2*margin)
	pages := got.pages
	if err != nil {
		return nil, fmt.Errorf("no memory for buffer %s %v of %s, %d bytes: %w", buf.Name, buf.Shape, buf.Type, bytes, err)
	}
	if pages == nil {
		return nil, nil
	}
	m := &HostMemory{buf: buf, data: pages[margin : margin+bytes : margin+bytes], pages: pages, ends: got.ends}
	if zeroed {
		clear(pages[:used])
	} else {
		clear(pages[:margin])
		clear(pages[margin+bytes : margin+bytes+margin])
		m.clearPadding()
	}
	m.fillPadding()
	return m, nil
}

// take gives as many bytes, and how many of them may not be zero.
func (s *Spare) take(bytes int) (got part, used int, err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if len(s.parts) == 0 || bytes < HugePage {
		return part{}, 0, nil
	}
	bytes = (bytes + HugePage - 1) / HugePage * HugePage
	if i := slices.IndexFunc(s.parts, func(p part) bool { return len(p.pages) == bytes }); i >= 0 {
		got = s.parts[i]
		s.parts = slices.Delete(s.parts, i, i+1)
		return got, bytes, nil
	}
	slices.SortFunc(s.parts, func(x, y part) int { return len(y.pages) - len(x.pages) })
	var moved [][]byte
	for used < bytes && len(s.parts) > 0 {
		first := s.parts[0]
		p, rest := first.pages, part{}
		if len(first.ends) > 0 {
			end := first.ends[0]
			rest.pages, p = p[end:], p[:end:end]
			for _, e := range first.ends[1:] {
				rest.ends = append(rest.ends, e-end)
			}
		}
		n := min(len(p), bytes-used)
		s.parts = s.parts[1:]
		for _, left := range []part{{pages: p[n:]}, rest} {
			if len(left.pages) > 0 {
				s.parts = append(s.parts, left)
			}
		}
		moved, used = append(moved, p[:n:n]), used+n
		if used < bytes {
			got.ends = append(got.ends, used)
		}
	}
	got.pages, err = gather(bytes, moved)
	return got, used, err
}

// Release gives the pages back.
func (s *Spare) Release() {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, p := range s.parts {
		if err := unmap(p.pages); err != nil {
			panic(fmt.Sprintf("device: freeing spare pages: %v", err))
		}
	}
	s.parts = nil
}
