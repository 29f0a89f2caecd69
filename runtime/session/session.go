// Package session is the one way in: it opens the machine, checks programs, plans them, and runs plans. The command line uses it and
// nothing below; so do tests of whole programs.
package session

import (
	"context"
	"errors"
	"fmt"
	"os"
	goruntime "runtime"
	"slices"
	"strings"
	"sync"

	"weft/kernels/cache"
	"weft/kernels/cuda"
	"weft/kernels/device"
	"weft/kernels/emulated"
	"weft/kernels/interp"
	"weft/kernels/native"
	"weft/lang/diag"
	"weft/ops/problem"
	"weft/planner/bound"
	"weft/planner/cost"
	"weft/planner/place"
	"weft/planner/plan"
	"weft/runtime"
	"weft/runtime/exec"
	"weft/runtime/memory"
	"weft/runtime/result"
)

// HostOnly, as the device of a session, opens no accelerators.
const HostOnly = "cpu"

// Config says what a session may use. The zero Config is all that this machine has.
type Config struct {
	Weft     string       // version, which plans record
	Device   string       // that every stage is to run on, or several (NAME,NAME); empty: as programs say and planning weighs
	ISA      string       // instruction set of another machine to plan for, on which nothing can run; empty: this machine
	Emulated string       // file that describes emulated devices; empty: none
	Threads  int          // launches at once; 0: one a processor
	Memory   int64        // bytes that arrays may take; 0: from what the machine has
	Model    *cost.Model  // predicts and learns; nil: the one of this machine
	Log      func(string) // hears what is not as it should be, in a line each; nil: nobody does
	// GPUs opens those of this machine, and says why it is not all; nil: NVIDIA's.
	GPUs func() ([]device.Device, error)
}

// Session is an open machine: devices, what is known of their speed, budgets.
type Session struct {
	// Hosts compute on the host's processor, best first: what fails on one runs on the next. The first one plans and holds arrays.
	Hosts      []device.Device
	CPU        *native.Device    // the first host, where there is a C compiler; nil without
	Missing    []runtime.Missing // hosts that would be better and cannot be had
	Threads    int
	Cache      string      // folder; empty: nothing is kept
	Model      *cost.Model // predicts for the first host
	Unmeasured string      // what is wrong with the machine's profile; empty: nothing
	Programs   exec.Programs

	config   Config
	emulated []device.Device
	opened   func() ([]device.Device, string) // the accelerators, and why no GPU can be had; they are opened when somebody asks for them
	models   func() []place.DeviceModel
	seen     []cost.Observation // to be learned from
	counts   map[string]float64 // how much there was of what runs counted, to be remembered
}

// Open looks for a C compiler, without which the interpreter is all there is, and makes the emulated devices. GPUs are looked for once somebody asks for them, which a session that is
// asked to be on the host only never does. Mistakes in the description of devices are Mistakes.
func Open(c Config) (*Session, error) {
	if c.Threads <= 0 {
		c.Threads = goruntime.GOMAXPROCS(0)
	}
	if c.Memory <= 0 {
		c.Memory = memory.System{}.Default()
	} else {
		c.Memory = plan.OfArrays(c.Memory)
	}
	if c.Log == nil {
		c.Log = func(string) {}
	}
	s := &Session{config: c, Threads: c.Threads, Hosts: []device.Device{interp.New(interp.Options{})}}
	var doubt error
	if s.Cache, doubt = cache.Open(); doubt != nil {
		c.Log(doubt.Error())
	}
	s.openHosts()
	if err := s.openAccelerators(); err != nil {
		return nil, err
	}
	if s.Model = c.Model; s.Model != nil {
		s.Model.Rules = s.Hosts[0].Info().Rules
		return s, nil
	}
	var err error
	s.Model, s.Unmeasured, err = cost.Open(s.Hosts[0].Info(), c.Threads, s.Cache)
	return s, err
}

func (s *Session) openHosts() {
	open := func() (*native.Device, error) { return native.New(s.native()) }
	if s.config.ISA != "" {
		open = func() (*native.Device, error) { return native.Describing(s.config.ISA) }
	}
	cpu, err := open()
	if err != nil {
		s.Missing = append(s.Missing, runtime.Missing{Kind: "native", Reason: err.Error()})
		return
	}
	s.Hosts, s.CPU = append([]device.Device{cpu}, s.Hosts...), cpu
}

// native is how the compiler is used, by the environment and in the session's own cache, and what kernels may take besides arrays.
func (s *Session) native() native.Config {
	c := native.FromEnv()
	c.Cache, c.Threads, c.Scratch = s.Cache, s.Threads, plan.OfLaunches(s.config.Memory)
	return c
}

