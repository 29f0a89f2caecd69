package runtime

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"time"

	"weft/kernels/ir"
	"weft/kernels/region"
	"weft/ops"
	"weft/ops/problem"
	"weft/planner/bound"
	"weft/planner/plan"
	"weft/runtime/exec"
	"weft/runtime/journal"
	"weft/runtime/state"
)

// probe is the smallest buffer there is: by it a device shows where its memory lies.
var probe = &ir.Buffer{Name: "probe", Type: ir.F32}

// tileSource reads one source by rows.
type tileSource struct {
	run    *run
	step   *bound.Step
	buffer string
	ops.TileSource
	took time.Duration
}

func (s *tileSource) read(ctx context.Context, at region.Region) error {
	start := time.Now()
	defer func() { s.took += time.Since(start) }()
	s.run.arrays.Extend(s.buffer, at)
	h, err := s.run.arrays.Host(s.buffer)
	if err != nil {
		return err
	}
	for piece := range ops.Pieces(at, h.Type.Shape()) {
		if err := s.Read(ctx, piece, h.Sub(piece)); err != nil {
			return err
		}
	}
	s.run.opt.Trace.Span(0, "read", s.step.Name, start, map[string]any{"region": at})
	return nil
}

func (s *tileSource) close(ctx context.Context, failed bool) error {
	note, err := s.Close(ctx)
	s.run.result.ReadS += s.took.Seconds()
	if !failed && s.step.Kind == plan.ReadStep { // a drive was told of
		s.run.transferred(&s.run.result.Sources, "read", s.step, note, time.Now().Add(-s.took))
	}
	return err
}

// tileSink writes one sink by rows and keeps its journal.
type tileSink struct {
	run     *run
	step    *bound.Step
	output  string // path; empty for a sink without a file, which has no journal
	journal *journal.Journal
	ops.TileSink
	done    bool              // committed
	there   []region.Region   // marked: by an earlier run, or this one
	samples []journal.Sampled // that no entry of the journal holds yet
	took    time.Duration
}

// rows are those that are there, for people: of the last columns, where it is written in columns.
func (s *tileSink) rows() int { return s.there[len(s.there)-1][0].Hi }

// left is what is not there of a region: some of its last rows.
func (s *tileSink) left(at region.Region) region.Region {
	for _, m := range s.there {
		if at[1:].Within(m[1:]) && m[0].Lo <= at[0].Lo {
			at = at.Along(0, region.Interval{Lo: min(max(at[0].Lo, m[0].Hi), at[0].Hi), Hi: at[0].Hi})
		}
	}
	return at
}

// write hands over what is not there from an earlier run.
func (s *tileSink) write(ctx context.Context, at region.Region) error {
	if at = s.left(at); at.Empty() {
		return nil
	}
	start := time.Now()
	defer func() { s.took += time.Since(start) }()
	t := s.run.arrays.ByID[s.step.Reads[0]].Layout
	for piece := range ops.Pieces(at, t.Shape()) {
		in := make([]ops.HostArray, len(s.step.Reads))
		for i, id := range s.step.Reads {
			h, err := s.run.arrays.Host(id)
			if err != nil {
				return err
			}
			in[i] = h.Sub(s.run.arrays.ByID[id].Layout.Beside(t, piece))
		}
		if err := s.Write(ctx, piece, in); err != nil {
			return err
		}
	}
	s.run.opt.Trace.Span(0, "sink", s.step.Name, start, map[string]any{"region": at})
	if s.journal == nil {
		return nil
	}
	mark, err := s.Mark()
	if err != nil || len(mark.There) == 0 || mark.There.Empty() {
		return err
	}
	s.there = append(s.there, mark.There)
	err, s.samples = s.journal.Append(journal.Entry{Mark: mark, Samples: s.samples}, s.Sync), nil
	return err
}

func (s *tileSink) commit(ctx context.Context) error {
	start := time.Now()
	if s.journal != nil {
		if err := s.journal.Wait(); err != nil {
			return err
		}
	}
	note, err := s.Commit(ctx)
	if err != nil {
		return err
	}
	s.done = true
	if s.output != "" {
		s.run.announce(s.step)
	}
	s.took += time.Since(start)
	s.run.result.SinkS += s.took.Seconds()
	s.run.transferred(&s.run.result.Sinks, "sink", s.step, note, time.Now().Add(-s.took))
	if s.journal == nil {
		return nil
	}
	return s.journal.Remove()
}

// close leaves an output that is not complete to a later run, where it can be taken up, and removes it where it cannot.
func (s *tileSink) close(wrong bool) error {
	switch {
	case s.done:
		return nil
	case s.journal == nil:
		return s.Abort()
	}
	err := s.journal.Wait()
	if len(s.there) == 0 || wrong { // nothing is lost
		return errors.Join(err, s.Abort(), s.journal.Remove())
	}
	s.run.opt.Progress.Log(fmt.Sprintf("%s is unfinished: weft run --resume goes on from row %d", s.output, s.rows()))
	return errors.Join(err, s.Suspend(), s.journal.Close())
}

