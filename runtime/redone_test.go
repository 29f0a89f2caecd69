package runtime

import (
	"context"
	"errors"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"testing"

	"weft/kernels/device"
	"weft/kernels/ir"
	"weft/kernels/region"
	"weft/ops"
	"weft/ops/optest"
	"weft/planner/bound"
	"weft/runtime/audit"
	"weft/runtime/journal"
	"weft/runtime/result"
)

// disk keeps what sinks write, as files do whose process may die at any time.
type disk struct {
	folder string
	mu     sync.Mutex
	rows   map[string]ops.Dense
}

// copied is the disk with its journals as they are at this moment.
func (d *disk) copied(t *testing.T) (rows map[string]ops.Dense, journals map[string][]byte) {
	d.mu.Lock()
	defer d.mu.Unlock()
	rows, journals = map[string]ops.Dense{}, map[string][]byte{}
	for name, a := range d.rows {
		a.Re = slices.Clone(a.Re)
		rows[name] = a
		switch text, err := os.ReadFile(journal.PathOf(d.path(name))); {
		case err == nil:
			journals[name] = text
		case !errors.Is(err, fs.ErrNotExist):
			t.Error(err)
		}
	}
	return rows, journals
}

func (d *disk) restore(t *testing.T, rows map[string]ops.Dense, journals map[string][]byte) {
	d.rows = rows
	for name := range rows {
		if err := journal.Forget(journal.PathOf(d.path(name))); err != nil {
			t.Fatal(err)
		}
	}
	for name, text := range journals {
		if err := os.WriteFile(journal.PathOf(d.path(name)), text, 0o666); err != nil {
			t.Fatal(err)
		}
	}
}

func (d *disk) path(name string) string { return filepath.Join(d.folder, name) }

// keepOn is keepRows on a disk, with a journal.
func (w *streams) keepOn(d *disk, name string, in ops.Array) *ops.Instance {
	op := w.keep(name, in)
	op.Bound = optest.TileTake{Taken: op.Bound.(optest.Taken), Path: d.path(name), Open: func(marks []ops.Mark) (ops.TileSink, error) {
		t := in.Type()
		k := &diskKeeper{rowKeeper{w: w, name: name, got: ops.NewDense(t.Elem.Complex, t.Shape()...), seen: map[int]bool{}}, d}
		for _, m := range marks {
			for index := range m.There.Indices() {
				flat := audit.Flat(index, t.Shape())
				k.seen[flat], k.got.Re[flat] = true, d.rows[name].Re[flat]
			}
		}
		d.mu.Lock()
		defer d.mu.Unlock()
		d.rows[name] = k.got
		return k, nil
	}}
	return op
}

type diskKeeper struct {
	rowKeeper
	disk *disk
}

func (k *diskKeeper) Write(ctx context.Context, at region.Region, in []ops.HostArray) error {
	k.disk.mu.Lock()
	defer k.disk.mu.Unlock()
	return k.rowKeeper.Write(ctx, at, in)
}

// tally counts the elements that kernels computed, by kernel and row.
type tally struct {
	mu   sync.Mutex
	rows map[string]map[int]int
}

func (c *tally) add(k *ir.Kernel, tile region.Region) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.rows[k.Name] == nil {
		c.rows[k.Name] = map[int]int{}
	}
	for y := tile[0].Lo; y < tile[0].Hi; y++ {
		c.rows[k.Name][y] += tile[1].Hi - tile[1].Lo
	}
}

// again is how many rows of a kernel were computed more than once, each in part or as a whole.
func (c *tally) again(kernel string, columns int) (n int) {
	for _, elements := range c.rows[kernel] {
		if elements > columns {
			n++
		}
	}
	return n
}

