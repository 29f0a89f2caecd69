package render

import (
	"fmt"
	"strings"

	"weft/kernels/ir"
)

// Grid is the grid to launch for a tile, within the device's limits: at least one block in each dimension, and where a
// dimension would need more blocks than the limit, blocks that take several turns. An empty tile gives ok false: there is
// nothing to launch.
func (o CUDAOutput) Grid(lo, hi []int, limit [3]int) (grid [3]int, ok bool) {
	for d, axes := range o.groups {
		blocks := int64(1)
		for _, a := range axes {
			if hi[a] <= lo[a] {
				return grid, false
			}
			n := (int64(hi[a]) - int64(lo[a]) + int64(o.Step[a]) - 1) / int64(o.Step[a])
			if blocks > int64(limit[d])/n {
				blocks = int64(limit[d])
				continue
			}
			blocks *= n
		}
		grid[d] = int(min(blocks, int64(limit[d])))
	}
	return grid, true
}

// threadBody renders the kernel's stores within loops over the tile: each dimension of the grid strides over the blocks
// it counts, so that any grid covers any tile.
func (r *renderer) threadBody(o CUDAOutput) string {
	r.W = 1
	root := newScope(ir.Set{})
	r.stack = []*scope{root}
	var order []int
	for d := 2; d >= 0; d-- {
		order = append(order, o.groups[d]...)
	}
	for _, a := range order {
		binds := r.axis(a).Bind()
		if len(r.threads.slabs) > 0 && r.threads.origins[a] != nil {
			binds = binds.Or(r.threads.origins[a].Bind())
		}
		r.stack = append(r.stack, newScope(binds))
	}
	r.fillSlabs(root, r.top(), o.Block)
	for _, st := range r.k.Stores {
		r.store(output{Store: st})
	}
	var text strings.Builder
	line := func(format string, a ...any) { fmt.Fprintf(&text, format+"\n", a...) }
	lines := func(sc *scope) {
		for _, l := range sc.lines {
			line("%s", l)
		}
	}
	lines(root)
	at, open := 1, 0
	for d := 2; d >= 0; d-- {
		if len(o.groups[d]) == 0 {
			continue
		}
		r.openDimension(o, d, line)
		open++
		for _, a := range o.groups[d] {
			r.coordinate(o, d, a, line)
			lines(r.stack[at])
			at++
		}
	}
	line("%s", strings.Repeat("}", open))
	return text.String()
}

// openDimension opens the loop over the blocks that a dimension of the grid counts.
func (r *renderer) openDimension(o CUDAOutput, d int, line func(string, ...any)) {
	xyz := string("xyz"[d])
	var counts []string
	for _, a := range o.groups[d] {
		line("const long long n%d = (hi%d - lo%d + %d) / %d;", a, a, a, o.Step[a]-1, o.Step[a])
		counts = append(counts, fmt.Sprintf("n%d", a))
	}
	line("const long long n%s = %s;", xyz, strings.Join(counts, " * "))
	line("for (long long g%s = blockIdx.%s; g%s < n%s; g%s += gridDim.%s) {", xyz, xyz, xyz, xyz, xyz, xyz)
}

// coordinate declares the thread's first point along an axis. A thread beyond the tile leaves the loop's turn; the threads
// that share a fold agree on it, because they differ in no point. Where others wait for it, it repeats the tile's last point
// and stores nothing.
func (r *renderer) coordinate(o CUDAOutput, d, a int, line func(string, ...any)) {
	number := "g" + string("xyz"[d])
	group := o.groups[d]
	if len(group) > 1 {
		after := "1"
		for i := len(group) - 1; group[i] != a; i-- {
			after += fmt.Sprintf(" * n%d", group[i])
		}
		number = fmt.Sprintf("(%s / (%s) %% n%d)", number, after, a)
	}
	x := axisName(r.axis(a))
	text := fmt.Sprintf("lo%d + %s", a, number)
	if o.Step[a] > 1 {
		text += fmt.Sprintf(" * %d", o.Step[a])
	}
	if len(r.threads.slabs) > 0 && r.threads.origins[a] != nil {
		line("const int %s = (int)(%s);", axisName(r.threads.origins[a]), text)
	}
	component, ok := r.threads.s.ThreadOf(a)
	constant := "const "
	if r.threads.s.Stays() {
		constant = ""
	}
	if !ok {
		line("const int %s = (int)(%s);", x, text)
	} else {
		line("%slong long %s_at = %s + threadIdx.%s;", constant, x, text, component)
		if r.threads.s.Stays() {
			line("const int %s_in = %s_at < hi%d;", x, x, a)
			line("if (!%s_in) %s_at = hi%d - 1;", x, x, a)
		} else {
			line("if (%s_at >= hi%d) continue;", x, a)
		}
		line("const int %s = (int)%s_at;", x, x)
	}
	if r.clamp && r.step(a) > 1 {
		line("const int %s_last = (int)hi%d - 1;", x, a)
	}
}
