package hdf5

import (
	"math/bits"
)

// denseLinks adds the links that a message says are in a heap.
func (f *file) denseLinks(c *cursor, out *[]link) error {
	c.skip(1)
	if c.int(1)&1 != 0 {
		c.skip(8)
	}
	heap, tree := c.address(), c.address()
	if c.err != nil || f.undefined(heap) {
		return c.err
	}
	return f.dense(heap, tree, 5, func(record, object *cursor) error {
		f.link(object, out)
		return object.err
	})
}

// dense visits what a B-tree of version 2 and a kind finds in a heap.
func (f *file) dense(heap, tree uint64, kind int, visit func(record, object *cursor) error) error {
	h, err := f.heap(heap)
	if err != nil {
		return err
	}
	return f.tree2(tree, kind, func(record *cursor) error {
		if kind == 5 { // names by their hashes
			record.skip(4)
		}
		id := record.within(h.id)
		if id.err != nil {
			return id.err
		}
		object, err := h.object(id)
		if err != nil {
			return err
		}
		return visit(record, object)
	})
}

// heap is a fractal heap: blocks in rows, whose sizes double.
type heap struct {
	*file
	id          int // bytes of what names an object
	offset      int // bytes of a place
	length      int // and of a length
	width       int // blocks in a row
	first, most int // bytes of the first blocks and of the largest that are not divided
	root        uint64
	rows        int // of the root, if it is divided
	checked     bool
}

func (f *file) heap(addr uint64) (*heap, error) {
	c, err := f.cursor(addr, 22+12*f.long+3*f.wide)
	if err != nil {
		return nil, err
	}
	h := &heap{file: f}
	c.mark("FRHP")
	c.skip(1)
	h.id = c.int(2)
	packed := c.int(2)
	h.checked = c.int(1)&2 != 0
	largest := c.int(4)
	c.skip(f.long + f.wide + f.long + f.wide + 8*f.long) // of free space, and how much there is of what
	h.width = c.int(2)
	h.first, h.most = c.length(), c.length()
	most := c.int(2)
	c.skip(2)
	h.root = c.address()
	h.rows = c.int(2)
	c.check(h.width > 0 && h.width&(h.width-1) == 0 && h.first > 0 && h.first&(h.first-1) == 0 && h.most >= h.first && h.most <= mostMeta && most > 0 && most <= 64, "a heap that is none")
	if c.err == nil && packed > 0 {
		return nil, unread("packs names or attributes")
	}
	h.offset, h.length = (most+7)/8, min(enough(uint64(h.most)), enough(uint64(largest)))
	return h, c.err
}

// enough is the bytes that a number takes.
func enough(n uint64) int { return (max(1, bits.Len64(n)) + 7) / 8 }

// object is what an id names.
func (h *heap) object(id *cursor) (*cursor, error) {
	kind := id.int(1) >> 4 & 3
	if id.err == nil && kind == 2 { // it is in the id itself
		return id, nil
	}
	if id.err == nil && kind != 0 {
		return nil, unread("has names or attributes of more bytes than are read")
	}
	at, n := id.uint(h.offset), id.int(h.length)
	if id.err != nil {
		return nil, id.err
	}
	block, start, size, err := h.find(at)
	if err != nil {
		return nil, err
	}
	if at-start > uint64(size) || uint64(n) > uint64(size)-(at-start) {
		return nil, damage("an object beyond its block")
	}
	return h.cursor(block+(at-start), n)
}

// find gives the block that a place is in.
func (h *heap) find(at uint64) (block, start uint64, size int, err error) {
	block, rows := h.root, h.rows
	if rows == 0 {
		return block, 0, h.first, nil
	}
	whole := bits.Len(uint(h.most/h.first)) + 1 // rows of blocks that are not divided
	for range deepest {
		row, begin := 0, uint64(0) // within the block
		size := uint64(h.first)
		for ; row < rows && at-start >= begin+size*uint64(h.width); row++ {
			if begin += size * uint64(h.width); row > 0 {
				size *= 2
			}
			if size > 1<<62/uint64(h.width) {
				return 0, 0, 0, damage("a heap without end")
			}
		}
		if row == rows {
			return 0, 0, 0, damage("a place beyond the heap")
		}
		column := (at - start - begin) / size
		n := uint64(row*h.width) + column
		c, err := h.cursor(block, 5+h.wide+h.offset)
		if err != nil {
			return 0, 0, 0, err
		}
		c.mark("FHIB")
		if c.err != nil {
			return 0, 0, 0, c.err
		}
		if c, err = h.cursor(block+uint64(5+h.wide+h.offset)+n*uint64(h.wide), h.wide); err != nil {
			return 0, 0, 0, err
		}
		block, start = c.address(), start+begin+column*size
		if row < whole {
			return block, start, int(size), nil
		}
		rows = bits.Len64(size / uint64(h.first*h.width)) // of the block within
	}
	return 0, 0, 0, damage("a heap too deep")
}

