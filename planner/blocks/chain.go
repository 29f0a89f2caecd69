package blocks

import (
	"slices"

	"weft/kernels/ir"
	"weft/kernels/region"
	"weft/ops"
	"weft/planner/bound"
	"weft/planner/bounds"
	"weft/planner/plan"
)

// LeastAway is from how many bytes on caches have lost the beginning of an array when all of it is stored: less stays there by itself.
const LeastAway = 2 * nearBytes

// Lost reports whether caches have lost the beginning of each of some buffers that are stored side by side when all of them is.
func Lost(p *bound.Plan, ids []string) bool {
	var bytes int64
	for _, id := range ids {
		bytes += p.Buffer(id).Bytes
	}
	return bytes >= LeastAway
}

// What is between the kernels of a chain stays in the caches of cores where it takes no more than this: a quarter of the last one of most
// machines, and half of what each core has to itself.
const (
	nearBytes  = 8 << 20
	nearThread = 512 << 10
)

// A chain is worth its launches where arrays that need not be in memory have LeastAway bytes together and so many in a row, and it has so many blocks.
const (
	leastRow    = 4 << 10
	leastRows   = 8 // of a block: kernels have several rows in flight
	leastBlocks = 4
)

// Chains finds kernels of which each makes its rows from the same rows of what those before it made, and has them run one behind the other over a few rows
// at a time: what is between them is never in memory as a whole, and the rows that are there are near, those that the chain leaves past the caches. Steps
// beside them come before them. Of a program that runs many times only steps of each turn are in chains, and what is read after a turn is there as a whole.
func Chains(p *bound.Plan, threads int, turns *Turns) {
	if slices.ContainsFunc(p.Buffers, func(b bound.Buffer) bool { return b.Stored != "" }) { // arrays stay for proofs of these
		return
	}
	for first := 0; first < len(p.Steps); first++ {
		c := chainFrom(p, first, turns)
		if c == nil {
			continue
		}
		if rows := c.most(threads); rows > 0 {
			first = c.gather() - 1
			p.Chains = append(p.Chains, c.plan(rows))
			c.leaves()
		}
	}
}

// Turns are those of a program that runs many times.
type Turns struct {
	Each  func(*bound.Step) bool   // the step is one of each turn
	Dim   string                   // of objects that are computed each by itself; empty: there are none
	Lasts func(*bound.Buffer) bool // the array is read when the turn is over
}

// chain is kernels that may run by rows together.
type chain struct {
	of      *bound.Plan
	turns   *Turns // nil: it runs once
	at      []int  // places of its steps in the plan
	extent  int    // rows of what they make
	made    map[string]bool
	inside  []string // what they make that nothing else reads
	waiting map[int]bool
}

// chainFrom is the chain that begins with a step; nil: there is none.
func chainFrom(p *bound.Plan, first int, turns *Turns) *chain {
	c := &chain{of: p, turns: turns, made: map[string]bool{}, waiting: map[int]bool{}}
	if !c.takes(first) {
		return nil
	}
	c.add(first)
	late := map[string]bool{} // what is made behind the chain
	for i := first + 1; i < len(p.Steps); i++ {
		s := &p.Steps[i]
		needs := p.Needs(s)
		behind := slices.ContainsFunc(needs, func(id string) bool { return late[id] })
		switch {
		case !behind && c.dim() == "" && !slices.ContainsFunc(needs, func(id string) bool { return c.made[id] }):
		case !behind && c.takes(i):
			c.add(i)
		default:
			c.waiting[i] = true
			for _, id := range s.Writes {
				late[id] = true
			}
		}
	}
	c.inside = c.between()
	if len(c.at) < 2 || len(c.inside) == 0 {
		return nil
	}
	return c
}

func (c *chain) add(i int) {
	c.at = append(c.at, i)
	c.extent = c.of.Steps[i].Kernel.IR.Axes[0].Extent
	for _, id := range c.of.Steps[i].Writes {
		c.made[id] = true
	}
}

