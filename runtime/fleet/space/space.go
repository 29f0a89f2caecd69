// Package space holds memory of a device for parts of arrays that are larger than it.
package space

import (
	"errors"
	"fmt"
	"sync"

	"weft/kernels/device"
)

// Slots is how many ranges a device has at once: one being uploaded, one computed, one downloaded.
const Slots = 3

// Space is memory of a device for parts of arrays, taken once for all ranges of a job: places of one size, as many as there are slots. A range that needs more than
// one takes several that lie together.
type Space struct {
	dev   device.Roomy
	retry func(error)   // hears that there is less than it should be
	least int64         // that the smallest range needs
	order chan struct{} // taken by who waits for places, so that who needs several is not overtaken

	mu    sync.Mutex
	given sync.Cond
	room  device.Room // nil: there is none any more
	size  int64       // of the room
	place int64       // of each place; the last goes up to the end
	avail int64       // that all places may take together
	busy  [Slots]bool
}

// ErrCut is of a range that has to be cut, because there is less room than there was.
var ErrCut = errors.New("there is less room than there was")

// New takes room for ranges of which the largest, as far as is known, and the smallest need so many bytes.
func New(dev device.Roomy, avail, largest, least int64, retry func(error)) (*Space, error) {
	s := &Space{dev: dev, avail: avail, least: least, retry: retry, order: make(chan struct{}, 1)}
	s.given.L = &s.mu
	return s, s.claim(max(least, min(avail, Slots*(largest+device.ViewStep))))
}

// claim takes a room of about so many bytes: what a device says to have is not always all to be had. Of who has the lock, or alone has the space.
func (s *Space) claim(bytes int64) error {
	for {
		room, err := s.dev.AllocRoom(bytes)
		if err == nil {
			s.room, s.size, s.place = room, bytes, bytes/Slots/device.ViewStep*device.ViewStep
			return nil
		}
		if bytes -= bytes / 8; !errors.Is(err, device.ErrMemory) || bytes < s.least {
			return err
		}
		s.retry(err)
		s.avail = bytes
	}
}

// Each is how large a place is, and all of them may be.
func (s *Space) Each() (place, avail int64) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.place, s.avail
}

// Take waits for room for so many bytes, from a byte of the room on.
func (s *Space) Take(bytes int64) (room device.Room, from int64, give func(), err error) {
	s.order <- struct{}{}
	defer func() { <-s.order }()
	s.mu.Lock()
	defer s.mu.Unlock()
	if bytes > s.avail {
		return nil, 0, nil, ErrCut
	}
	if bytes > s.size { // ranges differ
		if err := s.exchange(s.avail); err != nil {
			return nil, 0, nil, err
		}
		if bytes > s.size {
			return nil, 0, nil, ErrCut
		}
	}
	for {
		if s.room == nil {
			return nil, 0, nil, fmt.Errorf("%w: there is no room for parts of arrays any more", device.ErrMemory)
		}
		n := Slots
		if bytes <= s.place*(Slots-1) {
			n = max(1, int((bytes+s.place-1)/s.place))
		}
		for i := range Slots - n + 1 {
			if s.idle(i, i+n) {
				s.mark(i, i+n, true)
				return s.room, int64(i) * s.place, func() {
					s.mu.Lock()
					defer s.mu.Unlock()
					s.mark(i, i+n, false)
					s.given.Broadcast()
				}, nil
			}
		}
		s.given.Wait()
	}
}

func (s *Space) idle(from, to int) bool {
	for _, busy := range s.busy[from:to] {
		if busy {
			return false
		}
	}
	return true
}

func (s *Space) mark(from, to int, busy bool) {
	for i := range s.busy[from:to] {
		s.busy[from+i] = busy
	}
}

// exchange takes another room, once nobody uses the one that is there; of who has the order and the lock.
func (s *Space) exchange(bytes int64) error {
	for !s.idle(0, Slots) {
		s.given.Wait()
	}
	s.drop()
	return s.claim(bytes)
}

func (s *Space) drop() {
	if s.room != nil {
		s.room.Free()
	}
	s.room, s.size, s.place = nil, 0, 0
}

// Halve leaves half of the room to what else a device needs memory for; false where the smallest range would not fit any more.
func (s *Space) Halve(err error) bool {
	s.order <- struct{}{}
	defer func() { <-s.order }()
	s.mu.Lock()
	defer s.mu.Unlock()
	half := s.size / 2
	if half < s.least {
		return false
	}
	s.retry(err)
	s.avail = half
	return s.exchange(half) == nil
}

// Close gives the room back.
func (s *Space) Close() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.drop()
}
