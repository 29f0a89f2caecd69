package place

import (
	"math"
	"slices"

	"weft/kernels/device"
	"weft/kernels/ir/count"
	"weft/kernels/region"
	"weft/ops"
	"weft/planner/blocks"
	"weft/planner/bound"
	"weft/planner/cost"
	"weft/planner/graph"
	"weft/planner/plan"
)

// task is a kernel to be placed.
type task struct {
	step    *bound.Step
	host    float64 // seconds on the host's processor
	work    count.Work
	in      []feed
	out     []feed
	rows    int    // of its first axis
	tiles   int    // that @tile asks for; 0: any number
	block   int    // blocks of rows that the run is cut into; 0: none
	whole   bool   // it combines into what is there, so one device has all of it
	comes   string // what comes and goes, which is in no device's memory but the host's; empty: nothing
	least   int64  // bytes of device memory without which not even its smallest range runs
	frees   []int  // arrays that nothing needs afterwards
	taken   []int  // arrays that the host takes afterwards, for what is no kernel
	request request
	lacks   string // why it is not where it was asked to be; empty: it is
	fits    []bool // by device: its memory holds the smallest range
}

// feed is an array that a task reads or stores.
type feed struct {
	array  int     // index among the plan's buffers
	bytes  float64 // what is needed of it
	all    bool    // by every device, whichever rows that has
	copies int     // one for each part
	taken  bool    // by what is no kernel
	moved  int64   // bytes that are copied to a device that lacks all of it
}

// site is a plan with the devices that its kernels may be put on.
type site struct {
	plan    *bound.Plan
	stream  *blocks.Stream     // nil: not in blocks
	stays   bool               // what devices make stays there until the host, or another, asks for it
	turn    *plan.DriveProgram // Placing.Turn
	ahead   bool               // calls that go ahead of the host are weighed: it gets numbers alone
	before  holding            // what is held before a call, then
	came    []int64            // bytes of each buffer that come to the host, counted by those who ask for it
	devices []DeviceModel
	model   *cost.Model
	tasks   []*task
	index   map[string]int // of buffers
	alloc   []float64      // bytes that a buffer takes on a device
	teams   [][]int        // devices that may share a kernel; the first team is nobody: the host
	fast    []int          // devices, the fastest first
	scratch holding        // for what is tried
}

// survey finds out what there is to place.
func (s *site) survey(requests map[*bound.Step]request, inner bool) {
	p := s.plan
	for i := range p.Buffers {
		s.index[p.Buffers[i].ID] = i
		s.alloc = append(s.alloc, float64(p.Buffers[i].Bytes)*s.atOnce(p.Buffers[i].ID))
	}
	for i := range p.Steps {
		step := &p.Steps[i]
		if step.Kernel != nil {
			t := s.task(step)
			t.request = requests[step]
			s.tasks = append(s.tasks, t)
		}
		if step.Kernel == nil && len(s.tasks) > 0 {
			last := s.tasks[len(s.tasks)-1]
			for _, id := range step.Reads {
				last.taken = append(last.taken, s.index[id])
			}
		}
		for _, id := range step.Frees {
			if len(s.tasks) > 0 {
				last := s.tasks[len(s.tasks)-1]
				last.frees = append(last.frees, s.index[id])
			}
		}
	}
	s.rank()
	s.stays = !inner && p.Stays()
}

// bytes are those of an array that is copied as a whole.
func (s *site) bytes(array int) (n int64) {
	for _, part := range s.plan.Buffers[array].Bufs {
		n += ops.Copied(part, region.Whole(part.Shape...))
	}
	return n
}

// rank orders the devices by speed and forms the teams: the fastest, and the fastest few, up to all.
func (s *site) rank() {
	speed := func(r device.Rates) float64 {
		if r.Flops <= 0 {
			return math.Inf(1)
		}
		return r.Flops
	}
	for i := range s.devices {
		s.fast = append(s.fast, i)
	}
	slices.SortStableFunc(s.fast, func(a, b int) int {
		x, y := speed(s.devices[a].Rates), speed(s.devices[b].Rates)
		switch {
		case x > y:
			return -1
		case x < y:
			return 1
		}
		return 0
	})
	s.teams = [][]int{nil}
	const each = 4 // beyond so many devices, teams double
	for n := 1; n <= len(s.fast); n++ {
		if n <= each || n&(n-1) == 0 || n == len(s.fast) {
			s.teams = append(s.teams, s.fast[:n])
		}
	}
}

