package graph

import (
	"maps"
	"slices"

	"weft/kernels/ir"
	"weft/kernels/retype"
	"weft/ops"
)

// Drive is a drive of a program: what its state holds at first is among the stages of that, and its own programs have from there what does not
// depend on the state.
type Drive struct {
	Start    []*ops.Stage
	Programs []Program
	State    []*ops.Stage // as Tasks name it
	Tasks    ops.Tasks
	Says     []string
	Room     ops.Room
}

// Tiled reports whether any drive has arrays on disk.
func (g *Graph) Tiled() bool {
	for _, d := range g.Drives {
		if d.Tasks.Of != nil {
			return true
		}
	}
	return false
}

// Takes is the room that the largest tiles need, those of the drive that has most: in less, it has smaller ones.
func (g *Graph) Takes() (room int64) {
	for _, d := range g.Drives {
		room = max(room, d.Tasks.Takes)
	}
	return room
}

// Least is the room that tasks of its drives need, as far as that follows from their tiles alone.
func (g *Graph) Least() (room int64) {
	for _, d := range g.Drives {
		room = max(room, d.Tasks.Least)
	}
	return room
}

// OnDisk reports whether of an array, which is around the drive or of its state, only tiles are in memory.
func (d *Drive) OnDisk(s *ops.Stage) bool { return slices.Contains(d.Tasks.Of, s) }

// Program is one of a drive's, as a graph whose sink is the drive itself: it takes what its state holds next.
type Program struct {
	*Graph
	ops.Program
	State   []*ops.Stage
	Rounds  *ops.Rounds
	Outside []Outside
}

// Single reports whether calls store boxes of an array of the state at most: there is one of it then.
func (d *Drive) Single(state int) bool {
	return !slices.ContainsFunc(d.Programs, func(p Program) bool { return p.Next[state] != nil && !p.Boxed })
}

// Outside is a stage of a program that is made once, around the drive: as the program has it, and where it is made.
type Outside struct{ In, Of *ops.Stage }

// drive gives a drive its programs, each with stages of its own, and what these and the state have from here.
func (c *collector) drive(op *ops.Instance, bound ops.Driver) (around []*ops.Stage) {
	t := c.tile(op, bound)
	l := ops.NewLowering(op, c.had(t))
	l.Room = t.room
	about := bound.Programs(l)
	if about.Tasks.Of != nil {
		if len(op.Out) != 1 {
			panic("planner: " + op.Spec.Name + " has more than one output, and these on disk")
		}
		about.Tasks = t.tasks(c, op, about)
	}
	c.Stages = append(c.Stages, l.Made()...)
	here := map[string]*ops.Stage{}
	for _, s := range c.Stages {
		here[Key(s)] = s
	}
	d := &Drive{Start: about.Start, State: about.State, Tasks: about.Tasks, Room: t.room, Says: about.Says}
	around = slices.DeleteFunc(slices.Clone(about.Start), func(s *ops.Stage) bool { return s == nil })
	for i := range about.Calls {
		// All drives before it are made once, around it, unless one of its own loops needs what they give.
		var told func(*ops.Stage) bool
		if c.how.Apart {
			once := about.Calls[i].Most == 1
			told = func(s *ops.Stage) bool {
				return d.OnDisk(s) || s.Type.Bytes() <= max(little, c.how.Room/256) && (!once || slices.Contains(around, s)) || c.given(s)
			}
		}
		p := c.program(op, bound, t, i, true)
		if p.takeOut(here, told); p.lacks() {
			p = c.program(op, bound, t, i, false)
			p.takeOut(here, told)
		}
		for _, o := range p.Outside {
			around = append(around, o.Of)
		}
		d.Programs = append(d.Programs, p)
	}
	c.Drives[op] = d
	return unique(around)
}

func unique(stages []*ops.Stage) (out []*ops.Stage) {
	for _, s := range stages {
		if !slices.Contains(out, s) {
			out = append(out, s)
		}
	}
	return out
}

