package fleet

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"

	"weft/kernels/device"
	"weft/kernels/ir"
	"weft/kernels/region"
)

// Look is somebody's looking at what a job in line makes, beside what follows.
type Look interface {
	// Wait returns when it is over. Fine: nothing seems wrong; else Job.Check says whether something is. The error is of the device, which could not show it.
	Wait() (fine bool, err error)
	// Void tells that the job is done once more: what was seen is of no account.
	Void()
}

// Glimpse are elements of an array that are to be seen on the host.
type Glimpse struct {
	Array Array
	At    []region.Region
}

// mostPieces and, in bytes, chunk are as much as is seen by one copy, of which there are so many at most.
const (
	mostPieces = 1 << 16
	mostSeen   = 16
)

// Glimpse has the host see some elements of arrays that devices hold, behind what those have in line, by one wait for each; false where no device holds some, or they are too
// many. They do not count as being on the host. It may be called while jobs are put in line.
func (f *Fleet) Glimpse(ctx context.Context, stage string, of []Glimpse) (seen bool, err error) {
	seen, _, err = f.glimpse(ctx, stage, of)
	return seen, err
}

// glimpse is Glimpse, and says which device failed.
func (f *Fleet) glimpse(ctx context.Context, stage string, of []Glimpse) (seen bool, by *Member, err error) {
	parts := make([][]piece, len(f.members))
	for _, g := range of {
		for _, at := range g.At {
			i := slices.IndexFunc(f.members, func(m *Member) bool { return m.shows(g.Array.Buf, at) })
			if i < 0 {
				return false, nil, nil
			}
			if n := len(parts[i]); n == 0 || parts[i][n-1].array.Buf != g.Array.Buf {
				parts[i] = append(parts[i], piece{array: g.Array})
			}
			last := &parts[i][len(parts[i])-1]
			last.spans = append(last.spans, g.Array.spans(at)...)
		}
	}
	for _, pieces := range parts {
		n := 0
		for j := range pieces {
			pieces[j].spans = device.JoinSpans(pieces[j].spans)
			n += len(pieces[j].spans)
		}
		if n > mostSeen*mostPieces || bytesOf(pieces) > mostSeen*chunk {
			return false, nil, nil
		}
	}
	faults := make([]error, len(parts))
	var all sync.WaitGroup
	for i, pieces := range parts {
		if len(pieces) > 0 {
			all.Go(func() {
				for _, some := range portions(pieces, mostPieces, chunk) {
					if faults[i] == nil {
						faults[i] = f.members[i].glimpse(ctx, stage, some)
					}
				}
			})
		}
	}
	all.Wait()
	for i, err := range faults {
		if errors.Is(err, device.ErrMemory) {
			f.members[i].retries(fmt.Sprintf("%s: %s. Looking piece by piece.", stage, err))
			return false, nil, nil
		}
		if err != nil {
			return true, f.members[i], err
		}
	}
	return true, nil, nil
}

// piece is what is seen of an array on a device.
type piece struct {
	array Array
	spans []device.Span
}

func (p piece) bytes() (n int) {
	for _, s := range p.spans {
		n += int(s.To - s.From)
	}
	return n
}

func bytesOf(pieces []piece) (n int) {
	for _, p := range pieces {
		n += p.bytes()
	}
	return n
}

// portions are pieces that are copied together: of no more spans, and bytes, than are given.
func portions(pieces []piece, spans int, bytes int64) (out [][]piece) {
	left, room := 0, int64(0)
	for _, p := range pieces {
		begun := false // in the last portion
		for _, s := range p.spans {
			for s.From < s.To {
				if left == 0 || room == 0 {
					out = append(out, nil)
					left, room, begun = spans, bytes, false
				}
				last := &out[len(out)-1]
				if !begun {
					*last, begun = append(*last, piece{array: p.array}), true
				}
				part := device.Span{From: s.From, To: min(s.To, s.From+room)}
				(*last)[len(*last)-1].spans = append((*last)[len(*last)-1].spans, part)
				left, room, s.From = left-1, room-(part.To-part.From), part.To
			}
		}
	}
	return out
}

