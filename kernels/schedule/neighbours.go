package schedule

import "slices"

// Neighbours are the schedules that differ from one in a single choice: the steps of tuning. Some may not suit the kernel.
func (s CPU) Neighbours(axes int) (out []CPU) {
	add := func(change func(*CPU)) {
		n := s
		n.Order, n.Lanes, n.Unroll = slices.Clone(s.Order), slices.Clone(s.Lanes), slices.Clone(s.Unroll)
		change(&n)
		out = append(out, n)
	}
	for i, u := range s.Unroll {
		add(func(n *CPU) { n.Unroll[i].N = 2 * u.N })
		add(func(n *CPU) {
			if n.Unroll[i].N = u.N / 2; n.Unroll[i].N < 2 {
				n.Unroll = slices.Delete(n.Unroll, i, i+1)
			}
		})
		for a := range axes {
			if a != u.Axis {
				add(func(n *CPU) { n.Unroll[i].Axis = a })
			}
		}
	}
	if len(s.Unroll) == 0 && len(s.Lanes) > 0 {
		for a := range axes {
			add(func(n *CPU) { n.Unroll = []AxisN{{Axis: a, N: 4}} })
		}
	}
	for i := range s.Lanes { // a lane tile of another shape
		for j := range s.Lanes {
			if i != j && s.Lanes[i].N > 1 {
				add(func(n *CPU) { n.Lanes[i].N /= 2; n.Lanes[j].N *= 2 })
			}
		}
	}
	for i := range len(s.Order) - 1 {
		add(func(n *CPU) { n.Order[i], n.Order[i+1] = n.Order[i+1], n.Order[i] })
	}
	if s.Window > 0 {
		add(func(n *CPU) { n.Window = 48 - s.Window }) // 16 and 32
		add(func(n *CPU) { n.Window, n.Guard, n.Table = 0, false, 0 })
	}
	for _, f := range []func(*CPU) *int{
		func(n *CPU) *int { return &n.Table },
		func(n *CPU) *int { return &n.Every },
		func(n *CPU) *int { return &n.AccBlock },
	} {
		if v := *f(&s); v > 0 {
			add(func(n *CPU) { *f(n) = 2 * v })
			if v > 1 {
				add(func(n *CPU) { *f(n) = v / 2 })
			}
		}
	}
	add(func(n *CPU) { n.AccMajor = !s.AccMajor })
	return out
}
