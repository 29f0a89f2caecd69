package linear

import (
	"weft/kernels/region"
	"weft/ops"
)

// work is what the calls of a program do.
type work struct {
	calls       int
	done, whole float64
}

func (w work) fraction() float64 {
	if w.calls == 0 {
		return 1
	}
	return w.done / (w.whole * float64(w.calls))
}

// counter is a host that counts what an algorithm would launch.
type counter struct {
	z     *large
	room  ops.Room
	tile  int
	turns float64
	of    map[int]*work
}

// work counts the calls of all programs.
func (z *large) work(room ops.Room) map[int]work {
	c := counter{z: z, room: room, tile: z.rootTile(room), of: map[int]*work{}}
	if _, err := z.Drive(&c); err != nil {
		panic(err) // nothing is computed that could fail
	}
	out := map[int]work{}
	for i, w := range c.of {
		out[i] = *w
	}
	return out
}

func (c *counter) Box(call int, box region.Region) error {
	w := c.of[call]
	if w == nil {
		w = &work{}
		c.of[call] = w
	}
	w.calls++
	points := float64(box.Points())
	if b := c.tile; b > 0 {
		switch {
		case c.z.right && call == takenCall(b):
			w.done, w.whole = w.done+points, float64(c.z.n*c.z.n)
			return nil
		case call == beforeCall || call == tileCall:
			w.done, w.whole = w.done+points*max(1, c.turns), float64(b*b*c.z.n)
			return nil
		case call == laterCall:
			call = c.z.passes()[0].update
		}
	}
	for _, p := range c.z.passes() {
		sides := float64(ops.Type{Dims: p.sides}.Len())
		switch call {
		case p.update:
			w.done, w.whole = w.done+points*max(1, c.turns), sides*panel*float64(c.z.n)
		case p.done:
			w.done, w.whole = w.done+points, sides*float64(c.z.n)
		case p.block:
			w.done, w.whole = w.done+points, panel*panel
		default:
			continue
		}
		break
	}
	return nil
}

func (c *counter) Set(state, at int, v ...float64) error {
	c.turns = v[atCount]
	return nil
}

func (*counter) Edit(func([][]float64) error, ...ops.StateBox) error { return nil }
func (c *counter) Room() ops.Room                                    { return c.room }
func (*counter) Task(int) error                                      { return nil }
func (*counter) Launch(int) error                                    { return nil }
func (*counter) Round(int) (int, error)                              { return 0, nil }
func (*counter) Values(int) ([]float64, error)                       { return make([]float64, 3), nil } // of a symmetric matrix
func (*counter) Scalar(int) (float64, error)                         { return 0, nil }
func (*counter) Progress(string)                                     {}