// fromFile reports an array that a source gives part by part.
func fromFile(s *ops.Stage) bool {
	if !s.Source || s.State || s.Around {
		return false
	}
	r, ok := s.Op.Bound.(ops.TileReader)
	return ok && r.Fits() == nil
}

// lacks reports whether a program has what a drive gives that was left without programs of its own.
func (p *Program) lacks() bool {
	return slices.ContainsFunc(p.Stages, func(s *ops.Stage) bool {
		if !s.Source || s.State || s.Around {
			return false
		}
		_, drive := s.Op.Bound.(ops.Driver)
		return drive && p.Drives[s.Op] == nil
	})
}

// little are bytes that no memory is too small for: an array of so few is made around a drive in any case, as making it again in each call may take
// reading all that it is made from. What is called once at most makes it itself, unless another call has it.
const little = 128 << 10

// given reports what a drive outside all turns gives as a whole.
func (c *collector) given(s *ops.Stage) bool {
	if !s.Source || s.State || s.Around {
		return false
	}
	d := c.Drives[s.Op]
	return d != nil && d.Tasks.Of == nil && len(c.open(s.Op)) == 0
}

// open are the states that an instance, or what it is made from, is made from a turn of, but for those that are its own.
func (c *collector) open(op *ops.Instance) []*ops.Instance {
	if known, ok := c.opens[op]; ok {
		return known
	}
	var out []*ops.Instance
	if _, state := op.Bound.(ops.Carried); state {
		out = append(out, op)
	}
	op.Call.Arrays(func(_ string, a ops.Array) {
		for _, s := range c.open(a.Of) {
			if !slices.Contains(out, s) {
				out = append(out, s)
			}
		}
	})
	for _, v := range slices.Concat(op.Call.List("state"), op.Call.List("each")) {
		if a, ok := v.(ops.Array); ok {
			out = slices.DeleteFunc(out, func(s *ops.Instance) bool { return s == a.Of })
		}
	}
	c.opens[op] = out
	return out
}

// program is one of a drive's calls. Bare, drives outside all turns that it is given something of have no programs in it: with
// those, drives in a row would take twice as long for each one more.
func (around *collector) program(op *ops.Instance, bound ops.Driver, t *tiled, call int, bare bool) Program {
	c := newCollector()
	c.stored = t.stored
	c.how.Apart, c.how.Room, c.spilled = around.how.Apart, around.how.Room, around.spilled
	c.findEnds([]*ops.Instance{op})
	c.bare = bare
	l := ops.NewLowering(op, c.stageOf)
	c.bare = false
	l.Room = t.room
	d := bound.Programs(l)
	c.Stages = append(c.Stages, l.Made()...)
	next := d.Calls[call]
	c.sink(op, slices.DeleteFunc(slices.Clone(next.Next), func(s *ops.Stage) bool { return s == nil }))
	g := c.graph()
	g.Varies = map[*ops.Stage]bool{}
	if d.Rounds != nil {
		g.Objects = d.Rounds.Dim
	}
	for _, s := range g.Stages {
		g.Varies[s] = slices.Contains(d.State, s) || slices.Contains(next.Next, s) || slices.ContainsFunc(slices.Concat(s.Inputs, g.Around[s]), func(in *ops.Stage) bool { return g.Varies[in] })
	}
	g.calls = float64(next.Most)
	g.woven = map[string]bool{}
	for _, w := range t.woven {
		maps.Copy(g.woven, w.made)
	}
	return Program{Graph: g, Program: next, State: d.State, Rounds: d.Rounds}
}