// A run that dies at any launch, as of kill -9, and is resumed computes again at most the block that was being computed, the one
// that was being written, and the rows around them that others read.
func TestResumingRedoesOnlyWhatWasInFlight(t *testing.T) {
	const rows, columns, reach, deaths = 160, 32, 3, 60
	died := errors.New("killed")
	flops := 0.0 // of the last run's kernels, as it tells
	run := func(d *disk, c *tally, resume bool, before func() error) (*bound.Plan, error) {
		w := newStreams()
		first := w.third(w.waves(matrix(rows, columns)))
		p, err := w.build(t, 20000, w.keepOn(d, "first", first), w.keepOn(d, "second", w.blur(first, reach)))
		if err != nil {
			t.Fatal(err)
		}
		dev := newFaulty("native")
		dev.launch = func(*ir.Kernel, region.Region) error { return before() }
		dev.after = func(k *ir.Kernel, _ device.Bindings, tile region.Region) { c.add(k, tile) }
		r, err := Run(t.Context(), p, Options{Devices: []device.Device{dev}, Threads: 2, Resume: resume})
		if flops = 0; r != nil {
			for _, k := range r.Kernels {
				flops += k.Flops
			}
		}
		return p, err
	}
	whole, launches := &disk{folder: t.TempDir(), rows: map[string]ops.Dense{}}, 0
	var mu sync.Mutex
	count := func(at int, then func()) func() error {
		n, dead := 0, false
		return func() error {
			mu.Lock()
			defer mu.Unlock()
			if n++; n == at {
				then()
				dead = true
			}
			launches = max(launches, n)
			if dead {
				return died
			}
			return nil
		}
	}
	p, err := run(whole, &tally{rows: map[string]map[int]int{}}, false, count(0, nil))
	if err != nil {
		t.Fatal(err)
	}
	block, all := p.Stream.Passes[0].BlockRows, flops
	if blocks := rows / block; blocks < 5 || launches < 2*blocks {
		t.Fatalf("%d blocks and %d launches: nothing is tested", blocks, launches)
	}
	resumed, most := 0, 0
	for i := range deaths {
		at := 1 + i*(launches-1)/(deaths-1)
		d, c := &disk{folder: t.TempDir(), rows: map[string]ops.Dense{}}, &tally{rows: map[string]map[int]int{}}
		var written map[string]ops.Dense
		var journals map[string][]byte
		if _, err := run(d, c, false, count(at, func() { written, journals = d.copied(t) })); !errors.Is(err, died) {
			t.Fatalf("launch %d: %v", at, err)
		}
		d.restore(t, written, journals)
		there := 0
		if r, err := journal.Read(d.path("second")); err == nil {
			there = r.Rows()
		}
		if there > 0 {
			resumed++
		}
		if _, err := run(d, c, true, count(0, nil)); err != nil {
			t.Fatalf("after launch %d: %v", at, err)
		}
		if left := 1 - float64(there)/rows; flops > all*min(1, left+float64(2*block)/rows) || flops < all*left/2 {
			t.Errorf("after launch %d, with %d of %d rows there, a run tells of %g operations; all are %g", at, there, rows, flops, all)
		}
		for name := range whole.rows {
			if !sameBits(d.rows[name], whole.rows[name]) {
				t.Fatalf("after launch %d %s differs", at, name)
			}
		}
		for _, kernel := range slices.Sorted(maps.Keys(c.rows)) {
			n := c.again(kernel, columns)
			most = max(most, n)
			if around := map[string]int{"third": 2 * reach}; n > 2*block+around[kernel] {
				t.Errorf("after launch %d %d rows of %s were computed again; blocks have %d", at, n, kernel, block)
			}
		}
	}
	if resumed < deaths/2 {
		t.Errorf("%d of %d runs had something to go on with", resumed, deaths)
	}
	t.Logf("%d deaths, %d with something to go on with; at most %d rows were computed again, blocks have %d", deaths, resumed, most, block)
}

// A pass that makes a single value beside its rows, of an array of an earlier pass, goes on where it was: a condition on that array does not have all be made anew.
func TestResumingBesideValues(t *testing.T) {
	const rows, columns = 160, 32
	died := errors.New("killed")
	d, c := &disk{folder: t.TempDir(), rows: map[string]ops.Dense{}}, &tally{rows: map[string]map[int]int{}}
	run := func(resume bool, end int) (*bound.Plan, *streams) {
		w := newStreams()
		first := w.third(w.waves(matrix(rows, columns)))
		sums := w.rowSums(first)
		turned := w.lowered("turned", first.Type(), func(l *ops.Lowering) []*ops.Stage {
			a, b := l.In("a"), l.In("b")
			return []*ops.Stage{l.Stage("", first.Type(), []*ops.Stage{a, b}, func(body *ops.Body, i []*ir.Node) ops.Elem {
				return ops.Real(body.Mul(a.At(body, i...).Re, b.At(body, body.Sub(body.I32(rows-1), i[0])).Re))
			})}
		}, first, sums)
		p, err := w.build(t, 12000, w.keepOn(d, "turned", turned), w.keepRows("total", w.sumOf(sums)))
		if err != nil {
			t.Fatal(err)
		}
		dev := newFaulty("native")
		dev.launch = func(k *ir.Kernel, tile region.Region) error {
			if k.Name == "turned" && tile[0].Hi > end {
				return died
			}
			return nil
		}
		dev.after = func(k *ir.Kernel, _ device.Bindings, tile region.Region) {
			if k.Name == "turned" {
				c.add(k, tile)
			}
		}
		if _, err := Run(t.Context(), p, Options{Devices: []device.Device{dev}, Threads: 1, Resume: resume}); (end < rows) != errors.Is(err, died) || err != nil && end == rows {
			t.Fatal(err)
		}
		return p, w
	}
	p, _ := run(false, 3*rows/4)
	passes := p.Stream.Passes
	last := passes[len(passes)-1]
	if len(passes) < 2 || len(last.Makes) != 2 || last.Rows/last.BlockRows < 8 {
		t.Fatalf("no value is made beside rows: %+v", passes)
	}
	if _, w := run(true, rows); len(w.got["total"].Re) != 1 {
		t.Errorf("%+v", w.got["total"])
	}
	if n := c.again("turned", columns); n > 3*last.BlockRows {
		t.Errorf("%d rows were computed again, blocks have %d", n, last.BlockRows)
	}
}

