package cost

import (
	"slices"

	"weft/kernels/ir"
	"weft/kernels/profile"
	"weft/kernels/schedule"
	"weft/kernels/schedule/inside"
)

// step is how far apart neighbours among the lanes lie in a buffer along one axis or fold index, in elements, and how many lie along it.
type step struct {
	elements int64
	lanes    int
}

// lying is how the lanes of a vector lie in a buffer.
type lying struct {
	steps []step
	known bool
}

// loaded is how the lanes of a load lie.
func (c *counter) loaded(n *ir.Node) ([]step, bool) {
	l, ok := c.lying[n]
	if !ok {
		l.steps, l.known = c.lanesLie(n.Buf, n.Index())
		c.lying[n] = l
	}
	return l.steps, l.known
}

// lanesLie is how the lanes of a vector lie in a buffer, from the outer axis to the inner one; unknown where that is not known while planning.
func (c *counter) lanesLie(b *ir.Buffer, index []*ir.Node) (steps []step, known bool) {
	var folds int64 // of several, a value is in the turns of one
	turns := c.layout.FoldLanes && !slices.ContainsFunc(index, func(n *ir.Node) bool { return c.vary.Of(n).Meets(c.points) })
	for i, a := range c.along {
		if turns != (i >= len(c.layout.Lanes)) && c.layout.FoldLanes {
			continue
		}
		d, known := c.distance(b, index, a, c.lanes)
		switch {
		case !known:
			return nil, false
		case i >= len(c.layout.Lanes):
			folds += d
		case len(c.layout.Lanes) == 1:
			steps = append(steps, step{d, c.p.Lanes})
		case len(c.layout.LanesOn) > 0:
			steps = append(steps, step{d, c.layout.LanesOn[c.layout.Lanes[i]]})
		case d != 0: // points one after the other, which end rows
			return nil, false
		}
	}
	if turns {
		steps = append(steps, step{folds, c.p.Lanes})
	}
	return steps, true
}

// sideBySide reports lanes that lie next to each other in their order.
func sideBySide(steps []step) bool {
	next := int64(1)
	for _, s := range slices.Backward(steps) {
		if s.elements != next {
			return false
		}
		next *= int64(s.lanes)
	}
	return len(steps) > 0
}

// backward reports lanes that lie next to each other from the last to the first: a load and a permutation.
func backward(steps []step) bool { return len(steps) == 1 && steps[0].elements == -1 }

// span is how many elements lanes reach over.
func span(steps []step) (elements int64) {
	for _, s := range steps {
		elements += max(s.elements, -s.elements) * int64(s.lanes-1)
	}
	return elements
}

// loadClass is how a load's index differs over the lanes.
func (c *counter) loadClass(n *ir.Node) profile.Class {
	steps, known := c.loaded(n)
	switch {
	case c.lanes.Empty() || known && span(steps) == 0:
		return profile.Uniform
	case c.cut() && !c.vary.Of(n).Meets(c.turns):
		return gathers[len(c.beside[n])][c.near(n.Buf)]
	case known && sideBySide(steps) && n.Buf.Type.Size() < 4:
		return profile.Half
	case known && sideBySide(steps):
		return profile.Contiguous
	case known && backward(steps) && !c.layout.FoldLanes:
		return profile.Window
	case c.layout.Windows && (!known || span(steps) < int64(c.p.Lanes)):
		return profile.Window
	}
	return gathers[len(c.beside[n])][c.near(n.Buf)]
}

// cut reports lanes along an axis that is shorter than a vector: some repeat the last point, and neighbours in memory do not help.
func (c *counter) cut() bool {
	for a, lanes := range c.layout.LanesOn {
		if c.k.Axes[a].Extent < lanes {
			return true
		}
	}
	return false
}

// gathers are the classes of loads by how many are gathered at a time, and whether they find what they load in a core's caches.
var gathers = map[int]map[bool]profile.Class{
	0: {true: profile.Gather, false: profile.GatherFar},
	2: {true: profile.Four, false: profile.FourFar},
	3: {true: profile.Four, false: profile.FourFar},
	4: {true: profile.Four, false: profile.FourFar},
}

// each is how many of a class's loads one takes that is gathered with others: a place costs the same, of however many elements.
func (c *counter) each(n *ir.Node, class profile.Class) float64 {
	if class == profile.Four || class == profile.FourFar {
		return 4 / float64(len(c.beside[n]))
	}
	return 1
}

