package serve

import (
	"context"
	"errors"
	"math"
	"os"
	"strings"
	"testing"

	"weft/kernels/cache/cachetest"
	"weft/kernels/device"
	"weft/kernels/ir"
	"weft/runtime/notebook"
	"weft/runtime/session"
)

func TestMain(m *testing.M) {
	cachetest.Quick()
	os.Setenv("WEFT_PROFILE", "default")
	os.Exit(m.Run())
}

// client shares arrays with a server in this process.
type client struct {
	*testing.T
	*Server
	held []*memory
}

func newClient(t *testing.T) *client {
	t.Helper()
	t.Chdir(t.TempDir())
	se, err := session.Open(session.Config{Device: session.HostOnly, Threads: 2})
	if err != nil {
		t.Fatal(err)
	}
	c := &client{T: t, Server: &Server{Session: se, open: map[string]*notebook.Notebook{}, given: map[string]map[string]*memory{}}}
	t.Cleanup(func() {
		for _, m := range c.held {
			if err := m.close(); err != nil {
				t.Error(err)
			}
		}
		if err := c.release(request{}); err != nil {
			t.Error(err)
		}
	})
	return c
}

// array shares numbers along i.
func (c *client) array(values ...float64) array {
	c.Helper()
	const before = 256
	m, err := share(before + 8*len(values) + before)
	if err != nil {
		c.Fatal(err)
	}
	c.held = append(c.held, m)
	device.Store(ir.F64, m.data[before:before+8*len(values)], values)
	return array{Type: "float64", Dims: []dim{{Name: "i", Size: len(values)}}, Path: m.path, Offset: before}
}

// asked is what a request for y gives; again says whether it has to run the program of the one before.
func (c *client) asked(q request, again bool) []float64 {
	c.Helper()
	if err := c.release(q); err != nil {
		c.Fatal(err)
	}
	var was *program
	if c.last != nil {
		was = c.last.program
	}
	r, err := c.run(c.Context(), q, &reply{})
	if err != nil {
		c.Fatal(err)
	}
	if c.last == nil && again || c.last != nil && (c.last.program == was) != again {
		c.Errorf("%q with %v: the program of before runs once more: %v; want %v", q.Text, q.Arrays, !again, again)
	}
	var y *array
	for _, v := range r.Values {
		if v.Name == "y" {
			y = v.Array
		}
	}
	m, err := mapped(y.Path)
	if err != nil {
		c.Fatal(err)
	}
	defer m.close()
	out := make([]float64, y.Dims[0].Size)
	device.Load(ir.F64, out, m.data[:8*len(out)])
	return out
}

// Requests that differ in elements alone run one plan, and have the elements that they give; all others are checked and planned.
func TestFramesRunOnePlan(t *testing.T) {
	c := newClient(t)
	const text = "y = x * 2 + k"
	q := func(text string, params map[string]string, values ...float64) request {
		return request{Text: text, Params: params, Arrays: map[string]array{"x": c.array(values...)}, Want: []string{"y"}}
	}
	one, two := map[string]string{"k": "1"}, map[string]string{"k": "2"}
	for _, step := range []struct {
		request
		again bool
		want  float64 // the second element
	}{
		{q(text, one, 1, 2, 3), false, 5},
		{q(text, one, 4, 5, 6), true, 11},
		{q(text, one, -4, math.NaN(), 6e300), true, math.NaN()},
		{q(text, two, 4, 5, 6), false, 12},
		{q(text, two, 4, 5, 6, 7), false, 12},
		{q("y = x * 3 + k", two, 4, 5, 6, 7), false, 17},
		{q("y = x * 3 + k", two, 4, 6, 6, 7), true, 20},
	} {
		got := c.asked(step.request, step.again)
		if got[1] != step.want && !(math.IsNaN(got[1]) && math.IsNaN(step.want)) {
			t.Errorf("%q: %v", step.Text, got)
		}
	}
}

