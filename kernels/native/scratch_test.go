package native

import (
	"testing"

	"weft/kernels/device"
	"weft/kernels/ir"
)

// Memory for launches is used again, never by two at once, and grows with what is asked for.
func TestScratchIsUsedAgain(t *testing.T) {
	p := newPool()
	take := func(bytes int) *byte {
		m, err := p.take(bytes, 0)
		if err != nil {
			t.Fatal(err)
		}
		if len(m.Host()) < bytes {
			t.Fatalf("%d bytes for %d", len(m.Host()), bytes)
		}
		t.Cleanup(func() { p.give(m) })
		return &m.Host()[0]
	}
	first, err := p.take(3<<20, 0)
	if err != nil {
		t.Fatal(err)
	}
	at := &first.Host()[0]
	if take(100) == at {
		t.Error("two launches have the same memory")
	}
	p.give(first)
	if take(1<<20) != at {
		t.Error("memory was not used again")
	}
	take(5 << 20)
	if len(p.spare) != 0 {
		t.Errorf("%d spare blocks while all are in use", len(p.spare))
	}
}

// What launches of a product need for themselves is there before they start.
func TestScratchIsPrepared(t *testing.T) {
	d := open(t, "")
	programs, err := d.Compile(t.Context(), []*ir.Kernel{product(ir.F32, 300, 300, 300, "AB", false)}, device.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer func(was *pool) { scratch = was }(scratch)
	scratch = newPool()
	p := programs[0].(device.Preparing)
	if err := p.Prepare(3, func() bool { return true }); err != nil || len(scratch.spare) != 0 {
		t.Errorf("%d blocks after the end; %v", len(scratch.spare), err)
	}
	if err := p.Prepare(3, func() bool { return false }); err != nil || len(scratch.spare) != 3 {
		t.Errorf("%d blocks for three launches; %v", len(scratch.spare), err)
	}
	for _, m := range scratch.spare {
		if need := p.(*program).current().out.Scratch; need == 0 || len(m.Host()) < need {
			t.Errorf("%d bytes where a launch needs %d", len(m.Host()), need)
		}
	}
}