// takeOut leaves out what is the same in all calls, as far as it is made around the drive too, of those stages: the program loads it. What is known
// while planning, and tables that bound what its own loops read, stay in it, and so does all but what only is told of, unless that is nil.
func (p *Program) takeOut(around map[string]*ops.Stage, only func(*ops.Stage) bool) {
	g := p.Graph
	same := func(s *ops.Stage) bool {
		return !g.Varies[s] && s.Data == nil && s.Tall == nil && !g.tabled[s] && around[Key(s)] != nil && (only == nil || only(around[Key(s)]))
	}
	inner := map[*ops.Stage]bool{} // that are made where what is made again from them is
	out := func(s *ops.Stage) bool {
		return same(s) && !g.Decoded(s) && !inner[s] && !(only != nil && !Given(s) && g.Parting(s))
	}
	ends, read := map[*ops.Stage]bool{}, map[*ops.Stage]bool{}
	for _, s := range slices.Backward(g.Stages) { // readers first
		if out(s) || same(s) && !read[s] {
			continue
		}
		for _, m := range g.shortest(s).made {
			inner[m] = true
		}
		for _, in := range slices.Concat(s.Inputs, g.Around[s], g.Counting(s)) {
			read[in] = true
			if out(in) {
				ends[in] = true
			}
		}
	}
	for _, s := range g.Stages {
		if !ends[s] {
			continue
		}
		for _, n := range g.Counting(s) {
			ends[n] = ends[n] || out(n)
		}
	}
	for _, s := range g.Stages {
		if !ends[s] {
			continue
		}
		p.Outside = append(p.Outside, Outside{In: s, Of: around[Key(s)]})
		s.Source, s.Around, s.State = true, true, false
		s.Elem, s.Put, s.Near, s.Inputs, s.Void = nil, nil, nil, nil, nil
		delete(g.Around, s)
		delete(g.alone, s)
		delete(g.points, s)
	}
	clear(g.shorter)
	if len(p.Outside) > 0 {
		g.link()
	}
}

// Decoded reports a stage whose elements are made again, sooner than they are loaded, from fewer bytes than they have, or than they are stored once, from
// as many that are there.
func (g *Graph) Decoded(s *ops.Stage) bool { return g.shortest(s).again }

// Parting reports starts of rows that are known while planning, or what follows from one of them each, such as where rows end. Made again where it
// is read, it says what those rows lie between, so that a block of them needs no more; from what was stored that cannot be told.
func (g *Graph) Parting(s *ops.Stage) bool {
	if Given(s) {
		return s.Facts.Data != nil && s.Facts.Data.Rising != nil
	}
	return len(s.Inputs) == 1 && s.Put == nil && !s.Hints().Keep && !g.Alone(s).Folds && g.Alone(s).Loads[s.Inputs[0]] <= float64(s.Type.Len()) && g.Parting(s.Inputs[0])
}

// way is how an element of a stage is had: loaded, or made again in some stages from elements of others that are loaded.
type way struct {
	made, from []*ops.Stage
	again      bool // it is made in fewer steps than the bytes are worth that are not moved
}

// bytes is how many of them are loaded for an element.
func (w way) bytes() (n float64) {
	for _, s := range w.from {
		n += float64(s.Type.Elem.Size())
	}
	return n
}

// add has elements of another stage made, or loaded, too.
func (w *way) add(in way) { w.made, w.from = appendNew(w.made, in.made), appendNew(w.from, in.from) }

// shortest is the way to an element by the fewest bytes.
func (g *Graph) shortest(s *ops.Stage) way {
	const (
		worth  = 2 // operations for a byte that is not moved
		stored = 3 // times the bytes of an element that is stored: it gets memory, is stored, and what it is made from is loaded for that
	)
	if w, found := g.shorter[s]; found {
		return w
	}
	load := way{from: []*ops.Stage{s}}
	g.shorter[s] = load
	made, ok := g.inPlace(s)
	if !ok {
		return load
	}
	saved, flops := load.bytes()-made.bytes(), 0.0
	for _, m := range made.made {
		flops += g.Alone(m).Flops
	}
	if saved == 0 && g.calls > 0 && !slices.ContainsFunc(made.from, func(s *ops.Stage) bool { return !Given(s) }) { // others would have to be stored in its place
		saved, flops = stored*load.bytes(), flops*g.calls*g.readings(s)
	}
	if made.again = saved > 0 && flops <= worth*saved; made.again {
		g.shorter[s] = made
	}
	return g.shorter[s]
}

