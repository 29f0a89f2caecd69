package runtime

import (
	"context"
	"encoding/binary"
	"fmt"
	"math"
	"math/rand/v2"

	"weft/kernels/device"
	"weft/kernels/ir"
	"weft/kernels/region"
	"weft/ops"
	"weft/ops/optest"
)

// inRows is the format of a matrix of which each row has a number of entries of its own: parts with an element or more for each, and where
// rows start among them.
type inRows struct {
	starts []int
	parts  []ops.Part
	data   [][]byte
}

func (r *inRows) String() string            { return fmt.Sprintf("%d entries", r.starts[len(r.starts)-1]) }
func (r *inRows) Parts(ops.Type) []ops.Part { return r.parts }

func (r *inRows) First(part, row int) int {
	switch {
	case part != len(r.parts)-1:
		return r.starts[row]
	case row == 0:
		return 0
	}
	return row + 1 // each row has its end, the first one the beginning too
}

// add is one more part, of so many elements an entry (0: one, without a dim of their own).
func (r *inRows) add(role string, t ir.DType, each int, data []byte) {
	shape := []int{r.starts[len(r.starts)-1]}
	if each > 0 {
		shape = append(shape, each)
	}
	r.parts, r.data = append(r.parts, ops.Part{Role: role, Type: t, Shape: shape}), append(r.data, data)
}

// seal adds where rows start.
func (r *inRows) seal() {
	n, data := r.starts[len(r.starts)-1], make([]byte, 4*len(r.starts))
	for i, s := range r.starts {
		binary.LittleEndian.PutUint32(data[4*i:], uint32(s))
	}
	facts := ir.Facts{Parts: n, Data: &ir.DataFacts{Most: float64(n), Rising: r.starts}}
	r.parts = append(r.parts, ops.Part{Role: "starts", Type: ir.I32, Shape: []int{len(r.starts)}, Facts: facts})
	r.data = append(r.data, data)
}

func (r *inRows) Read(_ context.Context, at region.Region, to ops.HostArray) error {
	for i, p := range to.Parts {
		size := p.Buf.Type.Size()
		for _, n := range r.parts[i].Shape[1:] {
			size *= n
		}
		data := r.data[i][r.First(i, at[0].Lo)*size : r.First(i, at[0].Hi)*size]
		for row := range p.Rows() {
			data = data[copy(p.Row(row), data):]
		}
	}
	return nil
}

func (*inRows) Close(context.Context) (ops.Note, error) { return ops.Note{Text: "rows"}, nil }

// matrix is a source of it, whole or by rows.
func (w *streams) matrix(r *inRows, width int) ops.Array {
	t := matrix(len(r.starts)-1, width)
	t.Format = r
	return ops.Array{Of: w.use("matrix", optest.TileFill{
		Filled: func(ctx context.Context, to ops.HostArray) (ops.Note, error) {
			return ops.Note{}, r.Read(ctx, t.Whole(), to)
		},
		Open: func() (ops.TileSource, error) { return r, nil },
	}, t)}
}

// given is a source of some numbers.
func (w *streams) given(name string, values []float32, dims ...ops.Dim) ops.Array {
	return ops.Array{Of: w.use(name, optest.Filled(func(_ context.Context, to ops.HostArray) (ops.Note, error) {
		d := to.Dense()
		for i, v := range values {
			d.Re[i] = float64(v)
		}
		return ops.Note{Text: name}, to.SetDense(d)
	}), ops.Type{Elem: ops.F32, Dims: dims})}
}

// doses is a matrix whose rows have runs of 14 entries on average, of a share of the columns that is between a twelfth and all: like the
// influence of beamlets, column by column across beams, on voxels. Few entries hold most of what they add up to.
type doses struct {
	rows, columns int
	starts        []int
	column        []uint16
	value         []float32
	x             []float32 // a number a column
	penalty       []float32 // six numbers a row
}

func newDoses(rows, columns int) *doses {
	rng := rand.New(rand.NewPCG(1, 2))
	d := &doses{rows: rows, columns: columns, starts: []int{0}}
	for range rows {
		share := math.Exp(-2.5 * rng.Float64())
		gap := 14 * (1 - share) / share
		at := int(gap * rng.Float64())
		for at < columns {
			for range 1 + int(13*rng.ExpFloat64()) {
				if at == columns {
					break
				}
				d.column = append(d.column, uint16(at))
				d.value = append(d.value, float32(min(0.2, 1.5e-4/(1-rng.Float64()))))
				at++
			}
			at += 1 + int(gap*rng.ExpFloat64())
		}
		d.starts = append(d.starts, len(d.value))
		p := 0.5 + rng.Float32()
		d.penalty = append(d.penalty, p, 1, 10*rng.Float32(), 0.1*rng.Float32(), 1.2*p, 100*rng.Float32())
	}
	for range columns {
		d.x = append(d.x, 2*rng.Float32())
	}
	return d
}

// compressed lists the entries of each row with their columns.
func (d *doses) compressed() *inRows {
	values, columns := make([]byte, 4*len(d.value)), make([]byte, 2*len(d.value))
	for k, v := range d.value {
		binary.LittleEndian.PutUint32(values[4*k:], math.Float32bits(v))
		binary.LittleEndian.PutUint16(columns[2*k:], d.column[k])
	}
	r := &inRows{starts: d.starts}
	r.add("values", ir.F32, 0, values)
	r.add("columns", ir.U16, 0, columns)
	r.seal()
	return r
}

const blockColumns = 16

// blocks lists the blocks of sixteen columns in which a row has entries, in half precision.
func (d *doses) blocks() *inRows {
	r := &inRows{starts: []int{0}}
	var values, columns []byte
	for row := range d.rows {
		last := -1
		for k := d.starts[row]; k < d.starts[row+1]; k++ {
			if block := int(d.column[k]) / blockColumns; block != last {
				last = block
				columns = binary.LittleEndian.AppendUint16(columns, uint16(block))
				values = append(values, make([]byte, 2*blockColumns)...)
			}
			at := len(values) - 2*blockColumns + 2*(int(d.column[k])%blockColumns)
			device.Store(ir.F16, values[at:at+2], []float64{float64(d.value[k])})
		}
		r.starts = append(r.starts, len(columns)/2)
	}
	r.add("values", ir.F16, blockColumns, values)
	r.add("columns", ir.U16, 0, columns)
	r.seal()
	return r
}

// padded is the number of columns that blocks reach.
func padded(columns int) int { return (columns + blockColumns - 1) / blockColumns * blockColumns }