// takes reports whether a kernel may run by rows in the chain: it stores whole rows, in the order of its first axis, and is compiled to run so.
func (c *chain) takes(i int) bool {
	s := &c.of.Steps[i]
	if s.Kind != plan.KernelStep || len(c.of.Needs(s)) > len(s.Reads)+len(s.Writes) || s.Kernel.Place.Accelerates() || c.turns != nil && !c.turns.Each(s) {
		return false
	}
	if c.dim() != "" {
		return c.takesObjects(s)
	}
	k := s.Kernel.IR
	if len(k.Axes) < 2 || c.extent > 0 && k.Axes[0].Extent != c.extent || !s.Kernel.ByRows() {
		return false
	}
	for _, id := range s.Writes {
		b := c.of.Buffer(id)
		if b.Role != plan.FromKernel || b.Box != nil || b.Counted() {
			return false
		}
		for _, part := range b.Bufs {
			if len(part.Shape) < 2 || !k.Fills(part) {
				return false
			}
		}
	}
	if slices.ContainsFunc(k.Stores, func(st ir.Store) bool { return st.Index[0] != k.Axes[0] }) {
		return false
	}
	return c.aligned(i, cutRows(max(1, k.Axes[0].Extent/leastBlocks), 1, k.Axes[0].Extent))
}

// cutRows cuts all rows into blocks of so many; fewer than least at the end go with the block before.
func cutRows(rows, least, of int) (out []region.Interval) {
	for lo := 0; lo < of; {
		hi := min(lo+rows, of)
		if of-hi < least {
			hi = of
		}
		out = append(out, region.Interval{Lo: lo, Hi: hi})
		lo = hi
	}
	return out
}

// aligned reports whether a kernel makes rows from the same rows of what the chain makes.
func (c *chain) aligned(i int, blocks []region.Interval) bool {
	k := c.of.Steps[i].Kernel
	var made []*ir.Buffer
	for _, id := range c.of.Steps[i].Reads {
		if c.made[id] {
			made = append(made, c.of.Buffer(id).Bufs...)
		}
	}
	if len(made) == 0 {
		return true
	}
	loads := bounds.Needed(k.IR)
	for _, rows := range blocks {
		need := loads.Of(k.Over(rows))
		for _, part := range made {
			if at := need[part]; at != nil && (len(at) == 0 || at[0].Lo < rows.Lo || at[0].Hi > rows.Hi) {
				return false
			}
		}
	}
	return true
}

// between are the arrays that only the chain reads.
func (c *chain) between() (out []string) {
	outside := map[string]bool{}
	for i := range c.of.Steps {
		s := &c.of.Steps[i]
		if slices.Contains(c.at, i) {
			if slices.ContainsFunc(s.Kernel.Roots, func(root *ops.Stage) bool { return root.Void != nil }) {
				for _, id := range s.Writes {
					outside[id] = true
				}
			}
			continue
		}
		for _, id := range slices.Concat(c.of.Needs(s), s.Frees) {
			outside[id] = true
		}
	}
	read := map[string]bool{}
	for _, i := range c.at {
		for _, id := range c.of.Steps[i].Reads {
			read[id] = true
		}
	}
	for _, i := range c.at {
		for _, id := range c.of.Steps[i].Writes {
			if !outside[id] && read[id] && (c.turns == nil || !c.turns.Lasts(c.of.Buffer(id))) && (c.dim() == "" || c.few(id)) {
				out = append(out, id)
			}
		}
	}
	return out
}

// most is how many rows, or objects, a block has; 0: the chain is not worth it.
func (c *chain) most(threads int) int {
	if c.dim() != "" {
		return c.objects(threads)
	}
	rows := c.rows(threads)
	if rows > 0 && !c.holds(cutRows(rows, 1, c.extent)) {
		return 0
	}
	return rows
}