// A run in strips that dies at any launch and is resumed gives the bits of one that was not, and does not write again what was there.
func TestStripsResume(t *testing.T) {
	const deaths, reach = 14, 6
	died := errors.New("killed")
	run := func(d *disk, resume bool, before func() error) *bound.Plan {
		w := newStreams()
		first := w.third(w.waves(matrix(16, 2500)))
		p, err := w.build(t, 260000, w.keepOn(d, "first", first), w.keepOn(d, "second", w.blur(first, reach)))
		if err != nil {
			t.Fatal(err)
		}
		dev := newFaulty("native")
		dev.launch = func(*ir.Kernel, region.Region) error { return before() }
		if _, err = Run(t.Context(), p, Options{Devices: []device.Device{dev}, Threads: 1, Resume: resume}); err != nil && !errors.Is(err, died) {
			t.Fatal(err)
		}
		return p
	}
	whole, launches := &disk{folder: t.TempDir(), rows: map[string]ops.Dense{}}, 0
	p := run(whole, false, func() error { launches++; return nil })
	if len(p.Stream.Passes[0].Strip) == 0 || launches < 2*deaths {
		t.Fatalf("%d launches: %+v", launches, p.Stream)
	}
	resumed := 0
	for i := range deaths {
		at := 1 + i*(launches-1)/(deaths-1)
		d := &disk{folder: t.TempDir(), rows: map[string]ops.Dense{}}
		var written map[string]ops.Dense
		var journals map[string][]byte
		n := 0
		run(d, false, func() error {
			if n++; n == at {
				written, journals = d.copied(t)
			}
			if n >= at {
				return died
			}
			return nil
		})
		d.restore(t, written, journals)
		if r, err := journal.Read(d.path("second")); err == nil && len(r.Marks) > 0 {
			resumed++
		}
		again := 0
		run(d, true, func() error { again++; return nil })
		for name := range whole.rows {
			if !sameBits(d.rows[name], whole.rows[name]) {
				t.Fatalf("after launch %d %s differs", at, name)
			}
		}
		pass := p.Stream.Passes[0] // besides what was in flight, the rows above that a block needs
		if most := launches - at + (3+2*reach/pass.BlockRows)*launches/pass.Blocks; again > most {
			t.Errorf("after launch %d of %d, %d followed, not %d", at, launches, again, most)
		}
	}
	if resumed < deaths/2 {
		t.Errorf("%d of %d runs had something to go on with", resumed, deaths)
	}
}

// What a run had wrong before it died is found by the one that goes on, though that makes none of it again.
func TestResumedRunsAreJudgedAsAWhole(t *testing.T) {
	const rows, columns = 160, 32
	died := errors.New("killed")
	folder := t.TempDir()
	d := &disk{folder: folder, rows: map[string]ops.Dense{}}
	run := func(resume bool, after func(k *ir.Kernel, b device.Bindings, tile region.Region)) (*result.Result, error) {
		w := newStreams()
		p, err := w.build(t, 20000, w.keepOn(d, "out", w.third(w.waves(matrix(rows, columns)))))
		if err != nil {
			t.Fatal(err)
		}
		dev := newFaulty("native")
		dev.after = after
		launches := 0
		dev.launch = func(*ir.Kernel, region.Region) error {
			if launches++; !resume && launches == 30 {
				return died
			}
			return nil
		}
		return Run(t.Context(), p, Options{Devices: []device.Device{dev}, Threads: 1, Verify: true, Resume: resume})
	}
	wrong := 0
	if _, err := run(false, func(k *ir.Kernel, b device.Bindings, tile region.Region) {
		out := b.Mem[k.Stores[0].Buf]
		for i := range tile[1].Hi {
			device.SetFloat(k.Stores[0].Buf.Type, out.Host(), i, 1e3)
			wrong++
		}
	}); !errors.Is(err, died) || wrong == 0 {
		t.Fatalf("%d elements wrong: %v", wrong, err)
	}
	held, err := journal.Read(d.path("out"))
	if err != nil || held.Rows() == 0 || len(held.Samples) == 0 {
		t.Fatalf("nothing to go on with: %+v, %v", held, err)
	}
	done, err := run(true, nil)
	if err != nil {
		t.Fatal(err)
	}
	if len(done.Parity) != 1 || done.Parity[0].OK || done.Parity[0].Samples <= len(held.Samples) ||
		!slices.ContainsFunc(done.Warnings, func(w result.Warning) bool { return w.Code == "E0704" }) {
		t.Errorf("parity %+v, warnings %+v", done.Parity, done.Warnings)
	}
	if _, err := os.Stat(journal.PathOf(d.path("out"))); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("the journal is left: %v", err)
	}
}