// shows reports whether a device holds a region of an array, and can show parts of it.
func (m *Member) shows(b *ir.Buffer, at region.Region) bool {
	r := m.replica(b)
	if r == nil || m.isLost() {
		return false
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	_, ok := r.mem.(device.Gathering)
	return ok && r.valid.Holds(at)
}

func (m *Member) glimpse(ctx context.Context, stage string, pieces []piece) error {
	c, bytes := &staging{m: m, stage: stage}, bytesOf(pieces)
	defer c.close()
	var data []byte
	if p := m.borrow(false); p != nil {
		c.pins, data = append(c.pins, p), p.data
	} else {
		data = make([]byte, bytes)
	}
	parts := make([][]byte, len(pieces))
	took, err := m.lanes[download].do(ctx, m.opt.Trace, stage, map[string]any{"arrays": len(pieces), "bytes": bytes}, func() (err error) {
		var line []device.Pending
		for i, p := range pieces {
			parts[i], data = data[:p.bytes()], data[p.bytes():]
			pending, e := m.replica(p.array.Buf).mem.(device.Gathering).EnqueueGather(ctx, parts[i], p.spans)
			if err = e; err != nil {
				break
			}
			line = append(line, pending)
		}
		for _, p := range slices.Backward(line) { // those before are over then
			if _, e := p.Wait(); err == nil {
				err = e
			}
		}
		return err
	})
	m.count(func(u *Usage) { u.add(download, took, bytes, err) })
	if err != nil {
		return err
	}
	for i, p := range pieces {
		for _, s := range p.spans {
			parts[i] = parts[i][copy(p.array.Data[s.From:s.To], parts[i]):]
		}
	}
	return nil
}

// PeekAll is Peek of several arrays, together if that is possible.
func (f *Fleet) PeekAll(ctx context.Context, stage string, of []Glimpse) error {
	if err := f.settle(ctx); err != nil {
		return err
	}
	seen, by, err := f.glimpse(ctx, stage, of)
	switch {
	case ctx.Err() != nil:
		return ctx.Err()
	case err != nil:
		by.failed(err)
		f.miss(by, of, err)
	case seen:
		return nil
	}
	for _, g := range of {
		for _, at := range g.At {
			if err := f.Peek(ctx, g.Array.Buf, at); err != nil {
				return err
			}
		}
	}
	return nil
}

// FetchTogether is Fetch of small arrays as wholes, those of a device by one wait, behind what it has in line. What cannot be had so is left to Fetch.
func (f *Fleet) FetchTogether(ctx context.Context, stage string, of []Glimpse) error {
	redone := f.redone
	seen, by, err := f.glimpse(ctx, stage, of)
	if ctx.Err() != nil {
		return ctx.Err()
	}
	if err != nil {
		by.failed(err)
		f.miss(by, of, err)
		return nil
	}
	if err := f.settle(ctx); err != nil || !seen || redone != f.redone {
		return err
	}
	for _, g := range of {
		f.came(g.Array.Buf, g.Array.whole())
	}
	return nil
}

// miss notes that the first of some elements that a device was to show cannot be had from it.
func (f *Fleet) miss(m *Member, of []Glimpse, err error) {
	for _, g := range of {
		if e, lacks := f.lacking(g.Array.Buf, g.At[0]); len(lacks) > 0 && m.replica(g.Array.Buf) != nil {
			m.replica(g.Array.Buf).forget(g.At[0])
			e.lost = Failure{Device: m.name, Kind: m.kind, Reason: err.Error()}
			return
		}
	}
}

// looked waits for who looks at a job that is over, and says what is wrong with what it made; empty: nothing is. Failed is what the device could not show of it.
func (q *waiting) looked(ctx context.Context) (fault string, failed, err error) {
	if q.look == nil {
		return "", nil, nil
	}
	fine, err := q.look.Wait()
	switch {
	case ctx.Err() != nil:
		return "", nil, ctx.Err()
	case err != nil:
		return "", err, nil
	case fine || q.job.Check == nil:
		return "", nil, nil
	}
	faults, err := q.job.Check(ctx, []region.Region{q.job.Over})
	if err != nil {
		return "", nil, err
	}
	return faults[0], nil, nil
}

// void ends looking at a job that is done once more.
func (q *waiting) void() {
	if q.look != nil {
		_, _ = q.look.Wait()
		q.look.Void()
	}
}

// crowded reports whether a device of a job lacks room for its arrays beside what it holds.
func (f *Fleet) crowded(j *Job) bool {
	return slices.ContainsFunc(j.Devices, func(name string) bool {
		m := f.member(name)
		if m == nil || m.limit <= 0 {
			return false
		}
		need, seen := m.held(), map[*ir.Buffer]bool{}
		for _, a := range slices.Concat(j.Reads, j.Writes) {
			if m.replica(a.Buf) == nil && !seen[a.Buf] {
				need += a.size()
			}
			seen[a.Buf] = true
		}
		return need > m.limit
	})
}

// Settle waits for all that devices have in line, and for those who look at it, and has done again what failed or was wrong.
func (f *Fleet) Settle(ctx context.Context) error {
	if f == nil {
		return nil
	}
	return f.settle(ctx)
}
