package files

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"

	"weft/kernels/region"
	"weft/ops"
	"weft/ops/files/fileio"
	"weft/ops/files/format"
	"weft/ops/files/tile"
)

// Fits says why the arrays of the record cannot be written by rows.
func (w *recording) Fits() error {
	first := w.parts[0]
	for _, n := range w.parts {
		if t := n.Order.Type; len(t.Dims) == 0 || t.RowCount() != first.Order.Type.RowCount() {
			return fmt.Errorf("%s is written as a whole: %s is %s, and records whose arrays have all as many rows are written by rows", w.File(), n.Name, t)
		}
	}
	return nil
}

// Scratch is next to nothing for each array.
func (w *recording) Scratch(region.Region) int64 { return int64(len(w.parts)) * little }

// Chunk is none.
func (w *recording) Chunk() []int { return nil }

// Moves is the elements of all arrays as the file has them.
func (w *recording) Moves(at region.Region) (n int64) {
	for _, p := range w.parts {
		t := p.Order.Type
		n += t.Beside(w.parts[0].Order.Type, at)[:len(t.Dims)].Points() * int64(p.Order.DType.Size())
	}
	return n
}

// recordSink keeps the arrays of a record in files of their own, of raw elements, until all are there.
type recordSink struct {
	*recording
	kept []*tile.Writer
}

// OpenSink starts a record that is written part by part, or takes one up.
func (w *recording) OpenSink(marks []ops.Mark) (ops.TileSink, error) {
	s := &recordSink{recording: w}
	of := make([][]ops.Mark, len(w.parts))
	for _, m := range marks {
		var states []region.Region
		if err := json.Unmarshal(m.State, &states); err != nil || len(states) != len(of) {
			return nil, fmt.Errorf("%s: a mark of another file: %s", w.File(), m.State)
		}
		for i, there := range states {
			of[i] = append(of[i], ops.Mark{There: there})
		}
	}
	for i, p := range w.parts {
		out, err := tile.File{DType: p.Order.DType, Shape: p.Order.Type.Shape()}.Create(fmt.Sprintf("%s-%d", w.File(), i), true, of[i])
		if err != nil {
			if len(marks) > 0 { // which stay
				return nil, errors.Join(failure(err, true), s.Suspend())
			}
			return nil, errors.Join(failure(err, true), s.Abort())
		}
		s.kept = append(s.kept, out)
	}
	return s, nil
}

// Write takes some rows of all arrays.
func (s *recordSink) Write(ctx context.Context, at region.Region, in []ops.HostArray) error {
	for i, p := range s.parts {
		part := p.Order.Type.Beside(s.parts[0].Order.Type, at)
		if err := format.Send(ctx, s.kept[i], p.Order, part, in[i]); err != nil {
			return failure(err, true)
		}
	}
	return nil
}

// Mark says what was written of all arrays.
func (s *recordSink) Mark() (ops.Mark, error) {
	all := make([]region.Region, len(s.kept))
	for i, out := range s.kept {
		m, err := out.Mark()
		if err != nil {
			return m, failure(err, true)
		}
		all[i] = m.There
	}
	state, err := json.Marshal(all)
	return ops.Mark{There: all[0], State: state}, err
}

// Sync waits for all arrays.
func (s *recordSink) Sync() error {
	for _, out := range s.kept {
		if err := out.Sync(); err != nil {
			return failure(err, true)
		}
	}
	return nil
}

// Commit puts the arrays together. Where that fails, as on a disk that has no room for them twice, they stay, for Suspend or Abort.
func (s *recordSink) Commit(ctx context.Context) (note ops.Note, err error) {
	parts := slices.Clone(s.parts)
	for i, out := range s.kept {
		if parts[i].Kept, err = out.Elements(); err != nil {
			return note, failure(err, true)
		}
	}
	if note, err = s.write(ctx, parts); err != nil {
		return note, err
	}
	if err := fileio.Sync(ops.PathFor(ctx, s.File())); err != nil {
		return note, failure(err, true)
	}
	return note, s.Abort()
}

// Suspend leaves what is there to a later run.
func (s *recordSink) Suspend() error { return s.each((*tile.Writer).Suspend) }

// Abort removes what is there.
func (s *recordSink) Abort() error { return s.each((*tile.Writer).Abort) }

func (s *recordSink) each(end func(*tile.Writer) error) error {
	var errs []error
	for _, out := range s.kept {
		errs = append(errs, failure(end(out), true))
	}
	return errors.Join(errs...)
}
