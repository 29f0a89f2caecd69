package hdf5

import (
	"math"
	"slices"

	"weft/ops/files/tile"
)

// chunks finds those of a dataset, by their numbers in C order.
func (d *Dataset) chunks(f *file) (map[int]place, error) {
	out := map[int]place{}
	if d.missing {
		return out, nil
	}
	grid := make([]int, len(d.Shape))
	count := 1
	for k, n := range d.Shape {
		grid[k] = (n + d.chunk[k] - 1) / d.chunk[k]
		count *= grid[k]
	}
	whole := int64(d.size)
	for _, n := range d.chunk {
		whole *= int64(n)
	}
	add := func(i int, p place) error {
		switch {
		case f.undefined(p.addr):
			return nil
		case p.bytes < 0 || p.addr > math.MaxInt64 || int64(p.addr) > f.size-f.base-p.bytes:
			return cut("a chunk of %d bytes at %d", p.bytes, p.addr)
		case len(d.packing) == 0 && p.bytes < whole:
			return damage("a chunk of %d bytes, and %d are right", p.bytes, whole)
		}
		out[i] = p
		return nil
	}
	switch d.index {
	case singleIndex:
		if count != 1 {
			return nil, damage("a single chunk for %d", count)
		}
		p := d.single
		if p.addr = d.at; p.bytes < 0 {
			p.bytes = whole
		}
		return out, add(0, p)
	case implicitIndex:
		if int64(count) > (f.size-f.base)/whole {
			return nil, cut("%d chunks of %d bytes", count, whole)
		}
		for i := range count {
			if err := add(i, place{addr: d.at + uint64(i)*uint64(whole), bytes: whole}); err != nil {
				return nil, err
			}
		}
		return out, nil
	case fixedIndex:
		return out, d.fixedArray(f, count, whole, add)
	}
	strides := tile.Strides(grid)
	err := f.walk(d.at, 1, 8+8*(len(d.Shape)+1), func(key *cursor, child uint64) error {
		p := place{addr: child, bytes: int64(key.int(4)), skipped: key.int(4)}
		i := 0
		for k, n := range d.chunk {
			at := key.int(8)
			if key.err == nil && (at%n != 0 || at/n >= grid[k]) {
				return nil // beyond the array, which was made smaller
			}
			i += at / n * strides[k]
		}
		if key.err != nil {
			return key.err
		}
		return add(i, p)
	})
	return out, err
}

// fixedArray reads the places of chunks from an array of them, in pages if there are many.
func (d *Dataset) fixedArray(f *file, count int, whole int64, add func(int, place) error) error {
	c, err := f.cursor(d.at, 8+f.long+f.wide)
	if err != nil {
		return err
	}
	c.mark("FAHD")
	c.skip(1)
	packed, each, page := c.int(1) == 1, c.int(1), c.int(1)
	entries, at := c.length(), c.address()
	c.check(entries >= count && page < 32 && each >= f.wide && int64(count) <= f.size, "an array of %d places for %d chunks", entries, count)
	if c.err != nil || f.undefined(at) {
		return c.err
	}
	head := 6 + f.wide
	inPage, pages := entries, 1
	if entries > 1<<page {
		inPage = 1 << page
		pages = (entries + inPage - 1) / inPage
	}
	var there []byte
	if c, err = f.cursor(at, head); err != nil {
		return err
	}
	c.mark("FADB")
	if c.err != nil {
		return c.err
	}
	at += uint64(head)
	if pages > 1 {
		if there, err = f.read(at, (pages+7)/8); err != nil {
			return err
		}
		at += uint64(len(there)) + 4 // and a checksum
	}
	for p := range pages {
		n := min(inPage, entries-p*inPage)
		if p*inPage >= count {
			break
		}
		if pages == 1 || there[p/8]&(0x80>>(p%8)) != 0 {
			if c, err = f.cursor(at, n*each); err != nil {
				return err
			}
			for i := range min(n, count-p*inPage) {
				one := place{addr: c.address(), bytes: whole}
				if packed {
					one.bytes, one.skipped = int64(c.uint(each-f.wide-4)&math.MaxInt64), c.int(4)
				}
				if c.err != nil {
					return c.err
				}
				if err := add(p*inPage+i, one); err != nil {
					return err
				}
			}
		}
		at += uint64(inPage*each) + 4
	}
	return nil
}

// unpacked undoes what packs a chunk, from the last filter to the first.
func (d *Dataset) unpacked(raw []byte, skipped int, u *unpacker) ([]byte, error) {
	whole := d.size
	for _, n := range d.chunk {
		whole *= n
	}
	if len(d.packing) == 0 && len(raw) > whole {
		raw = raw[:whole]
	}
	const densest, slack = 1100, 4 << 10 // of deflate
	if (whole-slack)/densest > len(raw) {
		return nil, damage("a chunk of %d bytes, which cannot unpack to %d", len(raw), whole)
	}
	for i, f := range slices.Backward(d.packing) {
		if skipped>>i&1 == 1 {
			continue
		}
		var err error
		switch f.id {
		case fletcherFilter:
			if len(raw) < 4 {
				return nil, damage("a chunk of %d bytes", len(raw))
			}
			sum := uint32(raw[len(raw)-4]) | uint32(raw[len(raw)-3])<<8 | uint32(raw[len(raw)-2])<<16 | uint32(raw[len(raw)-1])<<24
			if raw = raw[:len(raw)-4]; fletcher(raw) != sum {
				return nil, damage("a chunk whose checksum is another")
			}
		case deflateFilter:
			raw, err = u.inflate(raw, whole+4) // with a checksum within
		case shuffleFilter:
			each := d.size
			if len(f.values) > 0 {
				each = f.values[0]
			}
			raw = u.unshuffle(raw, each)
		}
		if err != nil {
			return nil, err
		}
	}
	if len(raw) != whole {
		return nil, damage("a chunk unpacks to %d bytes, and %d are right", len(raw), whole)
	}
	return raw, nil
}

// fletcher is the checksum of the library: of 16 bits each, the first byte the more significant one.
func fletcher(b []byte) uint32 {
	var a, c uint32
	for len(b) >= 2 {
		for n := 360; n > 0 && len(b) >= 2; n-- {
			a += uint32(b[0])<<8 | uint32(b[1])
			c += a
			b = b[2:]
		}
		a, c = a&0xffff+a>>16, c&0xffff+c>>16
	}
	if len(b) == 1 {
		a += uint32(b[0]) << 8
		c += a
		a, c = a&0xffff+a>>16, c&0xffff+c>>16
	}
	a, c = a&0xffff+a>>16, c&0xffff+c>>16
	return c<<16 | a
}
