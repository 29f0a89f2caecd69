package fuse

import "weft/ops"

// places keeps stages apart that @device puts in different places, also where other stages lie between them.
type places map[*ops.Stage]*ops.Stage // of stages computed together, one that stands for all; it has the place, if any has one

// of is the stage that stands for those computed together with one.
func (p places) of(s *ops.Stage) *ops.Stage {
	for p[s] != nil {
		s = p[s]
	}
	return s
}

// agree reports stages that may be computed in one place.
func (p places) agree(a, b *ops.Stage) bool {
	x, y := p.of(a).Hints().Device, p.of(b).Hints().Device
	return x == "" || y == "" || x == y
}

// join puts stages together that agree.
func (p places) join(a, b *ops.Stage) {
	x, y := p.of(a), p.of(b)
	if x == y {
		return
	}
	if x.Hints().Device == "" {
		x, y = y, x
	}
	p[y] = x
}
