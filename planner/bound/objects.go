package bound

import (
	"slices"

	"weft/kernels/ir"
	"weft/kernels/region"
	"weft/ops"
	"weft/planner/bounds"
	"weft/planner/plan"
)

// ByObject is how many objects a drive in rounds is of that may go on with some of them at a time, as each turn of its programs reads of what lies around the
// drive the rows of these alone, or all of it; own are the arrays of which it reads the rows. 0: it needs all objects at once.
func (p *Plan) ByObject(s *Step) (objects int, own []string) {
	d := s.Drive
	if d == nil || d.Rounds == nil || d.Tiles != nil {
		return 0, nil
	}
	dim := d.Rounds.Dim
	for _, id := range s.Writes {
		b := p.Buffer(id)
		if b.Layout.Dim(dim) != 0 || b.Counted() || objects > 0 && objects != b.Layout.RowCount() {
			return 0, nil
		}
		objects = b.Layout.RowCount()
	}
	for _, id := range d.Start {
		if b := p.Buffer(id); b.Layout.Dim(dim) == 0 && !slices.Contains(own, id) {
			own = append(own, id)
		} else if b.Layout.Dim(dim) > 0 {
			return 0, nil
		}
	}
	whole := map[string]bool{}
	for i, program := range s.Programs {
		rows, ok := program.ObjectRows(d.Rounds, d.Programs[i], objects)
		if !ok {
			return 0, nil
		}
		for id, alone := range rows {
			if whole[id] = whole[id] || !alone; !slices.Contains(own, id) {
				own = append(own, id)
			}
		}
	}
	return objects, slices.DeleteFunc(own, func(id string) bool { return whole[id] })
}

// ObjectRows says of each array around a drive, by id there, whether one of its programs reads of it for an object the row of that alone. It is not ok where not
// all that the program does is for each object by itself.
func (p *Plan) ObjectRows(r *ops.Rounds, about plan.DriveProgram, objects int) (rows map[string]bool, ok bool) {
	dim := r.Dim
	rows = map[string]bool{}
	order := p.Buffer(about.Now[r.Order])
	for i := range p.Steps {
		s := &p.Steps[i]
		if s.Kind == plan.SinkStep {
			continue
		}
		if s.Kernel == nil || slices.Contains(about.Once, s.ID) || len(s.Kernel.IR.Axes) == 0 || s.Kernel.IR.Axes[0].Name != dim || !s.Kernel.IR.Rowwise() {
			return nil, false
		}
		for _, id := range s.Reads {
			b := p.Buffer(id)
			if b.Role == plan.FromAround {
				rows[b.Around] = rowOf(s.Kernel.IR, b, order, objects) && b.Layout.RowCount() == objects
			}
		}
	}
	return rows, true
}

// rowOf reports whether a kernel reads of an array the row of the object alone that the order says stands where it computes.
func rowOf(k *ir.Kernel, b, order *Buffer, objects int) bool {
	if len(b.Layout.Dims) == 0 || order == nil {
		return false
	}
	stands := k.Domain().Along(0, region.Interval{Hi: 1})
	for _, object := range []int{0, objects / 2, objects - 1} {
		need := bounds.Needed(k).Where(bounds.Values{order.Bufs[0]: {float64(object), float64(object)}}).Of(stands)
		for _, part := range b.Bufs {
			if at := need[part]; len(at) > 0 && !at[0].Empty() && at[0] != (region.Interval{Lo: object, Hi: object + 1}) {
				return false
			}
		}
	}
	return objects > 1
}

// TakesFor is the memory of a drive in rounds that goes on with so many of its objects at a time.
func (s *Step) TakesFor(around *Plan, objects, at int) (bytes int64) {
	few := func(b *Buffer, rows int) int64 {
		if b.Layout.Dim(s.Drive.Rounds.Dim) != 0 {
			return b.Bytes
		}
		return b.Bytes / int64(max(1, objects)) * int64(min(rows, objects))
	}
	for _, id := range s.Drive.Start {
		bytes += 2 * few(around.Buffer(id), at)
	}
	for i, p := range s.Programs {
		about := s.Drive.Programs[i]
		for j := range p.Buffers {
			b := &p.Buffers[j]
			if b.Role == plan.FromAround || slices.Contains(about.Now, b.ID) || slices.Contains(about.Next, b.ID) {
				continue
			}
			rows := at
			if i := slices.IndexFunc(p.Chains, func(c plan.Chain) bool { return slices.Contains(c.Inside, b.ID) }); i >= 0 {
				rows = min(at, p.Chains[i].Rows)
			}
			bytes += few(b, rows)
		}
	}
	return bytes
}
