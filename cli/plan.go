package cli

import (
	"runtime"

	"weft/lang/check"
	"weft/ops"
	"weft/planner"
	weft "weft/runtime"
)

// planFlags are the flags of every command that plans.
type planFlags struct {
	deviceFlags
	File      string             `arg:"" help:"Pipeline file."`
	Params    map[string]string  `short:"p" name:"param" mapsep:"none" placeholder:"NAME=VALUE" help:"Override a param of the file."`
	FuseLimit int                `default:"-1" placeholder:"N" help:"Fuse at most N times: bisects a wrong answer to one fusion."`
	Threads   int                `placeholder:"N" help:"Launches at once (default: one a processor)."`
	Memory    byteSize           `placeholder:"SIZE" help:"Limit of the arrays, such as 2GiB (default: from what the machine has)."`
	Device    string             `placeholder:"NAME" help:"Run every stage on the cpu, a gpu, or these devices (NAME,NAME), whatever the file says."`
	decided   *planner.Decisions // to plan by; nil: weigh
	resuming  bool               // plan by what the run decided that is gone on with

	Tolerance string `placeholder:"ERROR" help:"Error allowed in what sinks take, such as '0.1 dB' or 1e-4: the precision is then chosen by measurement."`
}

// machine opens the devices that the command may use.
func (f planFlags) machine(s *streams) (machine, error) { return f.open(s, f.Device) }

// plan checks the file and plans what its sinks ask for. Mistakes are printed.
func (f planFlags) plan(s *streams, m machine) (*loaded, *planner.Plan, error) {
	l, err := load(f.File, check.Options{Params: f.Params, Tolerance: f.Tolerance})
	if err != nil {
		return nil, nil, err
	}
	return f.planned(s, m, l)
}

// planned is plan, of a file that is read.
func (f planFlags) planned(s *streams, m machine, l *loaded) (*loaded, *planner.Plan, error) {
	if l.found.HasErrors() {
		return nil, nil, l.show(s.err)
	}
	if f.resuming {
		f.decided = unfinished(l.Sinks)
	}
	l.decided = f.decided != nil
	model, _, err := m.model(f.threads())
	if err != nil {
		return nil, nil, err
	}
	l.build = func(c planner.Choices) (*planner.Plan, error) {
		return planner.Build(l.Sinks, m.devices[0].Info(), planner.Options{
			File: f.File, Weft: version(), FuseLimit: f.FuseLimit, Threads: f.threads(), Memory: f.memory(), Cost: model, Precision: c,
			Accelerators: m.models(), Device: f.Device, Decided: f.decided,
		})
	}
	p, err := l.build(nil)
	if err == nil {
		return l, p, nil
	}
	if !l.addProblems(err, ops.Where{}) {
		return nil, nil, err
	}
	return nil, nil, l.show(s.err)
}

// memory is what arrays may take.
func (f planFlags) memory() int64 {
	if f.Memory != 0 {
		return int64(f.Memory)
	}
	return weft.MemoryLimit()
}

func (f planFlags) threads() int {
	if f.Threads > 0 {
		return f.Threads
	}
	return runtime.GOMAXPROCS(0)
}
