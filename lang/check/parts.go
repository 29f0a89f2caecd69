package check

import (
	"weft/lang/diag"
	"weft/lang/syntax"
	"weft/ops"
	"weft/ops/problem"
)

// partOf is a part of a value by its name; nil, and reported, where there is none.
func (c *checker) partOf(v ops.Value, base diag.Span, n *syntax.Name) ops.Value {
	switch v := v.(type) {
	case *module:
		part, ok := c.part(v, n.Text)
		if !ok {
			c.missing(v, n)
		}
		return part
	case ops.Record:
		if part, ok := v.Fields[n.Text]; ok {
			return part
		}
		c.missingField(v, n)
	case ops.Parted:
		at := partAt{v, n.Text}
		if c.parts[at] == nil {
			c.parts[at] = c.make(v.Part(n.Text), n)
		}
		if c.parts[at] == nil {
			c.missingField(ops.Record{Names: v.PartNames()}, n)
		}
		return c.parts[at]
	default:
		c.noParts(v, base, n)
	}
	return nil
}

// partAt is a part of an object.
type partAt struct {
	of   ops.Parted
	name string
}

// make makes a part of an object: once for all who ask for it.
func (c *checker) make(v ops.Value, n *syntax.Name) ops.Value {
	m, ok := v.(ops.Made)
	if !ok {
		return v
	}
	var args []argument
	for _, x := range m.From {
		args = append(args, argument{value: x, at: n.Span()})
	}
	return c.apply(m.By, site{name: n.Span()}, args)
}

// noParts reports a value that has no parts: for the first of those that are asked of it in a call or in the text.
func (c *checker) noParts(v ops.Value, base diag.Span, n *syntax.Name) {
	of := base.Text()
	for _, f := range c.frames {
		of = f.at.Text() + " " + of
	}
	if c.bare[of] {
		return
	}
	c.bare[of] = true
	c.report(problem.NotARecord, base, "%s has no parts to choose with `.%s`", kindOf(v), n.Text).Helpf("records have parts, as in (x: 1 mm, z: 2 mm), and so have probes, grids and what operators with several outputs give")
}