// openAccelerators makes the emulated devices. GPUs are opened once somebody asks: that takes a tenth of a second and more, and commands that neither plan nor list them do without.
func (s *Session) openAccelerators() error {
	s.opened = sync.OnceValues(func() (out []device.Device, why string) {
		if s.meansGPUs() {
			gpus, err := s.config.GPUs()
			if out = gpus; err != nil {
				why = err.Error()
			}
		}
		return append(out, s.emulated...), why
	})
	s.models = sync.OnceValue(s.modelled)
	if s.config.GPUs == nil {
		s.config.GPUs = func() ([]device.Device, error) { return cuda.Devices(cuda.Config{Cache: s.Cache}) }
	}
	if s.config.Emulated == "" {
		return nil
	}
	list, err := described(s.config.Emulated)
	if err != nil {
		return err
	}
	if s.CPU == nil {
		return fmt.Errorf("error[%s]: emulated devices need a C compiler: %s", problem.DeviceFile, s.Missing[0].Reason)
	}
	for _, d := range emulated.New(s.CPU, list, emulated.Options{}) {
		s.emulated = append(s.emulated, d)
	}
	return nil
}

// meansGPUs reports whether what a run is asked to be on may be a GPU of this machine: it is not the host and not one of the emulated devices.
func (s *Session) meansGPUs() bool {
	for name := range strings.SplitSeq(s.config.Device, ",") {
		name = strings.TrimSpace(name)
		if name != HostOnly && !slices.ContainsFunc(s.emulated, func(d device.Device) bool {
			family, _, _ := strings.Cut(d.Info().Name, ":")
			return name == d.Info().Name || name == family || name == d.Info().Kind
		}) {
			return true
		}
	}
	return false
}

// Accelerators are the devices with memory of their own.
func (s *Session) Accelerators() []device.Device {
	out, _ := s.opened()
	return out
}

// NoCUDA is why no GPU of NVIDIA's can be had; empty: there is one, or nobody asked.
func (s *Session) NoCUDA() string {
	_, why := s.opened()
	return why
}

// described reads a file of emulated devices.
func described(path string) ([]emulated.Description, error) {
	text, err := os.ReadFile(path)
	if err != nil {
		return nil, fmt.Errorf("error[%s]: cannot read the devices of %s: %w", problem.DeviceFile, path, reasonOf(err))
	}
	list, err := emulated.Parse(text)
	if err == nil {
		return list, nil
	}
	found := new(diag.List)
	source := diag.NewSource(path, string(text))
	for _, e := range problem.Each(err) {
		var p emulated.Problem
		if errors.As(e, &p); p.Line == 0 {
			found.Report(problem.DeviceFile, diag.Span{}, "%s: %s", path, e)
			continue
		}
		found.Report(problem.DeviceFile, source.LineSpan(p.Line), "%s", p.Text).Helpf("docs/gpu.md has the keys")
	}
	return nil, &Mistakes{found}
}

// Only leaves the session one accelerator, on which everything runs.
func (s *Session) Only(d device.Device) {
	s.opened = func() ([]device.Device, string) { return []device.Device{d}, "" }
	s.models = sync.OnceValue(s.modelled)
	s.config.Device = d.Info().Name
}

// Models are the accelerators as the planner sees them.
func (s *Session) Models() []place.DeviceModel { return s.models() }

// modelled measures what is not known of how fast they are, of all at a time.
func (s *Session) modelled() []place.DeviceModel {
	devices := s.Accelerators()
	out := make([]place.DeviceModel, len(devices))
	var measuring sync.WaitGroup
	for i, d := range devices {
		measuring.Go(func() { out[i] = place.ModelOf(d) })
	}
	measuring.Wait()
	return out
}

// Learn teaches the cost model what runs took and measures a machine that was never measured. It takes its time, so the results should be
// out before.
func (s *Session) Learn(ctx context.Context) error {
	err := s.Model.Learn(s.seen)
	if len(s.counts) > 0 {
		err = errors.Join(err, s.Model.RememberCounts(s.counts))
	}
	s.seen, s.counts = nil, nil
	if s.Unmeasured != "" && s.CPU != nil && s.Cache != "" && ctx.Err() == nil {
		err = errors.Join(err, s.Measure(ctx, false))
	}
	return err
}

// counted keeps how much there was of what a run counted.
func (s *Session) counted(p *bound.Plan, r *result.Result) {
	for a, share := range r.Counted {
		if by := p.Graph.Counts[a]; by != nil {
			if s.counts == nil {
				s.counts = map[string]float64{}
			}
			s.counts[p.CountedBy(by)] = share
		}
	}
}

// recall is how much there was when it was counted last.
func (s *Session) recall(identity string) (share float64, ok bool) {
	if share, ok = s.counts[identity]; ok && s.Model.History != nil {
		return share, true
	}
	return s.Model.Counted(identity)
}

// Measure measures the machine, for predictions from now on; with again also where another process just did.
func (s *Session) Measure(ctx context.Context, again bool) error {
	p, err := cost.Measure(ctx, s.CPU, s.CPU.Target().Lanes, again, s.Cache)
	if err == nil {
		s.Model.Profile, s.Unmeasured = p, ""
	}
	return err
}
