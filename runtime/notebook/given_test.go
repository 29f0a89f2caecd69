package notebook

import (
	"context"
	"slices"
	"strings"
	"testing"

	"weft/kernels/device"
	"weft/lang/check"
	"weft/ops"
	"weft/runtime"
	"weft/runtime/session"
)

// given3 is an array of three elements, in memory as whoever gives arrays has it.
func given3(t *testing.T, values ...float64) ops.Array {
	t.Helper()
	typ := ops.Type{Elem: ops.F64, Dims: []ops.Dim{{Name: "i", Size: 3}}}
	h := ops.HostArray{Type: typ}
	for _, b := range typ.Buffers("") {
		m, err := device.NewHostMemory(b)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(m.Free)
		h.Parts = append(h.Parts, ops.HostPart{Buf: b, Data: m.Host()})
	}
	h.Parts[0].Store(0, values)
	return Given("a", h)
}

// TestGive: what is made of a given value follows when another is given, and a definition takes its place.
func TestGive(t *testing.T) {
	n := open(t, 1<<20)
	n.Give("a", given3(t, 1, 2, 4))
	for _, c := range []struct{ text, want string }{{"b = 2 * a\nsum(b)", "14"}, {"sum(b) + 1", "15"}} {
		if shown, _, err := enter(t, n, c.text); err != nil || strings.TrimSpace(shown) != c.want {
			t.Errorf("%s: %q, %v", c.text, shown, err)
		}
	}
	n.Give("a", given3(t, 1, 1, 1))
	if shown, _, err := enter(t, n, "sum(b)"); err != nil || strings.TrimSpace(shown) != "6" {
		t.Errorf("%q, %v: b is made of the array given before", shown, err)
	}
	if shown, _, err := enter(t, n, "a = axis(i, 5 .. 7 in 3)\nsum(b)"); err != nil || strings.TrimSpace(shown) != "36" {
		t.Errorf("%q, %v: b is made of what was given", shown, err)
	}
}

// TestHeld: a run reads a given array where it lies, also where it stands for what a text defines, and hands over what is asked for.
func TestHeld(t *testing.T) {
	n := open(t, 1<<20)
	a := given3(t, 1, 2, 4)
	p := session.CheckText("text", []byte(`a = read("nowhere.npy", dims: [i])`+"\nb = a + 1"), check.Options{Open: true, Values: map[string]ops.Value{"a": a}})
	if err := p.Err(); err != nil {
		t.Fatal(err)
	}
	var got []float64
	for at, v := range p.Info.Defs {
		if at.Text == "b" {
			p.Sinks = append(p.Sinks, Handed(0, v.(ops.Array), func(_ context.Context, h ops.HostArray) error { got = h.Dense().Re; return nil }))
		}
	}
	plan, err := n.session.Plan(t.Context(), p, session.PlanOptions{})
	if err != nil {
		t.Fatal(err)
	}
	r, err := n.session.Run(t.Context(), p, plan, runtime.Options{Verify: true})
	if err != nil || !slices.Equal(got, []float64{2, 3, 5}) {
		t.Fatalf("%v, %v", got, err)
	}
	if len(r.Sources) > 0 {
		t.Errorf("%v: the array was copied", r.Sources)
	}
	for name, wrong := range map[string]string{"a": "param a = 3\nb = a + 1", "f": "fn f(x) = x\nb = f(1)"} {
		p := session.CheckText("text", []byte(wrong), check.Options{Open: true, Values: map[string]ops.Value{name: a}})
		if err := p.Err(); err == nil || !strings.Contains(p.Found.String(), "E0227") {
			t.Errorf("%s: %v", wrong, p.Found.String())
		}
	}
}
