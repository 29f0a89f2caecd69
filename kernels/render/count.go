package render

import (
	"fmt"
	"slices"
	"strings"

	"weft/kernels/ir"
	"weft/kernels/schedule"
)

// CountsPerFold is how many numbers a counted fold adds to: iterations due, executed, and left out by culling.
const CountsPerFold = 3

// counter numbers the folds of a function that may be left before their last iteration. Iterations are counted a lane: one
// of a vector counts as many times as the vector has lanes. What a patch at the edge of a tile repeats is executed, and not due
// where all lanes have the same bounds.
type counter struct{ folds []*ir.Fold }

// Counted is C, of a function that also adds to weft_args.count, for each fold of Output.Counted, the iterations that its
// bounds ask for, those whose body ran, and those that a bound proved idle. It stores the same bits.
func Counted(k *ir.Kernel, s schedule.CPU, t schedule.Target, name string) (Output, error) {
	return makeC(k, s, t, name, &counter{})
}

// number is a fold's place in Output.Counted.
func (c *counter) number(f *ir.Fold) int {
	i := slices.Index(c.folds, f)
	if i < 0 {
		c.folds = append(c.folds, f)
		i = len(c.folds) - 1
	}
	return i
}

// declared are the variables of all counted folds, collected the statements that hand them over.
func (c *counter) declared() (declare, collect string) {
	if c == nil {
		return "", ""
	}
	var d, s strings.Builder
	for i := range c.folds {
		fmt.Fprintf(&d, "long long due%d = 0, ran%d = 0, idle%d = 0;\n", i, i, i)
		for n, name := range []string{"due", "ran", "idle"} {
			fmt.Fprintf(&s, "a->count[%d] += %s%d;\n", i*CountsPerFold+n, name, i)
		}
	}
	return d.String(), s.String()
}

// tally is what rendering a fold needs to count it. The nil tally counts nothing.
type tally struct {
	r      *renderer
	number int
	lanes  int // of all vectors in flight
	hi     string
	index  string
}

// counting starts to count a fold whose bounds are known: what they ask for is due.
func (r *renderer) counting(c *loop) *tally {
	if r.counter == nil {
		return nil
	}
	t := &tally{r: r, number: r.counter.number(c.f), lanes: len(c.copies), hi: c.hi, index: c.index()}
	if c.vec {
		t.lanes *= r.W
	}
	if !c.masked {
		r.emit(c.sc, "due%d += (long long)s_max_%s((%s) - (%s), 0) * %s;", t.number, c.ctype().sfx, c.hi, c.lo, r.points(c.f))
		return t
	}
	for _, v := range c.copies {
		trips := r.op(ir.Sub, c.f.Hi.Type, r.end(c, v), paren(scalar(c.f.Hi.Type, c.lo)))
		trips = r.name(c.sc, r.op(ir.Max, trips.t, trips, scalar(trips.t, "0")))
		text := trips.s[0]
		if trips.vec {
			text = fmt.Sprintf("v_hsum_%s(%s)", c.ctype().sfx, strings.Join(trips.s[:schedule.Registers(trips.t)], ", "))
		}
		r.emit(c.sc, "due%d += %s;", t.number, text)
	}
	return t
}

// points is, as C, how many points of the axes that a fold differs along the patch is the first to compute.
func (r *renderer) points(f *ir.Fold) string {
	vary := r.vary.Of(f.Node)
	if r.s.Flat > 0 && vary.Meets(r.lanes) {
		return fmt.Sprintf("s_min_l(%d, points - point)", r.W*r.V)
	}
	out := []string{"1"}
	for a, n := range r.k.Axes {
		step, x := r.step(a), axisName(n)
		if step == 1 || !vary.Meets(n.Bind()) {
			continue
		}
		switch r.tail {
		case overlap:
			out = append(out, fmt.Sprintf("s_min_i(%d, %s_end - %s_)", step, x, x))
		case cut:
			out = append(out, fmt.Sprintf("s_min_i(%d, %s_end - %s)", step, x, x))
		case whole:
			out = append(out, fmt.Sprint(step))
		}
	}
	return strings.Join(out, " * ")
}

// ran counts vector iterations that run.
func (t *tally) ran(iterations string) []string {
	if t == nil {
		return nil
	}
	return []string{fmt.Sprintf("ran%d += (long long)(%s) * %d;", t.number, iterations, t.lanes)}
}

// block is ran, of the iterations from the fold's index to another, on a line of its own.
func (t *tally) block(end string) string {
	if t == nil {
		return ""
	}
	return "\n" + t.ran(end + " - " + t.index)[0]
}

// leave leaves the loop; what is left of it is idle.
func (t *tally) leave() string {
	if t == nil {
		return "break;"
	}
	return t.idle(t.hi, "break;")
}

// skip goes on at another iteration; those before it are idle.
func (t *tally) skip(index, next string) string {
	return t.idle(next, fmt.Sprintf("%s = %s; continue;", index, next))
}

func (t *tally) idle(next, then string) string {
	if t == nil {
		return then
	}
	return fmt.Sprintf("idle%d += (long long)(%s - %s) * %d; %s", t.number, next, t.index, t.lanes, then)
}
