//go:build cuda

package cuda

import (
	"errors"
	"testing"
	"time"

	"weft/kernels/device"
	"weft/kernels/ir"
)

// twice are two kernels, of which the second adds to what the first stores, as nodes; and what the first reads and the second makes.
func twice(t *testing.T, d *Device, n int) (nodes []device.Node, from, to device.Memory) {
	t.Helper()
	bufs, mem := make([]*ir.Buffer, 3), map[*ir.Buffer]device.Memory{}
	for i := range bufs {
		bufs[i] = &ir.Buffer{Name: "b", Type: ir.I32, Shape: []int{n}}
		m, err := d.Alloc(bufs[i])
		if err != nil {
			t.Fatal(err)
		}
		mem[bufs[i]] = m
	}
	kernels := make([]*ir.Kernel, 2)
	for i := range kernels {
		b := ir.NewBuilder()
		x := b.Axis("x", n)
		v := b.Add(b.Load(bufs[i], x), b.Mul(x, b.I32(i+2)))
		kernels[i] = &ir.Kernel{Name: "more", Axes: []*ir.Node{x}, Stores: []ir.Store{{Buf: bufs[i+1], Index: []*ir.Node{x}, Value: v}}}
	}
	programs, err := d.Compile(t.Context(), kernels, device.Options{})
	if err != nil {
		t.Fatal(err)
	}
	for i, p := range programs {
		nodes = append(nodes, device.Node{Program: p, Bindings: device.Bindings{Mem: mem}, Tile: kernels[i].Domain()})
	}
	return nodes, mem[bufs[0]], mem[bufs[2]]
}

// Launches of a graph go in line by one call, again and again; copies wait for all of them, and who waits for one waits for those before. Nothing runs while it is made.
func TestOnFakeGraph(t *testing.T) {
	const each, n = 40 * time.Millisecond, 100
	d := onFake(t)
	nodes, from, to := twice(t, d, n)
	start := time.Now()
	g, err := d.Graph(nodes)
	if err != nil {
		t.Fatal(err)
	}
	if took := time.Since(start); took > each/2 {
		t.Errorf("making a graph takes %v", took)
	}
	in, got := make([]byte, 4*n), make([]byte, 4*n)
	for turn := range int32(3) {
		for i := range device.View[int32](in, ir.I32) {
			device.View[int32](in, ir.I32)[i] = turn
		}
		if err := device.Write(t.Context(), from, 0, in); err != nil {
			t.Fatal(err)
		}
		start := time.Now()
		first, err := g.Launch()
		if err != nil {
			t.Fatal(err)
		}
		last, err := g.Launch()
		if err != nil {
			t.Fatal(err)
		}
		if took := time.Since(start); took > each {
			t.Errorf("graphs are put in line in %v", took)
		}
		if err := device.Read(t.Context(), to, got, 0); err != nil || time.Since(start) < 3*each {
			t.Errorf("a copy behind two graphs is over after %v, %v", time.Since(start), err)
		}
		for _, p := range []device.Pending{last, first} {
			if took, err := p.Wait(); err != nil || took == 0 {
				t.Errorf("%v, %v", took, err)
			}
		}
		for i, v := range device.View[int32](got, ir.I32) {
			if v != turn+5*int32(i) {
				t.Fatalf("element %d is %d", i, v)
			}
		}
	}
	if u := d.Usage(); u.Launches != 12 || u.Compute == 0 {
		t.Errorf("%+v", u)
	}
	from.Free()
	failed := (*device.NodeError)(nil)
	if _, err := g.Launch(); !errors.As(err, &failed) || failed.Node != 0 {
		t.Errorf("a graph of memory that was freed: %v", err)
	}
	g.Free()
	g.Free()
	if _, err := d.Graph(nodes); err == nil {
		t.Error("a graph of memory that was freed")
	}
}

// What breaks the context is told to who waits for the graph or for what is behind it, and a new context begins without graphs.
func TestOnFakeGraphLost(t *testing.T) {
	d := onFake(t)
	nodes, _, _ := twice(t, d, 10)
	g, err := d.Graph(nodes)
	if err != nil {
		t.Fatal(err)
	}
	first, err := g.Launch()
	if err == nil {
		_, err = first.Wait()
	}
	if err != nil {
		t.Fatal(err)
	}
	second, err := g.Launch()
	if err == nil {
		_, err = second.Wait()
	}
	if !errors.Is(err, device.ErrLost) {
		t.Errorf("got %v", err)
	}
	if _, err := d.Graph(nodes); !errors.Is(err, device.ErrLost) {
		t.Errorf("a graph of a lost device: %v", err)
	}
	if err := d.Reopen(); err != nil {
		t.Fatal(err)
	}
	if _, err := g.Launch(); err == nil {
		t.Error("a graph of a context that is no more")
	}
	g.Free()
	again, _, _ := twice(t, d, 10)
	if _, err := d.Graph(again); err != nil {
		t.Errorf("after it was opened once more: %v", err)
	}
}

// A driver without graphs is as good for all else.
func TestOnFakeWithoutGraphs(t *testing.T) {
	d := onFake(t)
	nodes, _, _ := twice(t, d, 10)
	if _, err := d.Graph(nodes); !errors.Is(err, device.ErrNoGraphs) {
		t.Errorf("got %v", err)
	}
	launch, err := nodes[0].Program.Bind(nodes[0].Bindings)
	if err == nil {
		err = launch(nodes[0].Tile)
	}
	if err != nil {
		t.Error(err)
	}
}
