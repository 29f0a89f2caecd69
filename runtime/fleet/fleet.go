package fleet

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"sync"
	"time"

	"weft/kernels/device"
	"weft/kernels/ir"
	"weft/kernels/region"
	"weft/runtime/memory"
	"weft/runtime/trace"
)

// Options of a fleet.
type Options struct {
	Memory *memory.Governor  // grants page-locked memory; nil: as much as the devices lend
	Trace  *trace.Writer     // gets each device's three lanes; nil: none
	Log    func(line string) // hears what a person should see; nil: nobody
}

// Fleet is the accelerators of a run. A nil Fleet has none.
type Fleet struct {
	members []*Member
	jobs    int
	line    []*waiting // jobs that devices have in line, in the order in which they were put there
	inLine  int        // launches among them
	turn    *Turn      // that is noted; nil: none is
	behind  float64    // seconds that they take, as far as that is known
	redone  int        // times that some of them were done again
	waited  time.Duration
	moving  turn // of who copies to the host what it lacks, gives up what only a device holds, or computes on the host

	mu     sync.Mutex
	aparts map[*ir.Buffer]*apart
}

// Member is one device of a fleet.
type Member struct {
	dev   device.Device
	name  string
	kind  string
	limit int64 // of memory; 0: not known
	rates device.Rates
	opt   Options
	lanes [lanes]*lane

	before device.Usage // what the device had done before

	mu       sync.Mutex
	programs map[*ir.Kernel]device.Program
	replicas map[*ir.Buffer]*replica
	pins     []*pin                 // that no slot uses now
	paces    map[*ir.Kernel]float64 // seconds a point, as last measured
	ran      map[*ir.Kernel]bool    // kernels that it took a part of
	inRow    int                    // failures since something went well
	left     string                 // why it is left out; empty: it is not
	lost     bool                   // nothing can be had from it
	reopened bool                   // after it was lost; it is not again
	usage    Usage
}

// New makes a fleet of devices.
func New(devices []device.Device, opt Options) *Fleet {
	if opt.Log == nil {
		opt.Log = func(string) {}
	}
	f := &Fleet{moving: newTurn(), aparts: map[*ir.Buffer]*apart{}}
	for i, d := range devices {
		info := d.Info()
		m := &Member{dev: d, name: info.Name, kind: info.Kind, limit: info.Limits.Memory, opt: opt, lanes: newLanes(opt.Trace, info.Name, i),
			programs: map[*ir.Kernel]device.Program{}, replicas: map[*ir.Buffer]*replica{},
			paces: map[*ir.Kernel]float64{}, ran: map[*ir.Kernel]bool{},
			usage: Usage{Name: info.Name, Kind: info.Kind, Memory: info.Limits.Memory}}
		if r, ok := d.(device.Rated); ok {
			m.rates = r.Rates()
		}
		if u, ok := d.(device.Metered); ok {
			m.before = u.Usage()
		}
		f.members = append(f.members, m)
	}
	return f
}

// Failure is something that a device could not do.
type Failure struct {
	Stage  string
	Device string // its name
	Kind   string
	Reason string
	Ranges int // that run on the host's processor for it; 0: other devices go on with the work
}

// Target is a kernel to compile for some devices.
type Target struct {
	Stage   string
	Kernel  *ir.Kernel
	Devices []string
}

// Compile compiles kernels for their devices, for all of these side by side: those of one device in one go, and one by one when that fails, so that only those
// that do not compile fail. The error is the context's, or about a device that the fleet does not have.
func (f *Fleet) Compile(ctx context.Context, targets []Target) ([]Failure, error) {
	todo := map[*Member][]Target{}
	for _, t := range targets {
		for _, name := range t.Devices {
			m := f.member(name)
			if m == nil {
				return nil, fmt.Errorf("%s is placed on %s, which is none of the accelerators of this run", t.Stage, name)
			}
			if m.left == "" && m.programs[t.Kernel] == nil {
				todo[m] = append(todo[m], t)
			}
		}
	}
	failures := make([][]Failure, len(f.members))
	var compiling sync.WaitGroup
	for i, m := range f.members {
		compiling.Go(func() { failures[i] = m.compile(ctx, todo[m]) })
	}
	compiling.Wait()
	return slices.Concat(failures...), ctx.Err()
}

func (m *Member) compile(ctx context.Context, targets []Target) (failures []Failure) {
	if len(targets) == 0 {
		return nil
	}
	err := m.compileTogether(ctx, targets)
	if err == nil || ctx.Err() != nil {
		return nil
	}
	if len(targets) > 1 {
		m.count(func(u *Usage) { u.Failures++ })
		m.opt.Log(fmt.Sprintf("%s: %s; compiling its kernels one by one", m.name, err))
	}
	for _, t := range targets {
		if len(targets) > 1 {
			err = m.compileTogether(ctx, []Target{t})
		}
		if err == nil || ctx.Err() != nil {
			continue
		}
		m.count(func(u *Usage) { u.Failures++ })
		failures = append(failures, Failure{Stage: t.Stage, Device: m.name, Kind: m.kind, Reason: err.Error()})
		if m.lose(err); errors.Is(err, device.ErrLost) {
			m.leave(err.Error())
		}
	}
	return failures
}