// tree2 visits the records of a B-tree of version 2.
func (f *file) tree2(addr uint64, kind int, visit func(record *cursor) error) error {
	c, err := f.cursor(addr, 16+f.wide+2+f.long)
	if err != nil {
		return err
	}
	c.mark("BTHD")
	c.skip(1)
	is, node, size, depth := c.int(1), c.int(4), c.int(2), c.int(2)
	c.skip(2)
	root, n := c.address(), c.int(2)
	c.check(is == kind && size > 0 && node > 10+size && node <= mostMeta && depth <= deepest, "a tree that is none")
	if c.err != nil || f.undefined(root) {
		return c.err
	}
	// How many records nodes of each level have at most, and there are below: numbers of them are as wide as these need.
	most := make([]int, depth+1)
	below := make([]uint64, depth+1)
	most[0] = (node - 10) / size
	below[0] = uint64(most[0])
	count := enough(uint64(most[0]))
	pointer := func(level int) int {
		n := f.wide + count
		if level > 1 {
			n += enough(below[level-1])
		}
		return n
	}
	for level := 1; level <= depth; level++ {
		p := pointer(level)
		if most[level] = (node - 10 - p) / (size + p); most[level] < 1 || below[level-1] > 1<<40 {
			return damage("a tree that is none")
		}
		below[level] = uint64(most[level]+1)*below[level-1] + uint64(most[level])
	}
	seen := map[uint64]bool{}
	var visitNode func(addr uint64, level, n int) error
	visitNode = func(addr uint64, level, n int) error {
		if seen[addr] || len(seen) > mostNodes || n > most[level] {
			return damage("a tree that is none")
		}
		seen[addr] = true
		c, err := f.cursor(addr, node)
		if err != nil {
			return err
		}
		mark := "BTLF"
		if level > 0 {
			mark = "BTIN"
		}
		c.mark(mark)
		c.skip(2)
		for range n {
			record := c.within(size)
			if record.err != nil {
				return record.err
			}
			if err := visit(record); err != nil {
				return err
			}
		}
		if level == 0 {
			return c.err
		}
		for range n + 1 {
			child := c.within(pointer(level))
			at, records := child.address(), child.int(count)
			if child.err != nil {
				return child.err
			}
			if err := visitNode(at, level-1, records); err != nil {
				return err
			}
		}
		return c.err
	}
	return visitNode(root, depth, n)
}

// global is an object of a collection of texts and lists.
func (f *file) global(addr, number uint64) ([]byte, error) {
	all, known := f.collections[addr]
	if !known {
		c, err := f.cursor(addr, 8+f.long)
		if err != nil {
			return nil, err
		}
		c.mark("GCOL")
		c.skip(4)
		size := c.length()
		c.check(size >= 8+f.long, "a collection of %d bytes", size)
		if c.err != nil {
			return nil, c.err
		}
		if c, err = f.cursor(addr+uint64(8+f.long), size-8-f.long); err != nil {
			return nil, err
		}
		all = map[uint64][]byte{}
		for len(c.b) >= 8+f.long {
			i := c.uint(2)
			c.skip(6)
			n := c.length()
			if i == 0 { // what is left
				break
			}
			all[i] = c.bytes(n)
			c.bytes(min(-n&7, len(c.b)))
			if c.err != nil {
				return nil, c.err
			}
		}
		if len(f.collections) > 1<<12 {
			clear(f.collections)
		}
		f.collections[addr] = all
	}
	if b, there := all[number]; there {
		return b, nil
	}
	return nil, damage("no object %d in a collection", number)
}