// near reports whether a core's own caches hold a buffer, or as much of it as is needed at a time.
func (c *counter) near(b *ir.Buffer) bool {
	return c.layout.Parts || b.Bytes() <= c.p.Levels[0].Bytes/2
}

// line is the time in nanoseconds in which a core gets a cache line of a buffer from where it stays: beyond its own caches or, of those, the second.
func (c *counter) line(b *ir.Buffer) float64 {
	size := max(b.Bytes()/int64(c.p.Threads), c.p.Levels[0].Bytes+1)
	if c.near(b) {
		size = b.Bytes()
	}
	return 1e9 * lineBytes / c.p.LevelFor(size).Copy.Core
}

const (
	lineBytes  = 64       // of a cache line
	pageBytes  = 4 << 10  // of a page of memory
	firstLevel = 32 << 10 // of cache that most cores have
)

// lines is how many cache lines a vector's load brings nearer in each turn of a loop. A load that scatters brings as many as its window was
// estimated to, from beyond a core's own caches; another one, where it goes from line to line through what the first level does not hold. What
// is loaded once in all is counted with the memory it comes from.
func (c *counter) lines(n *ir.Node, class profile.Class, in *ir.Fold, times float64) float64 {
	if class != profile.Uniform && class != profile.Contiguous && class != profile.Window {
		return 0
	}
	if _, known := c.loaded(n); class == profile.Window && !known {
		if c.near(n.Buf) {
			return 0
		}
		return c.layout.Fetched
	} else if in == nil || !known || n.Buf.Bytes() <= firstLevel {
		return 0
	}
	size, index := int64(n.Buf.Type.Size()), within(n.Index())
	apart := func(binder *ir.Node) int64 {
		d, _ := c.distance(n.Buf, index, c.vary.Along(binder), binder.Bind())
		return max(d, -d) * size
	}
	if apart(in.Index) < lineBytes {
		return 0
	}
	lines, vector := 1.0, float64(size)*float64(c.p.Lanes)/lineBytes
	switch class {
	case profile.Contiguous:
		lines = max(1, vector)
	case profile.Window: // which begin anywhere
		lines += vector
	}
	for a, vectors := range c.layout.FlightOn {
		if d := apart(c.k.Axes[a]) * int64(max(1, c.layout.LanesOn[a])); d > 0 && d < lineBytes {
			lines /= float64(vectors) // which begin in the same line, as a rule
		}
	}
	if far := class == profile.Uniform && !c.near(n.Buf); !far && times/float64(c.p.Lanes)*lines*lineBytes <= float64(n.Buf.Bytes()) {
		return 0
	}
	return lines
}

// transposed reports a gathered load that is packed by rows of turns side by side in memory, which are turned over in registers.
func (c *counter) transposed(n *ir.Node, class profile.Class, in *ir.Fold) bool {
	return in != nil && (class == profile.Gather || class == profile.GatherFar) && schedule.Registers(n.Type) == 1 && inside.AlongTurns(n, in)
}

// stride is how far apart neighbouring turns of a loop load, in bytes; 0: that is not known.
func (c *counter) stride(n *ir.Node, in *ir.Fold) int64 {
	d, _ := c.distance(n.Buf, within(n.Index()), c.vary.Along(in.Index), in.Index.Bind())
	return max(d, -d) * int64(n.Buf.Type.Size())
}

// jumps reports lines that are loaded once, and far from what was loaded before: each lies in another page, and no processor fetches it ahead.
func (c *counter) jumps(n *ir.Node, class profile.Class, in *ir.Fold) bool {
	if class != profile.Contiguous || in == nil || c.near(n.Buf) {
		return false
	}
	return c.stride(n, in) >= pageBytes
}

// within is an index where it lies between the ends: another is taken where it does not.
func within(index []*ir.Node) []*ir.Node {
	index = slices.Clone(index)
	for i, x := range index {
		if x.Kind == ir.KAlu && x.Op == ir.Select {
			index[i] = x.Args[1]
		}
	}
	return index
}

// distance is that of neighbours along an axis or a fold's index in a buffer, in elements, where what varies along some stays between the ends.
func (c *counter) distance(b *ir.Buffer, index []*ir.Node, along *ir.AffineIn, over ir.Set) (elements int64, known bool) {
	l, _ := inside.Look(ir.Flatten(b, index), func(x *ir.Node) bool { return c.vary.Of(x).Meets(over) })
	for _, t := range l.Terms {
		s, ok := along.Stride(t.N)
		if !ok {
			return 0, false
		}
		elements += s * t.Coef
	}
	return elements, true
}
