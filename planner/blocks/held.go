package blocks

import (
	"fmt"
	"maps"
	"slices"

	"weft/kernels/ir"
	"weft/kernels/region"
	"weft/ops"
	"weft/planner/bound"
	"weft/planner/plan"
)

const (
	line = 64      // bytes that parts of rows which are held are multiples of
	page = 4 << 10 // and are not: rows that lie so far apart share few places of caches
)

// narrow notes the arrays that may come in strips, of which as much of each row is held as the widest one needs (ir.Buffer.Held): a strip then lies in one piece.
func (f *flow) narrow() {
	stays := map[*bound.Buffer]bool{}
	for _, u := range f.units {
		if u.step.Kind == plan.DriveStep { // its programs were planned for arrays as they lie
			for _, b := range slices.Concat(u.reads, u.makes) {
				stays[b] = true
			}
		}
	}
	f.held = map[*bound.Buffer]int{}
	for i := range f.plan.Buffers {
		b := &f.plan.Buffers[i]
		if f.kept[b] != "" || stays[b] || len(b.Layout.Dims) < 2 || b.Layout.Format != nil || b.Role != plan.FromSource && b.Role != plan.FromKernel ||
			len(f.plan.Machine.Accelerators) > 0 && b.Bufs[0].Pad != (ir.Pad{}) { // which other devices give its value once, row by row
			continue
		}
		f.held[b] = 0
	}
}

// hold has arrays hold as much of their rows as the strips of a pass need.
func (f *flow) hold(p *Pass) {
	if f.held == nil {
		return
	}
	for _, strip := range p.Strips() {
		s := f.schedule(p, p.BlockRows, 0, strip)
		for b := range s.tracks {
			if _, may := f.held[b]; may {
				f.held[b] = f.holds(b, s.window(b, region.Interval{}))
			}
		}
	}
}

// holds is how many elements of its rows an array holds that has room for a region; 0: all.
func (f *flow) holds(b *bound.Buffer, at region.Region) int {
	held, may := f.held[b]
	if !may {
		return 0
	}
	part, all := b.Bufs[0], 0
	size := part.Type.Size()
	if n := at[len(at)-1].Len(); n > 0 {
		all = part.Pad.Before + n + part.Pad.After
	}
	all = (all*size + line - 1) / line * line / size
	if all*size%page == 0 {
		all += line / size
	}
	return min(max(held, all), part.Padded())
}

// window is the memory of a region of an array.
func (f *flow) window(b *bound.Buffer, at region.Region) int64 {
	if held := f.holds(b, at); held > 0 && held < b.Bufs[0].Padded() {
		narrow := *b
		narrow.Bufs = heldBy(b, held)
		return Window(&narrow, at)
	}
	return Window(b, at)
}

// heldBy are the parts of an array with so much of each row.
func heldBy(b *bound.Buffer, held int) (parts []*ir.Buffer) {
	for _, part := range b.Bufs {
		narrow := *part
		narrow.Held = held
		parts = append(parts, &narrow)
	}
	return parts
}

// asPlanned has arrays hold what the plan says.
func (f *flow) asPlanned() {
	if f.strips {
		f.narrow()
	}
	for b := range f.held {
		f.held[b] = b.Bufs[0].Row()
	}
}

// fitsHeld finds fault with what the plan says that arrays hold.
func (f *flow) fitsHeld(passes []Pass) error {
	was := maps.Clone(f.held)
	for i := range passes {
		f.hold(&passes[i])
	}
	for i := range f.plan.Buffers {
		b := &f.plan.Buffers[i]
		if b.Held > 0 && was[b] != b.Held || f.held[b] != was[b] {
			return fmt.Errorf("array %s holds %d elements of each row, and strips of it need %d", b.ID, b.Held, f.held[b])
		}
	}
	return nil
}

// lay has arrays lie as the passes hold them, and the plan say so.
func (f *flow) lay() {
	changed := map[*bound.Buffer]bool{}
	for b, held := range f.held {
		if held == 0 || held >= b.Bufs[0].Padded() {
			continue
		}
		changed[b] = true
		for _, part := range b.Bufs {
			part.Held = held
		}
		b.Measure()
	}
	for _, u := range f.units {
		if k := u.step.Kernel; k != nil && slices.ContainsFunc(slices.Concat(u.reads, u.makes), func(b *bound.Buffer) bool { return changed[b] }) {
			k.Write()
			k.Predict()
		}
	}
}

// ends is what each piece of a region takes where it begins and ends within pages.
func ends(part *ir.Buffer, at region.Region) int64 {
	for from, to := range ops.ByteRanges(part, at) {
		if from%page == 0 && to%page == 0 && part.Row()*part.Type.Size()%page == 0 {
			return 0
		}
		break
	}
	return page
}