func (c *chain) rows(threads int) int {
	var all int64
	for _, id := range c.inside {
		all += c.of.Buffer(id).Bytes
	}
	row := int(all) / max(1, c.extent)
	if all < LeastAway || row < leastRow {
		return 0
	}
	rows := min(max(nearBytes, nearThread*threads)/row, c.extent/leastBlocks)
	if rows < max(leastRows, 2*threads) {
		return 0
	}
	if rows > 2*leastRows {
		return rows / (2 * leastRows) * (2 * leastRows)
	}
	return rows / leastRows * leastRows
}

// leaves has what the chain stores go past the caches where they lose it anyway, and keep what is between its kernels.
func (c *chain) leaves() {
	for _, i := range c.at {
		s := &c.of.Steps[i]
		if Lost(c.of, s.Writes) && !slices.ContainsFunc(s.Writes, func(id string) bool { return slices.Contains(c.inside, id) }) {
			s.Kernel.StorePast()
		}
	}
}

// holds reports whether blocks need no rows but their own.
func (c *chain) holds(blocks []region.Interval) bool {
	return !slices.ContainsFunc(c.at, func(i int) bool { return !c.aligned(i, blocks) })
}

// gather puts the steps of the chain one behind the other: those among them that do not wait for it come before, others after it. It gives the place behind.
func (c *chain) gather() int {
	first, last := c.at[0], c.at[len(c.at)-1]
	var before, own, after []bound.Step
	for i := first; i <= last; i++ {
		switch s := c.of.Steps[i]; {
		case slices.Contains(c.at, i):
			own = append(own, s)
		case c.waiting[i]:
			after = append(after, s)
		default:
			before = append(before, s)
		}
	}
	reads := first // sources that the chain stands behind stay there: while they are read, what it makes gets pages
	for reads > 0 && c.of.Steps[reads-1].Kind == plan.ReadStep && !c.reads(before, c.of.Steps[reads-1].Writes[0]) {
		reads--
	}
	sources := slices.Clone(c.of.Steps[reads:first])
	copy(c.of.Steps[reads:], slices.Concat(before, sources, own, after))
	for i := range own {
		c.at[i] = first + len(before) + i
	}
	return c.at[len(c.at)-1] + 1
}

// reads reports whether one of some steps needs an array.
func (c *chain) reads(steps []bound.Step, id string) bool {
	return slices.ContainsFunc(steps, func(s bound.Step) bool { return slices.Contains(c.of.Needs(&s), id) })
}

func (c *chain) plan(rows int) plan.Chain {
	out := plan.Chain{Inside: c.inside, Rows: rows}
	for _, i := range c.at {
		out.Steps = append(out.Steps, c.of.Steps[i].ID)
	}
	return out
}

// CutChain cuts the rows of a chain of a compiled plan into blocks, as its kernels like them; nil: it does not fit the steps of the plan.
func CutChain(p *bound.Plan, of *plan.Chain) []region.Interval {
	c := &chain{of: p, made: map[string]bool{}}
	rows, least := of.Rows, 1
	for i := range p.Steps {
		if !slices.Contains(of.Steps, p.Steps[i].ID) {
			continue
		}
		if !c.takes(i) {
			return nil
		}
		c.add(i)
		if step := p.Steps[i].Kernel.Step; len(step) > 0 && step[0] > 0 {
			rows, least = (rows+step[0]-1)/step[0]*step[0], max(least, step[0])
		}
	}
	if len(c.at) != len(of.Steps) || c.at[len(c.at)-1]-c.at[0] != len(c.at)-1 {
		return nil
	}
	between := c.between()
	cuts := cutRows(max(1, rows), least, c.extent)
	if slices.ContainsFunc(of.Inside, func(id string) bool { return !slices.Contains(between, id) }) || !c.holds(cuts) {
		return nil
	}
	return cuts
}
