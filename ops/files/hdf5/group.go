package hdf5

// link is a name in a group and the object that it leads to; Addr is 0 for one that leads elsewhere.
type link struct {
	name string
	addr uint64
}

// links are those of a group by its messages; nil: it is none.
func (f *file) links(all []message) (out []link, group bool, err error) {
	for _, m := range all {
		c := &cursor{b: m.data, f: f}
		switch m.kind {
		case tableMessage:
			group = true
			tree, heap := c.address(), c.address()
			if c.err == nil {
				out, err = f.table(tree, heap)
			}
		case linksMessage:
			group = true
			err = f.denseLinks(c, &out)
		case linkMessage:
			group = true
			f.link(c, &out)
		}
		if err == nil {
			err = c.err
		}
		if err != nil {
			return nil, group, err
		}
	}
	return out, group, nil
}

// link reads a link as a message or in a heap.
func (f *file) link(c *cursor, out *[]link) {
	c.check(c.int(1) == 1, "a link of an unknown version")
	flags := c.int(1)
	kind := 0
	if flags&8 != 0 {
		kind = c.int(1)
	}
	if flags&4 != 0 {
		c.skip(8)
	}
	if flags&16 != 0 {
		c.skip(1)
	}
	l := link{name: string(c.bytes(c.int(1 << (flags & 3))))}
	if kind == 0 {
		l.addr = c.address()
	}
	c.check(len(*out) < mostObjects, "more than %d links in a group", mostObjects)
	*out = append(*out, l)
}

// table reads a group that is a symbol table: a tree of lists, and a heap of names.
func (f *file) table(tree, heap uint64) (out []link, err error) {
	c, err := f.cursor(heap, 8+2*f.long+f.wide)
	if err != nil {
		return nil, err
	}
	c.mark("HEAP")
	c.skip(4)
	size := c.length()
	c.skip(f.long)
	at := c.address()
	if c.err != nil {
		return nil, c.err
	}
	names, err := f.read(at, size)
	if err != nil {
		return nil, err
	}
	err = f.walk(tree, 0, f.long, func(_ *cursor, list uint64) error {
		c, err := f.cursor(list, 8)
		if err != nil {
			return err
		}
		c.mark("SNOD")
		c.skip(2)
		n := c.int(2)
		if c.err != nil {
			return c.err
		}
		if c, err = f.cursor(list+8, n*(2*f.wide+24)); err != nil {
			return err
		}
		for range n {
			name, addr := c.uint(f.wide), c.address()
			kind := c.int(4)
			c.skip(20)
			c.check(name < uint64(len(names)), "a name beyond the others")
			c.check(len(out) < mostObjects, "more than %d objects in a group", mostObjects)
			if c.err != nil {
				return c.err
			}
			text := &cursor{b: names[name:], f: f}
			l := link{text.text(), addr}
			if kind == 2 { // a link to a name
				l.addr = 0
			}
			if text.err != nil {
				return text.err
			}
			out = append(out, l)
		}
		return nil
	})
	return out, err
}

// walk visits the children of all leaves of a B-tree of version 1 of a kind, with keys of so many bytes before each.
func (f *file) walk(tree uint64, kind, key int, visit func(key *cursor, child uint64) error) error {
	seen := map[uint64]bool{}
	var node func(addr uint64, level int) error
	node = func(addr uint64, level int) error {
		if seen[addr] || len(seen) > mostNodes {
			return damage("a tree that is none")
		}
		seen[addr] = true
		c, err := f.cursor(addr, 8+2*f.wide)
		if err != nil {
			return err
		}
		c.mark("TREE")
		is, deep, n := c.int(1), c.int(1), c.int(2)
		c.check(is == kind && (level < 0 || deep == level-1), "a tree that is none")
		if c.err != nil {
			return c.err
		}
		if c, err = f.cursor(addr+uint64(8+2*f.wide), n*(key+f.wide)); err != nil {
			return err
		}
		for range n {
			k, child := c.within(key), c.address()
			if c.err != nil {
				return c.err
			}
			if deep > 0 {
				err = node(child, deep)
			} else {
				err = visit(k, child)
			}
			if err != nil {
				return err
			}
		}
		return nil
	}
	return node(tree, -1)
}

// mostNodes bounds the nodes of a tree.
const mostNodes = 1 << 22
