package native

import "testing"

// Memory for launches is used again, never by two at once, and grows with what is asked for.
func TestScratchIsUsedAgain(t *testing.T) {
	var p pool
	take := func(bytes int) *byte {
		m, err := p.take(bytes)
		if err != nil {
			t.Fatal(err)
		}
		if len(m.Host()) < bytes {
			t.Fatalf("%d bytes for %d", len(m.Host()), bytes)
		}
		t.Cleanup(func() { p.give(m) })
		return &m.Host()[0]
	}
	first, err := p.take(3 << 20)
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