// What is known of elements while planning is what is known of these.
func TestFramesOfAnotherRange(t *testing.T) {
	c := newClient(t)
	q := func(values ...float64) request {
		return request{Text: "y = x - bounds(x).low", Arrays: map[string]array{"x": c.array(values...)}, Want: []string{"y"}}
	}
	for _, step := range []struct {
		request
		again bool
		want  float64
	}{{q(0, 9, 4), false, 9}, {q(9, 7, 0), true, 7}, {q(1, 9, 4), false, 8}} {
		if got := c.asked(step.request, step.again); got[1] != step.want {
			t.Errorf("%v; want %v", got, step.want)
		}
	}
}

// What may change besides is looked at anew: files, also those that are used.
func TestFramesWithFiles(t *testing.T) {
	c := newClient(t)
	for _, text := range []string{"y = x * read(\"f.npy\", dims: [i])", "use \"f.weft\"\ny = x * f.factor"} {
		for _, factor := range []string{"2", "3"} {
			if err := os.WriteFile("f.weft", []byte("factor = "+factor+"\n"), 0o666); err != nil {
				t.Fatal(err)
			}
			q := request{Text: "axis(i, 1 .. 1 in 3) * " + factor + " | write(\"f.npy\")\ny = x", Arrays: map[string]array{"x": c.array(1, 1, 1)}, Want: []string{"y"}}
			if strings.Contains(text, "read") {
				c.asked(q, false)
			}
			got := c.asked(request{Text: text, Arrays: map[string]array{"x": c.array(1, 1, 1)}, Want: []string{"y"}}, false)
			if got[0] != map[string]float64{"2": 2, "3": 3}[factor] {
				t.Errorf("%q with %s: %v", text, factor, got)
			}
		}
	}
}

// After a request that failed or was cancelled, the next one is whole.
func TestFramesAfterAFailure(t *testing.T) {
	c := newClient(t)
	q := func(values ...float64) request {
		return request{Text: "require(all(x > 0), \"more than nothing\")\ny = sqrt(x)", Arrays: map[string]array{"x": c.array(values...)}, Want: []string{"y"}}
	}
	if got := c.asked(q(4, 9, 16), false); got[1] != 3 {
		t.Error(got)
	}
	if got := c.asked(q(4, 16, 9), true); got[1] != 4 {
		t.Error(got)
	}
	bad := q(4, -9, 16)
	if err := c.release(bad); err != nil {
		t.Fatal(err)
	}
	_, err := c.run(t.Context(), bad, &reply{})
	if m := (*session.Mistakes)(nil); !errors.As(err, &m) || !strings.Contains(m.String(), "more than nothing") {
		t.Errorf("%v", err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := c.run(ctx, q(4, 9, 16), &reply{}); err == nil {
		t.Error("a cancelled request has an answer")
	}
	if got := c.asked(q(4, 25, 16), false); got[1] != 5 {
		t.Error(got)
	}
}

// The first frame is compared with float64, and later ones as often as takes a tenth of the time.
func TestFramesAreComparedNowAndThen(t *testing.T) {
	c := newClient(t)
	q := func(v float64) request {
		return request{Text: "y = x * 2", Arrays: map[string]array{"x": c.array(1, v, 3)}, Want: []string{"y"}}
	}
	compared, frames, longest := 0, 400, 0.0
	for i := range frames {
		before := 0.0
		if c.last != nil {
			before = c.last.checked
		}
		if err := c.release(request{}); err != nil {
			t.Fatal(err)
		}
		r, err := c.run(t.Context(), q(float64(i)), &reply{})
		if err != nil {
			t.Fatal(err)
		}
		was := strings.Contains(r.Summary, "float64 ")
		if i == 0 && !was {
			t.Errorf("the first one is not compared: %s", r.Summary)
		}
		if was {
			compared++
		}
		longest = max(longest, c.last.checked-before)
	}
	// On a machine that is quick at it, all of them take no more than the share.
	if last := c.last; last.checked > mostChecked*last.ran+longest {
		t.Errorf("%d of %d frames are compared, in %.3g of %.3g s", compared, frames, last.checked, last.ran)
	}
	c.last.checked = 0
	if r, err := c.run(t.Context(), q(0), &reply{}); err != nil || !strings.Contains(r.Summary, "float64 ") {
		t.Errorf("it is due: %v, %v", r, err)
	}
}
