package fleet

import (
	"cmp"
	"context"
	"errors"
	"slices"

	"weft/kernels/device"
	"weft/kernels/ir"
	"weft/kernels/region"
)

// apart is an array of which the host lacks some: it is on devices alone, or nowhere any more, and then made again from what the host has.
type apart struct {
	buf    *ir.Buffer
	lacks  region.Set // of the host
	made   []making   // what is lacking, and more
	unheld bool       // given up but for what is made from it: no device has it
	lost   Failure    // why what is lacking is on no device, as far as something failed
	array  func(*ir.Buffer) (Array, error)
}

// making is a range of a job that was left on a device.
type making struct {
	job  *Job
	at   region.Region // of the job
	made region.Region // of the array
}

// leave notes that what a range made of an array is on a device alone.
func (f *Fleet) leave(j *Job, a Array, at, made region.Region) {
	f.mu.Lock()
	defer f.mu.Unlock()
	e := f.aparts[a.Buf]
	if e == nil {
		e = &apart{buf: a.Buf, array: j.Array}
		f.aparts[a.Buf] = e
	}
	e.lacks = e.lacks.With(made)
	e.made = append(e.made, making{j, at, made})
}

// came notes that the host has a region of an array.
func (f *Fleet) came(b *ir.Buffer, at region.Region) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if e := f.aparts[b]; e != nil {
		if e.lacks = e.lacks.Without(at); len(e.lacks) == 0 {
			delete(f.aparts, b)
		}
	}
}

// lacking is what the host lacks of a region of an array, and how it gets it; nil: nothing.
func (f *Fleet) lacking(b *ir.Buffer, at region.Region) (*apart, region.Set) {
	f.mu.Lock()
	defer f.mu.Unlock()
	e := f.aparts[b]
	if e == nil {
		return nil, nil
	}
	var out region.Set
	for _, box := range e.lacks {
		if both := box.Intersect(at); !both.Empty() {
			out = append(out, both)
		}
	}
	return e, out
}

