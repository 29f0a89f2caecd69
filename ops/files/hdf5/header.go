package hdf5

// The messages of object headers that are read, by their numbers.
const (
	spaceMessage     = 0x01
	linksMessage     = 0x02 // where the links of a group are
	typeMessage      = 0x03
	oldFillMessage   = 0x04
	fillMessage      = 0x05
	linkMessage      = 0x06
	layoutMessage    = 0x08
	filtersMessage   = 0x0b
	attributeMessage = 0x0c
	continuedMessage = 0x10
	tableMessage     = 0x11 // a group as a symbol table
	attributesInfo   = 0x15
)

// message is one of an object header.
type message struct {
	kind   int
	shared bool
	data   []byte
}

// mostMessages bounds those of an object.
const mostMessages = 1 << 16

// headerOf reads the messages of an object.
func (f *file) headerOf(addr uint64) ([]message, error) {
	start, err := f.read(addr, 16)
	if err != nil {
		return nil, err
	}
	if string(start[:4]) == "OHDR" {
		return f.newHeader(addr)
	}
	c := &cursor{b: start, f: f}
	c.check(c.int(1) == 1, "no object at %d", addr)
	c.skip(1)
	count := c.int(2)
	c.skip(4)
	size := c.int(4)
	if c.err != nil {
		return nil, c.err
	}
	var all []message
	blocks := []span{{addr + 16, size}}
	for i := 0; i < len(blocks); i++ {
		c, err := f.cursor(blocks[i].addr, blocks[i].size)
		if err != nil {
			return nil, err
		}
		for len(c.b) >= 8 && len(all) < count {
			m := message{kind: c.int(2)}
			n := c.int(2)
			m.shared = c.int(1)&2 != 0
			c.skip(3)
			m.data = c.bytes(n)
			if c.err != nil {
				return nil, c.err
			}
			if all = append(all, m); m.kind == continuedMessage {
				if blocks, err = f.more(blocks, m); err != nil {
					return nil, err
				}
			}
		}
	}
	return all, nil
}

// span is bytes at an address.
type span struct {
	addr uint64
	size int
}

// more adds the block of messages that a message says.
func (f *file) more(blocks []span, m message) ([]span, error) {
	c := &cursor{b: m.data, f: f}
	s := span{c.address(), c.length()}
	for _, b := range blocks {
		c.check(b.addr != s.addr, "messages in a circle")
	}
	c.check(len(blocks) < 1024, "messages in more than %d pieces", len(blocks))
	return append(blocks, s), c.err
}

// newHeader reads the messages of an object of version 2.
func (f *file) newHeader(addr uint64) ([]message, error) {
	c, err := f.cursor(addr, 6)
	if err != nil {
		return nil, err
	}
	c.skip(4)
	c.check(c.int(1) == 2, "an object of an unknown version")
	flags := c.int(1)
	lead := 6 + 1<<(flags&3)
	if flags&0x20 != 0 { // times
		lead += 16
	}
	if flags&0x10 != 0 { // how many attributes are kept here
		lead += 4
	}
	if c.err != nil {
		return nil, c.err
	}
	if c, err = f.cursor(addr, lead); err != nil {
		return nil, err
	}
	c.skip(lead - 1<<(flags&3))
	size := c.int(1 << (flags & 3))
	if c.err != nil {
		return nil, c.err
	}
	var all []message
	blocks := []span{{addr + uint64(lead), size}}
	for i := 0; i < len(blocks); i++ {
		c, err := f.cursor(blocks[i].addr, blocks[i].size)
		if err != nil {
			return nil, err
		}
		if i > 0 { // behind a mark, before a checksum
			c.mark("OCHK")
			c.check(len(c.b) >= 4, "a short block of messages")
			if c.err != nil {
				return nil, c.err
			}
			c.b = c.b[:len(c.b)-4]
		}
		head := 4
		if flags&4 != 0 {
			head += 2
		}
		for len(c.b) >= head {
			m := message{kind: c.int(1)}
			n := c.int(2)
			m.shared = c.int(1)&2 != 0
			c.skip(head - 4)
			m.data = c.bytes(n)
			c.check(len(all) < mostMessages, "more than %d messages", mostMessages)
			if c.err != nil {
				return nil, c.err
			}
			if all = append(all, m); m.kind == continuedMessage {
				if blocks, err = f.more(blocks, m); err != nil {
					return nil, err
				}
			}
		}
	}
	return all, nil
}

// resolve gives the message that a shared one stands for, which an object of its own has.
func (f *file) resolve(m message) (message, error) {
	if !m.shared {
		return m, nil
	}
	c := &cursor{b: m.data, f: f}
	version, kind := c.int(1), c.int(1)
	if version == 1 {
		c.skip(6)
	}
	if c.err == nil && version == 3 && kind != 2 {
		return m, unread("shares descriptions in a heap, which is not read")
	}
	addr := c.address()
	if c.err != nil {
		return m, c.err
	}
	all, err := f.headerOf(addr)
	if err != nil {
		return m, err
	}
	for _, other := range all {
		if other.kind == m.kind && !other.shared {
			return other, nil
		}
	}
	return m, damage("an object at %d without what it is to share", addr)
}
