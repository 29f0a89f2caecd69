// Package cache keeps unpacked blocks for those who want them again.
package cache

import (
	"container/list"
	"sync"

	"weft/ops/files/words"
)

// Cache keeps unpacked blocks, the latest used ones, up to a number of bytes. A block that several goroutines want at
// once is unpacked by one of them.
type Cache struct {
	mu     sync.Mutex
	most   int64
	held   int64
	blocks map[int]*entry
	idle   *list.List // of *entry that nobody uses, the latest used one in front
}

type entry struct {
	index int
	users int
	idle  *list.Element // nil while in use
	ready chan struct{} // closed once data or err is there
	data  []byte
	err   error
}

// New keeps up to so many bytes.
func New(most int64) *Cache {
	return &Cache{most: most, blocks: map[int]*entry{}, idle: list.New()}
}

// Keep sets the bytes of blocks that are kept for later, beside those in use.
func (c *Cache) Keep(bytes int64) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.most = bytes
	c.evict(0)
}

// Held is the bytes of the blocks that are kept or in use.
func (c *Cache) Held() int64 { return c.held }

// With calls use with the bytes of a block. unpack makes them from a buffer of the same size, holding anything.
func (c *Cache) With(index, size int, unpack func([]byte) error, use func([]byte) error) error {
	e, mine := c.take(index, size)
	defer c.drop(e)
	if mine {
		e.err = unpack(e.data)
		close(e.ready)
	} else {
		<-e.ready
	}
	if e.err != nil {
		return e.err
	}
	return use(e.data)
}

// take marks a block as used. mine says that the caller has to unpack it.
func (c *Cache) take(index, size int) (e *entry, mine bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if e, known := c.blocks[index]; known {
		e.users++
		if e.idle != nil {
			c.idle.Remove(e.idle)
			e.idle = nil
		}
		return e, false
	}
	spare := c.evict(int64(size))
	e = &entry{index: index, users: 1, ready: make(chan struct{}), data: words.Resized(spare, size)}
	c.blocks[index] = e
	c.held += int64(size)
	return e, true
}

// drop ends the use of a block. One that could not be unpacked is forgotten, so that the next reader tries again.
func (c *Cache) drop(e *entry) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if e.users--; e.users > 0 {
		return
	}
	e.idle = c.idle.PushFront(e)
	if e.err != nil {
		c.forget(e)
	}
	c.evict(0)
}

// evict forgets the blocks used longest ago, until as many more bytes fit. It gives the memory of one of them.
func (c *Cache) evict(more int64) (spare []byte) {
	for c.held+more > c.most && c.idle.Len() > 0 {
		e := c.idle.Back().Value.(*entry)
		c.forget(e)
		if cap(e.data) > cap(spare) {
			spare = e.data
		}
	}
	return spare
}

func (c *Cache) forget(e *entry) {
	c.idle.Remove(e.idle)
	delete(c.blocks, e.index)
	c.held -= int64(len(e.data))
}