func (m *Member) compileTogether(ctx context.Context, targets []Target) error {
	kernels := make([]*ir.Kernel, len(targets))
	for i, t := range targets {
		kernels[i] = t.Kernel
	}
	programs, err := m.dev.Compile(ctx, kernels, device.Options{})
	if err != nil {
		return err
	}
	for i, k := range kernels {
		m.programs[k] = programs[i]
	}
	return nil
}

func (f *Fleet) member(name string) *Member {
	if f == nil {
		return nil
	}
	at := slices.IndexFunc(f.members, func(m *Member) bool { return m.name == name })
	if at < 0 {
		return nil
	}
	return f.members[at]
}

// Kind is that of a device.
func (f *Fleet) Kind(name string) string { return f.member(name).kind }

// Fits reports whether each of some devices has memory for so many bytes.
func (f *Fleet) Fits(names []string, bytes int64) bool {
	return !slices.ContainsFunc(names, func(name string) bool { m := f.member(name); return m != nil && m.limit > 0 && m.limit < bytes })
}

// Able reports whether some of the named devices could run a kernel; why not otherwise.
func (f *Fleet) Able(k *ir.Kernel, names []string) (ok bool, why string) {
	for _, name := range names {
		m := f.member(name)
		switch {
		case m == nil:
		case m.out() != "":
			why = fmt.Sprintf("%s is left out: %s", name, m.out())
		case m.programs[k] == nil:
			why = fmt.Sprintf("%s has no program for it", name)
		default:
			return true, ""
		}
	}
	return false, why
}

// Release gives up the replicas of an array that the host gives up.
func (f *Fleet) Release(parts ...*ir.Buffer) {
	if f == nil {
		return
	}
	for _, b := range parts {
		f.came(b, region.Whole(b.Shape...)) // or nobody asks for it any more
		for _, m := range f.members {
			m.drop(b)
		}
	}
}

// ReleaseAll gives up all replicas and what the devices lent.
func (f *Fleet) ReleaseAll() {
	if f == nil {
		return
	}
	f.abandon()
	clear(f.aparts)
	for _, m := range f.members {
		for _, b := range m.resident() {
			m.drop(b)
		}
		m.unpin()
	}
}

// Forget marks a region of an array as changed, or gone, on the host.
func (f *Fleet) Forget(b *ir.Buffer, at region.Region) {
	if f == nil {
		return
	}
	f.came(b, at)
	for _, m := range f.members {
		if r := m.replica(b); r != nil {
			r.forget(at)
		}
	}
}

func (m *Member) resident() []*ir.Buffer {
	m.mu.Lock()
	defer m.mu.Unlock()
	return slices.Collect(maps.Keys(m.replicas))
}

func (m *Member) replica(b *ir.Buffer) *replica {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.replicas[b]
}

func (m *Member) drop(b *ir.Buffer) {
	m.mu.Lock()
	r := m.replicas[b]
	delete(m.replicas, b)
	m.mu.Unlock()
	if r != nil {
		r.mem.Free()
	}
}

func (m *Member) count(change func(*Usage)) {
	m.mu.Lock()
	defer m.mu.Unlock()
	change(&m.usage)
}

// out is why the device is left out; empty where it is not.
func (m *Member) out() string {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.left
}

// leave leaves the device out for the rest of the run, or until it is opened once more.
func (m *Member) leave(reason string) {
	m.mu.Lock()
	already, until := m.left != "", "for the rest of the run"
	if !already {
		m.left = reason
	}
	if _, ok := m.dev.(device.Reopener); ok && m.lost && !m.reopened {
		until = "until it can be opened once more"
	}
	m.mu.Unlock()
	if !already {
		m.opt.Log(fmt.Sprintf("%s is left out %s: %s", m.name, until, reason))
	}
}

// quarantineAfter is how many failures in a row a device may have before it is left out.
const quarantineAfter = 2

// failed counts a failure and leaves the device out that is lost or fails again and again. Being out of memory is not failing: a
// smaller kernel may have room.
func (m *Member) failed(err error) {
	m.mu.Lock()
	if m.lost && errors.Is(err, device.ErrLost) { // which is counted
		m.mu.Unlock()
		return
	}
	m.usage.Failures++
	if !errors.Is(err, device.ErrMemory) {
		m.inRow++
	}
	often := m.inRow >= quarantineAfter
	m.mu.Unlock()
	m.lose(err)
	if often || errors.Is(err, device.ErrLost) {
		m.leave(err.Error())
	}
}

// worked counts a range of a kernel that went well; it ends a row of failures.
func (m *Member) worked(k *ir.Kernel) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.inRow = 0
	m.usage.Ranges++
	m.ran[k] = true
	m.usage.Kernels = len(m.ran)
}