// open opens the sources and sinks of a pass that work by rows and lays out the blocks that are left to do.
func (p *pass) open(ctx context.Context) (err error) {
	r := p.run
	for _, s := range p.steps {
		switch {
		case s.Kind == plan.DriveStep && s.Drive.Tiles != nil:
			p.sources = append(p.sources, &tileSource{run: r, step: s, buffer: s.Writes[0], TileSource: state.Left(func() *state.Disk { return r.scratch[s.Writes[0]] })})
		case s.Kind == plan.ReadStep && r.arrays.Windowed[s.Writes[0]]:
			src, err := exec.Reader{TileReader: s.Op.Bound.(ops.TileReader), Planned: p.Moves(s.ID)}.OpenSource()
			if err != nil {
				return r.failed(ctx, s, err)
			}
			p.sources = append(p.sources, &tileSource{run: r, step: s, buffer: s.Writes[0], TileSource: src})
		case s.Kind == plan.SinkStep && slices.ContainsFunc(s.Reads, func(id string) bool { return r.arrays.Windowed[id] }):
			sink, err := p.openSink(s)
			if err != nil {
				return r.failed(ctx, s, err)
			}
			p.sinks = append(p.sinks, sink)
		}
	}
	all := p.Strips()
	for i, strip := range all {
		from := p.from(strip)
		if strip == nil {
			if from, err = p.carries(from); err != nil {
				return err
			}
		}
		p.begun = p.begun || from > 0
		if last := i == len(all)-1; from < p.Rows || last && p.strips == nil {
			p.strips = append(p.strips, p.layout.Blocks(p.index, strip, min(from, p.Rows-1)))
		}
	}
	return nil
}

// anew reports whether all rows of an array must be made by the pass under way, because they are kept for later ones. Single values are made with its last block.
func (p *pass) anew(id string) bool {
	return !p.run.arrays.Windowed[id] && p.run.arrays.ByID[id].Layout.RowCount() > 1
}

// from is the row, of the tallest array that the pass makes, from which something is left to do in a strip.
func (p *pass) from(strip region.Region) int {
	from := p.Rows
	if slices.ContainsFunc(p.Makes, p.anew) {
		return 0
	}
	for _, s := range p.sinks {
		t := p.run.arrays.ByID[s.step.Reads[0]].Layout
		from = min(from, s.left(p.Along(strip, t))[0].Lo*p.Rows/t.Dims[0].Size)
	}
	return from
}

// errStrips is why an output cannot be taken up.
var errStrips = errors.New("it was written in other strips, under another memory budget")

// openSink starts an output, or takes it up where an earlier run left it.
func (p *pass) openSink(step *bound.Step) (*tileSink, error) {
	r := p.run
	s := &tileSink{run: r, step: step}
	if r.discards(step) {
		s.TileSink = exec.Discard{}
		return s, nil
	}
	op := exec.Writer{TileWriter: step.Op.Bound.(ops.TileWriter), Planned: p.Moves(step.ID)}
	if s.output = step.Op.File(); s.output == "" {
		sink, err := op.OpenSink(nil)
		s.TileSink = sink
		return s, err
	}
	header := r.header()
	old, err := journal.Read(s.output)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		old = journal.Record{}
	case err != nil:
		return nil, err
	case !r.opt.Resume:
		r.opt.Progress.Log(fmt.Sprintf("%s: an unfinished run is replaced; --resume would have gone on from row %d", s.output, old.Rows()))
		old = journal.Record{}
	default:
		if why := old.Header.Foreign(header); why != "" {
			return nil, problem.Wrong(problem.JournalForeign, "path", "run without --resume to start afresh", "the journal of %s is of another run: %s", s.output, why)
		}
	}
	if old.Rows() > 0 {
		if err = errStrips; !p.Strange(r.arrays.ByID[step.Reads[0]].Layout, old.Marks) {
			s.TileSink, err = op.OpenSink(old.Marks)
		}
		if err == nil {
			for _, m := range old.Marks {
				s.there = append(s.there, m.There)
			}
			if len(old.Samples) > len(p.before) { // every journal of the pass holds the same, as far as it goes
				p.before = old.Samples
			}
			r.opt.Progress.Log(fmt.Sprintf("%s goes on from row %d", s.output, s.rows()))
			s.journal, err = journal.Resume(s.output, old)
			return s, err
		}
		r.opt.Progress.Log(fmt.Sprintf("%s: what an earlier run wrote cannot be taken up, so it is written anew: %s", s.output, err))
	}
	if s.TileSink, err = op.OpenSink(nil); err != nil {
		return nil, err
	}
	if s.journal, err = journal.Create(s.output, header); err != nil {
		return nil, errors.Join(err, s.Abort())
	}
	return s, nil
}

// accelerators are those that the plan puts kernels on, described.
func (r *run) accelerators() map[string]string {
	out := map[string]string{}
	on := r.plan.Decided.On()
	for _, d := range r.opt.Accelerators {
		if slices.Contains(on, d.Info().Name) {
			out[d.Info().Name] = d.Info().Text()
		}
	}
	return out
}

// leftovers removes what an unfinished run in blocks left of an output that is now written as a whole.
func (r *run) leftovers(step *bound.Step) error {
	op, ok := step.Op.Bound.(ops.TileWriter)
	output := step.Op.File()
	if !ok || output == "" {
		return nil
	}
	if old, err := journal.Read(output); err == nil {
		r.opt.Progress.Log(fmt.Sprintf("%s: an unfinished run, which was at row %d, is replaced: the program fits in memory now", output, old.Rows()))
		sink, err := op.OpenSink(nil)
		if err == nil {
			err = sink.Abort()
		}
		return errors.Join(err, journal.Forget(journal.PathOf(output)))
	}
	return nil
}
