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
	parts [][]byte // whole huge pages each
}

// Keep frees memory. Where it is large memory of the host, its pages stay.
func (s *Spare) Keep(m Memory) {
	h, ok := m.(*HostMemory)
	if !ok || !gathers || len(h.pages) < hugePage {
		m.Free()
		return
	}
	h.once.Do(func() {
		s.mu.Lock()
		defer s.mu.Unlock()
		s.parts = append(s.parts, h.pages)
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
	pages, used, err := s.take(bytes + 2*margin)
	if err != nil {
		return nil, fmt.Errorf("no memory for buffer %s %v of %s, %d bytes: %w", buf.Name, buf.Shape, buf.Type, bytes, err)
	}
	if pages == nil {
		return nil, nil
	}
	m := &HostMemory{buf: buf, data: pages[margin : margin+bytes : margin+bytes], pages: pages}
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
func (s *Spare) take(bytes int) (pages []byte, used int, err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if len(s.parts) == 0 || bytes < hugePage {
		return nil, 0, nil
	}
	bytes = (bytes + hugePage - 1) / hugePage * hugePage
	if i := slices.IndexFunc(s.parts, func(p []byte) bool { return len(p) == bytes }); i >= 0 {
		pages = s.parts[i]
		s.parts = slices.Delete(s.parts, i, i+1)
		return pages, bytes, nil
	}
	slices.SortFunc(s.parts, func(x, y []byte) int { return len(y) - len(x) })
	var parts [][]byte
	for used < bytes && len(s.parts) > 0 {
		p := s.parts[0]
		n := min(len(p), bytes-used)
		if s.parts = s.parts[1:]; n < len(p) {
			s.parts = append(s.parts, p[n:])
		}
		parts, used = append(parts, p[:n:n]), used+n
	}
	pages, err = gather(bytes, parts)
	return pages, used, err
}

// Release gives the pages back.
func (s *Spare) Release() {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, p := range s.parts {
		if err := unmap(p); err != nil {
			panic(fmt.Sprintf("device: freeing spare pages: %v", err))
		}
	}
	s.parts = nil
}
