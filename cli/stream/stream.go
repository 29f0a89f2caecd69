// Package stream runs a program for each frame of a stream, by one plan: `weft stream` is this.
package stream

import (
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"
	"time"

	"weft/lang/diag"
	"weft/ops"
	"weft/ops/problem"
	"weft/planner/bound"
	weft "weft/runtime"
	"weft/runtime/notebook"
	"weft/runtime/progress"
	"weft/runtime/session"
)

// Stream is a program and what its frames come from.
type Stream struct {
	Session  *session.Session
	Program  *session.Program                                            // as its text has it: what it defines says what frames are like
	Check    func(values map[string]ops.Value) (*session.Program, error) // the same with values in place of what it defines
	From, To map[string]string                                           // ways by name: of what is replaced by frames, and of what is handed over for each
	Rate     float64                                                     // frames a second; 0: each frame is waited for
	Most     int                                                         // frames; 0: any number
	Verify   int                                                         // every so many frames are compared with float64, besides those that are planned for themselves; 0: no more

	In       io.Reader
	Out      io.Writer
	Terminal ops.Terminal
	Progress progress.Hears
	Said     func(string)     // a line for a person
	Row      func(string)     // how far it is
	Show     func(*diag.List) // what is found while it runs
}

// live is a stream under way.
type live struct {
	*Stream
	names   []string // of what is replaced
	takers  []string // names of what is handed over
	targets []target

	prog   *session.Program
	plan   *bound.Plan
	inputs []ops.Array
	said   map[string]bool // warnings that were shown
	report Report
	delays delays
}

// Run runs the program until no more frames come. The report is of the frames until then, also when an error ends it.
func (s *Stream) Run(ctx context.Context) (report *Report, err error) {
	l := &live{Stream: s, names: slices.Sorted(maps.Keys(s.From)), takers: slices.Sorted(maps.Keys(s.To)), said: map[string]bool{}}
	types, err := l.types(l.names)
	if err != nil {
		return nil, err
	}
	results, err := l.types(l.takers)
	if err != nil {
		return nil, err
	}
	f, release, err := newFeed(types)
	if err != nil {
		release()
		return nil, err
	}
	f.rate, f.sources = s.Rate, make([]source, len(types))
	ctx, stop := context.WithCancel(ctx)
	ended := make(chan struct{})
	defer func() {
		stop()
		for _, s := range f.sources {
			if s != nil {
				err = errors.Join(err, s.Close())
			}
		}
		select {
		case <-ended:
			release()
		case <-time.After(time.Second): // it waits for standard input, and its memory goes with the process
		}
	}()
	// Who sends would wait, or lose frames, while the program is prepared; files that are not there are told at once.
	err = l.open(ctx, f, types, false)
	if err == nil {
		err = l.prepare(ctx, f)
	}
	if err == nil {
		err = l.open(ctx, f, types, true)
	}
	if err != nil {
		close(ended)
		return nil, err
	}
	for i, name := range l.takers {
		t, err := openTarget(ctx, s.To[name], s.Out, results[i], s.Said)
		if err != nil {
			close(ended)
			return nil, errors.Join(err, l.closeTargets())
		}
		l.targets = append(l.targets, t)
	}
	go func() {
		defer close(ended)
		f.run(ctx, s.Most)
	}()
	err = l.frames(ctx, f)
	l.report.finish(f, &l.delays, s.Rate)
	if err == nil && l.report.Came == 0 {
		err = errors.New("no frame came")
	}
	return &l.report, errors.Join(err, l.closeTargets())
}

// open opens the sources that are connections, or those that are not.
func (l *live) open(ctx context.Context, f *feed, types []ops.Type, connections bool) error {
	for i, name := range l.names {
		if way := l.From[name]; connects(way) == connections {
			src, err := openSource(ctx, way, l.In, types[i], l.Said)
			if err != nil {
				return err
			}
			f.sources[i] = src
			_, file := src.(*rows)
			f.paced = f.paced || file && l.Rate > 0
		}
	}
	return nil
}

func (l *live) closeTargets() (err error) {
	for _, t := range l.targets {
		err = errors.Join(err, t.close())
	}
	return err
}

// types are those of the arrays that the text names.
func (l *live) types(names []string) (types []ops.Type, err error) {
	for _, name := range names {
		a, err := defined(l.Program, name)
		if err != nil {
			return nil, err
		}
		types = append(types, a.Type())
	}
	return types, nil
}

// defined is the array that a text defines under a name.
func defined(p *session.Program, name string) (ops.Array, error) {
	var names []string
	for at, v := range p.Info.Defs {
		if at.Span().Source != p.Source {
			continue
		}
		a, is := v.(ops.Array)
		switch {
		case at.Text == name && !is:
			return a, fmt.Errorf("%s is no array, and only arrays come and go by frames", name)
		case at.Text == name && slices.ContainsFunc(a.Type().Dims, func(d ops.Dim) bool { return d.Count != nil }):
			return a, fmt.Errorf("%s is %s, whose size is counted by the run: frames are of one size", name, a.Type())
		case at.Text == name:
			return a, nil
		case is:
			names = append(names, at.Text)
		}
	}
	slices.Sort(names)
	return ops.Array{}, fmt.Errorf("the text defines no %s; the arrays that it defines are %v", name, names)
}

