package files

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"runtime"

	"weft/kernels/region"
	"weft/ops"
	"weft/ops/files/npy"
	"weft/ops/files/tiff"
	"weft/ops/problem"
)

// Fits says why a call cannot write its file by rows.
func (w writing) Fits() error {
	if path := w.Text("path"); ending(path) != ".npy" && !isRaster(path) {
		return fmt.Errorf("%s is written as a whole; .npy and .tif files are written by rows", path)
	}
	return nil
}

// Scratch is, of a GeoTIFF, a row of blocks as it is and packed, and one block for each processor; of a picture, its numbers
// twice and its colours.
func (w writing) Scratch() int64 {
	t := w.Type("array")
	if ending(w.Text("path")) == ".png" {
		const colours = 16 << 20
		return int64(t.Len())*12 + colours
	}
	if !isRaster(w.Text("path")) || len(t.Dims) != 2 {
		return 1 << 20
	}
	const edge = 256
	size := int64(elemIn(w.Call, t).Size())
	band := int64((t.Dims[1].Size+edge-1)/edge*edge) * edge * size
	own := int64(runtime.GOMAXPROCS(0)) * (edge*edge*size + 1<<20)
	if elemIn(w.Call, t) != t.Elem || t.Unit.SI() != 1 {
		band += band / 2 // encoded first
	}
	return 2*band + own
}

// OpenSink starts a file that is written by rows, or takes one up.
func (w writing) OpenSink(marks []ops.Mark) (ops.TileSink, error) {
	t := w.Type("array")
	if isRaster(w.Text("path")) {
		s, err := openRaster(w.Call, t, marks)
		if err != nil {
			return nil, failure(err, true)
		}
		return s, nil
	}
	to, known := fileType(elemIn(w.Call, t))
	if !known {
		return nil, problem.Wrong(problem.CannotStore, "array", "add as: f32", "NPY files hold no %s", elemIn(w.Call, t))
	}
	s := &npySink{call: w.Call, whole: t}
	var err error
	if len(marks) == 0 {
		s.Writer, err = npy.CreateResumable(w.Text("path"), to, t.Shape())
	} else {
		var there []region.Region
		for _, m := range marks {
			there = append(there, m.There)
		}
		s.Writer, err = npy.Resume(w.Text("path"), to, t.Shape(), there)
	}
	if err != nil {
		return nil, failure(err, true)
	}
	return s, nil
}

// npySink writes an NPY file part by part.
type npySink struct {
	*npy.Writer
	call  *ops.Call
	whole ops.Type
	fresh region.Region // written since the last Sync
}

func (s *npySink) Write(ctx context.Context, at region.Region, in []ops.HostArray) error {
	e, err := newEncoder(s.call, in[0])
	if err != nil {
		return err
	}
	s.fresh = s.fresh.Hull(at)
	return failure(e.encode(ctx, s.Part(at)), true)
}

func (s *npySink) Sync() (ops.Mark, error) {
	mark := ops.Mark{There: s.fresh}
	s.fresh = nil
	return mark, failure(s.Writer.Sync(), true)
}

func (s *npySink) Commit(ctx context.Context) (ops.Note, error) {
	if err := s.Writer.Commit(true); err != nil {
		return ops.Note{}, failure(err, true)
	}
	return wrote(ctx, s.call.Text("path"), s.whole)
}

// rasterSink writes a GeoTIFF file part by part.
type rasterSink struct {
	rasterWriter
	whole ops.Type
	fresh tiff.Rect // written and not yet marked
}

func openRaster(c *ops.Call, t ops.Type, marks []ops.Mark) (*rasterSink, error) {
	header, err := rasterHeader(c, t)
	if err != nil {
		return nil, err
	}
	s := &rasterSink{rasterWriter: rasterWriter{call: c}, whole: t}
	if len(marks) == 0 {
		s.Writer, err = tiff.CreateResumable(c.Text("path"), header)
		return s, err
	}
	var taken []tiff.Checkpoint
	for _, m := range marks {
		var p tiff.Checkpoint
		if err := json.Unmarshal(m.State, &p); err != nil {
			return nil, fmt.Errorf("files: the journal of %s is damaged: %w", c.Text("path"), err)
		}
		taken = append(taken, p)
	}
	s.Writer, err = tiff.Resume(c.Text("path"), header, taken)
	return s, err
}

func (s *rasterSink) Write(ctx context.Context, at region.Region, in []ops.HostArray) error {
	r := tiff.Rect{Y0: at[0].Lo, Y1: at[0].Hi, X0: at[1].Lo, X1: at[1].Hi}
	if s.fresh.Y1 != r.Y0 || s.fresh.X0 != r.X0 || s.fresh.X1 != r.X1 { // it does not go on below what came last
		s.fresh = r
	}
	s.fresh.Y1 = r.Y1
	return failure(s.write(ctx, r, in[0]), true)
}

func (s *rasterSink) Sync() (ops.Mark, error) {
	done, p, err := s.Checkpoint(s.fresh)
	if err != nil {
		return ops.Mark{}, failure(err, true)
	}
	s.fresh.Y0 = done.Y1
	state, err := json.Marshal(p)
	return ops.Mark{There: region.Region{{Lo: done.Y0, Hi: done.Y1}, {Lo: done.X0, Hi: done.X1}}, State: state}, err
}

func (s *rasterSink) Commit(ctx context.Context) (ops.Note, error) {
	if err := s.annotate(ctx); err != nil {
		return ops.Note{}, errors.Join(err, s.Abort())
	}
	if err := s.Writer.Commit(true); err != nil {
		return ops.Note{}, failure(err, true)
	}
	return wrote(ctx, s.call.Text("path"), s.whole)
}