// inPlace is the way to an element of a stage that is made again, if that is from elements that stand where it does: of several that are made from the
// same ones, none is loaded.
func (g *Graph) inPlace(s *ops.Stage) (made way, ok bool) {
	if Given(s) || s.Put != nil || s.Hints().Keep || s.Hints().Precision.Storage != 0 {
		return way{}, false
	}
	a := g.Alone(s)
	made.made = []*ops.Stage{s}
	var loaded []*ops.Stage
	for _, in := range s.Inputs {
		switch {
		case in.Type.Len() < s.Type.Len(): // there is none for each of its own
		case a.Elsewhere[in]:
			return way{}, false
		case g.shortest(in).again:
			made.add(g.shortest(in))
		default:
			loaded = append(loaded, in)
		}
	}
	for _, in := range loaded {
		there := slices.Concat(loaded, made.from)
		if w, ok := g.inPlace(in); ok && !slices.ContainsFunc(w.from, func(f *ops.Stage) bool { return !slices.Contains(there, f) }) {
			made.add(w)
			continue
		}
		made.from = appendNew(made.from, []*ops.Stage{in})
	}
	return made, made.from != nil && !a.Folds
}

// readings is how often an element of a stage is read in a call, in stages that read it where they stand as often as elements of these are.
func (g *Graph) readings(s *ops.Stage) (n float64) {
	for _, c := range g.Users[s] {
		each := g.Alone(c).Loads[s] / float64(max(1, s.Type.Len()))
		if a := g.Alone(c); !a.Folds && !a.Elsewhere[s] && c.Put == nil && !c.Hints().Keep {
			each *= max(1, g.readings(c))
		}
		n += each
	}
	return n
}

// appendNew appends what is not there yet.
func appendNew(list, more []*ops.Stage) []*ops.Stage {
	for _, s := range more {
		if !slices.Contains(list, s) {
			list = append(list, s)
		}
	}
	return list
}

// Counting are the stages that say how many elements there are of one.
func (g *Graph) Counting(s *ops.Stage) (out []*ops.Stage) {
	for _, d := range s.Type.Dims {
		if d.Count != nil && g.Counts[*d.Count] != nil {
			out = append(out, g.Counts[*d.Count])
		}
	}
	return out
}

// GivenBy is the drive that gives a stage; nil: none does.
func (g *Graph) GivenBy(s *ops.Stage) *Drive {
	if !s.Source || s.State || s.Around {
		return nil
	}
	return g.Drives[s.Op]
}

// lend notes what drives have from here: it lies in memory, what they start from as it is defined.
func (g *Graph) lend() {
	seen := map[*ops.Instance]bool{}
	for _, s := range g.Stages {
		d := g.GivenBy(s)
		if d == nil || seen[s.Op] {
			continue
		}
		seen[s.Op] = true
		for _, in := range g.Around[s] {
			g.Lends[in] = g.Lends[in] || !g.Wanted[in]
			g.Wanted[in] = true
			g.Takers[in]++
		}
		for _, in := range d.Start {
			if in != nil {
				g.lasts[in] = true
			}
		}
		for _, in := range g.Around[s] {
			if d.OnDisk(in) {
				g.lasts[in] = true
			}
		}
	}
	for s := range g.lasts {
		delete(g.Lends, s)
	}
}

// Share has a program load an array from where it lies around it, which may have other types there, and must lie as it is where it lasts.
func (g *Graph) Share(s *ops.Stage, bufs []*ir.Buffer, units retype.Units, lasts bool) {
	g.shared[s], g.Units[s], g.lasts[s] = bufs, units, lasts
}