func (s *site) task(step *bound.Step) *task {
	k := step.Kernel
	t := &task{
		step: step, host: k.Seconds(), work: count.WorkOf(k.IR), whole: !k.IR.Rowwise(), rows: 1,
	}
	if len(k.IR.Axes) > 0 {
		t.rows = max(1, k.IR.Axes[0].Extent)
	}
	if graph.AskedTile(k.Roots) != nil {
		t.tiles = k.Tiles
	}
	if s.stream != nil {
		t.block = s.stream.StepBlocks(step.ID)
		switch {
		case k.Carry != nil:
			t.comes = "what it carries from block to block"
		case !t.whole:
		case s.stream.Strips && k.IR.Columnwise():
			t.comes = "strips of whole columns"
		case k.IR.Each() > 0 || s.plan.Starts(step) != nil:
			t.comes = "blocks of what it stores in an order of its own"
		}
	}
	middle := region.Interval{Lo: t.rows / 2, Hi: t.rows/2 + 1}
	if t.whole {
		middle = region.Interval{Lo: 0, Hi: t.rows}
	}
	need := s.plan.Footprint(step)
	some, all, reach := need(k.Over(middle)), need(k.IR.Domain()), s.plan.Reach(step)(k.Over(middle))
	for _, id := range step.Reads {
		b := s.plan.Buffer(id)
		f := feed{array: s.index[id], bytes: float64(b.Bytes), all: true, copies: len(b.Bufs)}
		least := b.Bytes
		if n := some[id]; len(n) > 0 {
			least = rowBytes(b, n.Hull(reach[id])[0])
			f.all = !t.whole && t.rows > 1 && 2*n[0].Len() > b.Layout.RowCount()
			f.bytes = float64(rowBytes(b, all[id][0]))
		}
		for i, part := range b.Bufs {
			at := region.Region(nil)
			if n := all[id]; len(n) > 0 {
				at = b.Layout.In(i, part.Shape, n)
			}
			f.moved += ops.Copied(part, ops.CopiedOf(part, at))
		}
		t.least += least + margins(b)
		t.in = append(t.in, f)
	}
	for _, id := range step.Writes {
		b := s.plan.Buffer(id)
		t.out = append(t.out, feed{array: s.index[id], bytes: float64(b.Bytes), copies: len(b.Bufs), taken: s.plan.Taken(id)})
		least := b.Bytes
		if len(b.Layout.Dims) > 0 && len(k.IR.Axes) > 0 {
			least = rowBytes(b, region.Interval{Hi: middle.Len()})
		}
		t.least += least + margins(b)
	}
	for _, d := range s.devices {
		t.fits = append(t.fits, t.comes == "" && (d.Info.Limits.Memory <= 0 || t.least <= d.Info.Limits.Memory))
	}
	return t
}

// rowBytes is the memory of some rows of an array.
func rowBytes(b *bound.Buffer, rows region.Interval) int64 {
	return blocks.Window(b, b.Layout.Rows(rows))
}

// margins are the bytes that parts of an array take beyond their own, where a device has a row at a time.
func margins(b *bound.Buffer) (n int64) {
	for _, part := range b.Bufs {
		n += device.ViewBytes(part, 1)
	}
	return n
}

func (s *site) atOnce(buffer string) float64 {
	if s.stream == nil {
		return 1
	}
	return s.stream.AtOnce(buffer)
}

// team are the devices that a task runs on where the neighbourhood runs on team n: those that it may and can use.
func (s *site) team(t *task, n int) []int {
	var out []int
	switch w := t.request; {
	case w.host:
		return nil
	case w.exact:
		out = w.devices
	case w.devices == nil:
		out = slices.DeleteFunc(slices.Clone(s.teams[n]), func(d int) bool { return s.devices[d].Unrated })
	default:
		out = slices.DeleteFunc(slices.Clone(s.teams[n]), func(d int) bool { return !slices.Contains(w.devices, d) })
		if len(s.able(t, out)) == 0 { // one of them it must be
			out = s.able(t, w.devices)[:1]
		}
	}
	out = s.able(t, out)
	if t.whole && len(out) > 1 {
		out = out[:1]
	}
	return out
}

// able are those of some devices whose memory holds the smallest range of a task, the fastest first.
func (s *site) able(t *task, devices []int) []int {
	var out []int
	for _, d := range s.fast {
		if slices.Contains(devices, d) && t.fits[d] {
			out = append(out, d)
		}
	}
	return out
}
