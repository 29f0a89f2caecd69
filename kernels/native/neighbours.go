package native

import (
	"slices"

	"weft/kernels/schedule"
)

// neighbours are the schedules that differ from one in a single choice: the steps of tuning. Some may not suit the kernel.
func neighbours(s schedule.CPU, axes int) (out []schedule.CPU) {
	add := func(change func(*schedule.CPU)) {
		n := s
		n.Order, n.Lanes, n.Unroll, n.Chunk = slices.Clone(s.Order), slices.Clone(s.Lanes), slices.Clone(s.Unroll), slices.Clone(s.Chunk)
		change(&n)
		for i, c := range n.Chunk { // whole steps
			step := n.Step(c.Axis)
			n.Chunk[i].N = max(step, c.N/step*step)
		}
		out = append(out, n)
	}
	for i, u := range s.Unroll {
		add(func(n *schedule.CPU) { n.Unroll[i].N = 2 * u.N })
		add(func(n *schedule.CPU) {
			if n.Unroll[i].N = u.N / 2; n.Unroll[i].N < 2 {
				n.Unroll = slices.Delete(n.Unroll, i, i+1)
			}
		})
		if u.N > 2 {
			add(func(n *schedule.CPU) { n.Unroll[i].N = u.N + 1 })
			add(func(n *schedule.CPU) { n.Unroll[i].N = u.N - 1 })
		}
		for a := range axes {
			if !flies(s, a) {
				add(func(n *schedule.CPU) { n.Unroll[i].Axis = a })
			}
		}
	}
	for a := range axes {
		if len(s.Lanes) > 0 && !flies(s, a) {
			add(func(n *schedule.CPU) {
				n.Unroll = append(n.Unroll, schedule.AxisN{Axis: a, N: 4 / min(2, 1+len(s.Unroll))})
			})
		}
	}
	for i, c := range s.Chunk {
		add(func(n *schedule.CPU) { n.Chunk[i].N = 2 * c.N })
		add(func(n *schedule.CPU) { n.Chunk[i].N = c.N / 2 })
	}
	if len(s.Chunk) > 0 {
		for _, split := range []int{2 * s.Split, s.Split / 2} {
			add(func(n *schedule.CPU) { n.Split = split })
		}
		add(func(n *schedule.CPU) { n.Pack = !s.Pack })
	}
	for i := range s.Lanes { // a lane tile of another shape
		for j := range s.Lanes {
			if i != j && s.Lanes[i].N > 1 {
				add(func(n *schedule.CPU) { n.Lanes[i].N /= 2; n.Lanes[j].N *= 2 })
			}
		}
	}
	for i := range len(s.Order) - 1 {
		add(func(n *schedule.CPU) { n.Order[i], n.Order[i+1] = n.Order[i+1], n.Order[i] })
	}
	if s.Window > 0 {
		add(func(n *schedule.CPU) { n.Window = 48 - s.Window }) // 16 and 32
		add(func(n *schedule.CPU) { n.Window, n.Guard, n.Table = 0, false, 0 })
	}
	for _, f := range []func(*schedule.CPU) *int{
		func(n *schedule.CPU) *int { return &n.Table },
		func(n *schedule.CPU) *int { return &n.Every },
		func(n *schedule.CPU) *int { return &n.Copies },
	} {
		if v := *f(&s); v > 0 {
			add(func(n *schedule.CPU) { *f(n) = 2 * v })
			if v > 1 {
				add(func(n *schedule.CPU) { *f(n) = v / 2 })
			}
		}
	}
	if s.FoldLanes {
		add(func(n *schedule.CPU) { n.Flight = max(2, 2*s.Flight) })
		add(func(n *schedule.CPU) { n.Flight = s.Flight / 2 })
	}
	add(func(n *schedule.CPU) { n.AccMajor = !s.AccMajor })
	return out
}

// flies reports whether there are vectors in flight along an axis.
func flies(s schedule.CPU, axis int) bool {
	return slices.ContainsFunc(s.Unroll, func(u schedule.AxisN) bool { return u.Axis == axis })
}