// frames runs the program for each frame.
func (l *live) frames(ctx context.Context, f *feed) error {
	shown := time.Now()
	for {
		var fr *frame
		var more bool
		select {
		case fr, more = <-f.ready:
		case <-ctx.Done():
			return ctx.Err()
		}
		if !more {
			return errors.Join(ctx.Err(), f.err)
		}
		if err := l.one(ctx, fr); err != nil {
			if ctx.Err() == nil {
				l.Said(fmt.Sprintf("frame %d ends the stream", fr.number)) // the error says where in the text, and is shown there
			}
			return err
		}
		l.delays.add(time.Since(fr.came))
		f.free <- fr
		if l.Row != nil && time.Since(shown) > time.Second/4 {
			shown = time.Now()
			l.Row(fmt.Sprintf("frame %d: %.1f ms after it came, %d dropped", fr.number, ms(l.delays.last), f.dropped.Load()))
		}
	}
}

// prepare plans the program, compiles it and compares it with float64 before the first frame comes, so that none is lost to that: for what the text itself
// says the arrays are.
func (l *live) prepare(ctx context.Context, f *feed) error {
	fr := <-f.free
	defer func() { f.free <- fr }()
	l.Program.Sinks = nil
	given := make([]ops.Array, len(l.names))
	for i, name := range l.names {
		a, err := defined(l.Program, name)
		if err != nil {
			return err
		}
		given[i] = notebook.Given(name, fr.arrays[i])
		l.Program.Sinks = append(l.Program.Sinks, notebook.Handed(i, a, func(_ context.Context, h ops.HostArray) error { return notebook.Copy(fr.arrays[i], h) }))
	}
	plan, err := l.Session.Plan(ctx, l.Program, session.PlanOptions{})
	if err != nil {
		return err
	}
	if _, err := l.Session.Run(ctx, l.Program, plan, l.options(false)); err != nil {
		return err
	}
	if err := l.planned(ctx, given); err != nil {
		return err
	}
	opt := l.options(true)
	opt.Discard = true
	_, err = l.Session.Run(ctx, l.prog, l.plan, opt)
	if err == nil {
		err = l.prog.Err()
	}
	return err
}

func (l *live) options(verify bool) weft.Options {
	return weft.Options{Verify: verify, Terminal: l.Terminal, Progress: progress.Quiet{To: l.Progress}}
}

// one runs the program for a frame: by the plan of the one before, unless what was found of that one by its elements does not hold for this one.
func (l *live) one(ctx context.Context, fr *frame) error {
	given := make([]ops.Array, len(l.names))
	same := l.plan != nil
	for i, name := range l.names {
		given[i] = notebook.Given(name, fr.arrays[i])
		same = same && notebook.Renewed(l.inputs[i], given[i])
	}
	if !same {
		if err := l.planned(ctx, given); err != nil {
			return err
		}
	}
	check := !same || l.Verify > 0 && fr.number%l.Verify == 0
	l.prog.Found = diag.List{}
	done, err := l.Session.Run(ctx, l.prog, l.plan, l.options(check))
	if err == nil {
		err = l.prog.Err()
	}
	if err != nil {
		return err
	}
	if l.warn(); check {
		l.report.Verified++
	}
	l.report.Done++
	if len(done.Repairs) > 0 { // it ran in wider numbers than those of the plan
		l.plan = nil
	}
	return nil
}

// planned checks and plans the program with the arrays of a frame.
func (l *live) planned(ctx context.Context, given []ops.Array) error {
	values := map[string]ops.Value{}
	for i, name := range l.names {
		values[name] = given[i]
	}
	p, err := l.Check(values)
	if err == nil {
		err = p.Err()
	}
	if err != nil {
		return err
	}
	for i, name := range l.takers {
		a, err := defined(p, name)
		if err != nil {
			return err
		}
		p.Sinks = append(p.Sinks, notebook.Handed(i, a, func(ctx context.Context, h ops.HostArray) error { return l.targets[i].take(ctx, h) }))
	}
	if len(p.Sinks) == 0 {
		return errors.New("nothing comes of the frames: hand an array over by --to NAME=PLACE, or write or show one in the text")
	}
	plan, err := l.Session.Plan(ctx, p, session.PlanOptions{})
	if err != nil {
		return err
	}
	l.prog, l.plan, l.inputs = p, plan, given
	l.warn()
	l.report.Planned++
	return nil
}

// warn shows what was found and not shown yet: the same warning of every frame is said once.
func (l *live) warn() {
	var fresh diag.List
	for _, d := range l.prog.Found.Sorted() {
		if text := d.Code + d.Message; !l.said[text] && (d.Code != problem.NoSink || len(l.takers) == 0) {
			l.said[text] = true
			fresh.Add(d)
		}
	}
	l.Show(&fresh)
}
