package runtime

import (
	"encoding/binary"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"testing"

	"weft/kernels/device"
	"weft/kernels/native"
	"weft/ops"
	"weft/planner"
	"weft/planner/plan"
	"weft/runtime/result"
)

var raggedDir = flag.String("ragged", "", "folder into which BenchmarkRagged writes its arrays as .npy files, for other programs to be timed on")

// raggedOutputs are what is computed of a matrix in rows of unlike lengths.
var raggedOutputs = map[string]func(w *streams, d *doses) []*ops.Instance{
	"entries": func(w *streams, d *doses) []*ops.Instance {
		return []*ops.Instance{w.keep("out", w.products(w.matrix(d.compressed(), d.columns), w.given("x", d.x, ops.Dim{Name: "x", Size: d.columns}), entryTimes))}
	},
	"blocks": func(w *streams, d *doses) []*ops.Instance {
		return []*ops.Instance{w.keep("out", w.products(w.matrix(d.blocks(), d.columns), w.given("x", d.x, ops.Dim{Name: "x", Size: padded(d.columns)}), blockTimes))}
	},
	"gradient": func(w *streams, d *doses) []*ops.Instance {
		x, q := w.given("x", d.x, ops.Dim{Name: "x", Size: padded(d.columns)}), w.given("q", d.penalty, ops.Dim{Name: "y", Size: d.rows}, ops.Dim{Name: "term", Size: 6})
		return []*ops.Instance{w.keep("out", w.gradient(w.matrix(d.blocks(), d.columns), x, q))}
	},
	"fewer": func(w *streams, d *doses) []*ops.Instance {
		random := d.random()
		places, _, _ := d.places(random)
		values, columns := w.fewer(w.matrix(d.compressed(), d.columns), w.given("random", random, ops.Dim{Name: "y", Size: d.rows}), places)
		return []*ops.Instance{w.keep("out", values), w.keep("columns", columns)}
	},
}

var mediumDoses = sync.OnceValue(func() *doses { return newDoses(103560, 2071) })

// BenchmarkRagged gives the processor time of the kernels of each, over two threads.
func BenchmarkRagged(b *testing.B) {
	d := mediumDoses()
	if *raggedDir != "" {
		if err := d.save(*raggedDir); err != nil {
			b.Fatal(err)
		}
	}
	cpu, err := native.New(native.FromEnv())
	if err != nil {
		b.Fatal(err)
	}
	for name, make := range raggedOutputs {
		b.Run(name, func(b *testing.B) {
			w := newStreams()
			p, err := planner.Build(make(w, d), cpu.Info(), planner.Options{Threads: 2, Rates: plan.Rates{Flops: 1e11, Bandwidth: 2e10}})
			if err != nil {
				b.Fatal(err)
			}
			var times []float64
			var last *result.Result
			for range 9 {
				r, err := Run(b.Context(), p, Options{Devices: []device.Device{cpu}, Threads: 2})
				if err != nil {
					b.Fatal(err)
				}
				sum := 0.0
				for _, k := range r.Kernels {
					sum += k.CPU
				}
				times, last = append(times, sum/2), r
			}
			slices.Sort(times)
			for _, k := range last.Kernels {
				b.Logf("%s: cpu %.2f ms, wall %.2f ms, predicted %.2f ms, %.4g flops, %.4g bytes, %d tiles, %s", k.ID, k.CPU*500, k.Wall*1e3, k.Predicted*1e3, k.Flops, float64(k.Bytes), k.Tiles, k.Schedule)
			}
			b.ReportMetric(times[len(times)/2]*1e3, "ms")
			b.ReportMetric(times[0]*1e3, "ms/best")
		})
	}
}

// save writes the matrix and its vectors.
func (d *doses) save(dir string) error {
	if err := os.MkdirAll(dir, 0o777); err != nil {
		return err
	}
	long := func(list []int) []int64 {
		out := make([]int64, len(list))
		for i, s := range list {
			out[i] = int64(s)
		}
		return out
	}
	blocks := d.blocks()
	for name, a := range map[string]struct {
		typ  string
		data any
		n    string
	}{
		"indptr": {"<i8", long(d.starts), fmt.Sprintf("%d,", len(d.starts))}, "indices": {"<u2", d.column, fmt.Sprintf("%d,", len(d.column))},
		"data": {"<f4", d.value, fmt.Sprintf("%d,", len(d.value))}, "x": {"<f4", d.x, fmt.Sprintf("%d,", len(d.x))},
		"y": {"<f4", make([]float32, d.rows), fmt.Sprintf("%d,", d.rows)}, "penalty": {"<f4", d.penalty, fmt.Sprintf("%d,6", d.rows)},
		"blockptr": {"<i8", long(blocks.starts), fmt.Sprintf("%d,", len(blocks.starts))}, "blocks": {"<f2", blocks.data[0], fmt.Sprintf("%d,%d", blocks.starts[d.rows], blockColumns)},
		"blockcolumns": {"<u2", blocks.data[1], fmt.Sprintf("%d,", blocks.starts[d.rows])}, "random": {"<f4", d.random(), fmt.Sprintf("%d,", d.rows)},
		"padded": {"<f4", append(slices.Clone(d.x), make([]float32, padded(d.columns)-d.columns)...), fmt.Sprintf("%d,", padded(d.columns))},
	} {
		head := fmt.Sprintf("{'descr': '%s', 'fortran_order': False, 'shape': (%s), }", a.typ, a.n)
		head += fmt.Sprintf("%*s\n", 63-(10+len(head))%64, "")
		out, err := binary.Append(binary.LittleEndian.AppendUint16([]byte("\x93NUMPY\x01\x00"), uint16(len(head))), binary.LittleEndian, []byte(head))
		if err == nil {
			out, err = binary.Append(out, binary.LittleEndian, a.data)
		}
		if err == nil {
			err = os.WriteFile(filepath.Join(dir, name+".npy"), out, 0o666)
		}
		if err != nil {
			return err
		}
	}
	return nil
}