// Lacks reports whether the host lacks a part of an array.
func (f *Fleet) Lacks(b *ir.Buffer) bool {
	if f == nil {
		return false
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.aparts[b] != nil
}

// Has reports whether the host has a part of an array.
func (f *Fleet) Has(b *ir.Buffer) bool {
	all := region.Whole(b.Shape...)
	_, lacks := f.lacking(b, all)
	var n int64
	for _, at := range lacks {
		n += at.Points()
	}
	return n < all.Points()
}

// Fetch has the host get a region of an array, as far as it lacks it: from a device, or made again where none has it any more.
func (f *Fleet) Fetch(ctx context.Context, b *ir.Buffer, at region.Region) error {
	if !f.Lacks(b) {
		return nil
	}
	seen, redone := f.fetchEarly(ctx, b, at), f.redone
	if err := f.settle(ctx); err != nil {
		return err
	}
	f.moving.Lock()
	defer f.moving.Unlock()
	if seen != nil && redone == f.redone {
		f.came(b, seen)
	}
	return f.fetch(ctx, b, at, false)
}

// fetchEarly copies a region to the host behind what its only device has in line, which is so waited for once with the copy. It is what it should be if nothing in line is done again.
func (f *Fleet) fetchEarly(ctx context.Context, b *ir.Buffer, at region.Region) (seen region.Region) {
	f.moving.Lock()
	defer f.moving.Unlock()
	e, missing := f.lacking(b, at)
	if len(f.line) == 0 || len(missing) != 1 {
		return nil
	}
	m, held := f.holder(b, missing[0])
	if m == nil || !held.Equal(missing[0]) {
		return nil
	}
	a, err := e.array(b)
	if err != nil { // it comes again
		return nil
	}
	if err = m.fetch(ctx, a, held); err == nil {
		return held
	}
	if ctx.Err() == nil { // else the device did not fail
		f.missing(e, m, held, err)
	}
	return nil
}

// missing notes that what a device holds cannot be copied, which is as good as lost.
func (f *Fleet) missing(e *apart, m *Member, held region.Region, err error) {
	m.failed(err)
	m.replica(e.buf).forget(held)
	e.lost = Failure{Device: m.name, Kind: m.kind, Reason: err.Error()}
}

// Peek is Fetch of a few elements to be looked at. They do not count as being on the host: many pieces would then be left to be fetched.
func (f *Fleet) Peek(ctx context.Context, b *ir.Buffer, at region.Region) error {
	if !f.Lacks(b) {
		return nil
	}
	if err := f.settle(ctx); err != nil {
		return err
	}
	f.moving.Lock()
	defer f.moving.Unlock()
	return f.fetch(ctx, b, at, true)
}

// FetchAll has the host get everything that it lacks and somebody may still ask for.
func (f *Fleet) FetchAll(ctx context.Context) error {
	if f == nil {
		return nil
	}
	f.mu.Lock()
	var all []*ir.Buffer
	for b, e := range f.aparts {
		if !e.unheld {
			all = append(all, b)
		}
	}
	f.mu.Unlock()
	slices.SortFunc(all, func(a, b *ir.Buffer) int { return cmp.Compare(a.Name, b.Name) })
	for _, b := range all {
		if err := f.Fetch(ctx, b, region.Whole(b.Shape...)); err != nil {
			return err
		}
	}
	return nil
}

// fetch is Fetch, or Peek, of who has the lock of what moves.
func (f *Fleet) fetch(ctx context.Context, b *ir.Buffer, at region.Region, peek bool) error {
	e, missing := f.lacking(b, at)
	for len(missing) > 0 {
		a, err := e.array(b)
		if err != nil {
			return err
		}
		m, held := f.holder(b, missing[0])
		switch {
		case m == nil:
			if err := f.remake(ctx, e, missing[0]); err != nil {
				return err
			}
			_, missing = f.lacking(b, at)
			continue
		default:
			err = m.fetch(ctx, a, held)
		}
		switch {
		case err == nil && !peek:
			f.came(b, held)
			_, missing = f.lacking(b, at)
		case err == nil:
			missing = append(region.Set{missing[0]}.Without(held), missing[1:]...)
		case ctx.Err() != nil:
			return ctx.Err()
		default:
			f.missing(e, m, held, err)
		}
	}
	return nil
}

// holder is a device that has a part of a region of an array.
func (f *Fleet) holder(b *ir.Buffer, at region.Region) (*Member, region.Region) {
	for _, m := range f.members {
		if r := m.replica(b); r != nil && !m.isLost() {
			r.mu.Lock()
			valid := r.valid
			r.mu.Unlock()
			for _, box := range valid {
				if both := box.Intersect(at); !both.Empty() {
					return m, both
				}
			}
		}
	}
	return nil, nil
}

// fetch copies a region of an array from a device to the host.
func (m *Member) fetch(ctx context.Context, a Array, at region.Region) error {
	c := &staging{m: m, stage: a.Buf.Name}
	c.borrow()
	defer c.close()
	_, err := c.copy(ctx, download, a, m.replica(a.Buf).mem, at, true)
	return err
}

// remake makes again, on the host's processor, what no device holds any more of a region.
func (f *Fleet) remake(ctx context.Context, e *apart, at region.Region) error {
	i := slices.IndexFunc(e.made, func(m making) bool { return !m.made.Intersect(at).Empty() })
	if i < 0 {
		return errors.New("fleet: " + e.buf.Name + " is on no device, and nobody knows how it is made")
	}
	m, why := e.made[i], e.lost
	why.Stage, why.Ranges = m.job.Stage, 1
	if e.unheld { // it was given up, and is wanted again since what was made from it is lost, which is what counts
		return f.onHost(ctx, m.job, m.at)
	}
	if why.Device == "" {
		for _, lost := range f.members {
			if lost.isLost() && slices.Contains(m.job.Devices, lost.name) {
				why.Device, why.Kind, why.Reason = lost.name, lost.kind, lost.out()
			}
		}
	}
	if m.job.Gone != nil {
		return m.job.Gone(why)
	}
	if err := m.job.Failed(why); err != nil {
		return err
	}
	return f.onHost(ctx, m.job, m.at)
}

// onHost does a range of a job on the host's processor, which gets what that needs before.
func (f *Fleet) onHost(ctx context.Context, j *Job, at region.Region) error {
	need := j.Need(at)
	for _, a := range j.Reads {
		if err := f.fetch(ctx, a.Buf, j.need(a, need), false); err != nil {
			return err
		}
	}
	for _, a := range slices.Concat(j.Reads, j.Writes) { // what had memory when the job ran may have none now
		if j.Array != nil {
			if _, err := j.Array(a.Buf); err != nil {
				return err
			}
		}
	}
	for _, a := range j.Writes {
		for _, m := range f.members {
			if r := m.replica(a.Buf); r != nil {
				r.forget(j.made(a, at))
			}
		}
	}
	if err := j.Host(ctx, at); err != nil {
		return err
	}
	for _, a := range j.Writes {
		f.came(a.Buf, j.made(a, at))
	}
	return nil
}

// stays reports whether an output is left where it is made.
func (j *Job) stays(a Array) bool { return j.Stays != nil && j.Stays(a.Buf) }

// hostFault is an error of the host, or of who is told of failures, while a device waits: it is no failure of the device.
type hostFault struct{ error }

func (f hostFault) Unwrap() error { return f.error }

// there is an array with its memory on the host, which one has that is on devices alone only once somebody asks for it.
func (j *Job) there(a Array) (Array, error) {
	if a.Data != nil || j.Array == nil {
		return a, nil
	}
	return j.Array(a.Buf)
}

// there is Job.there of who does not have the lock of what moves.
func (f *Fleet) there(j *Job, a Array) (Array, error) {
	if a.Data != nil {
		return a, nil
	}
	f.moving.Lock()
	defer f.moving.Unlock()
	return j.there(a)
}

// Source reports whether what the host lacks would be made from an array, if devices were lost.
func (f *Fleet) Source(b *ir.Buffer) bool {
	if f == nil {
		return false
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	for other, e := range f.aparts {
		if other != b && slices.ContainsFunc(e.made, func(m making) bool {
			return slices.ContainsFunc(m.job.Reads, func(a Array) bool { return a.Buf == b })
		}) {
			return true
		}
	}
	return false
}

// Unload gives up what devices hold of an array that is a source at most.
func (f *Fleet) Unload(parts ...*ir.Buffer) {
	for _, b := range parts {
		for _, m := range f.members {
			m.drop(b)
		}
		f.mu.Lock()
		if e := f.aparts[b]; e != nil {
			e.unheld = true
		}
		f.mu.Unlock()
	}
}

// alone is what a device alone holds of an array.
func (f *Fleet) alone(m *Member, b *ir.Buffer) (out region.Set) {
	r := m.replica(b)
	if r == nil || m.isLost() {
		return nil
	}
	_, lacks := f.lacking(b, region.Whole(b.Shape...))
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, box := range lacks {
		for _, v := range r.valid {
			if both := box.Intersect(v); !both.Empty() {
				out = append(out, both)
			}
		}
	}
	return out
}

// lose notes that nothing that a device holds can be had any more.
func (m *Member) lose(err error) {
	if errors.Is(err, device.ErrLost) {
		m.mu.Lock()
		m.lost = true
		m.mu.Unlock()
	}
}

func (m *Member) isLost() bool {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.lost
}
