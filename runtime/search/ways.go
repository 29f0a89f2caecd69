package search

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"math/cmplx"
	"slices"
	"strings"
	"time"

	"weft/ops"
	"weft/ops/problem"
	"weft/planner/bound"
	"weft/planner/plan"
	"weft/runtime/audit"
	"weft/runtime/result"
)

// Trials is what ways to an array are measured with.
type Trials struct {
	Build func([]*ops.Instance) (*bound.Plan, error) // plans what some sinks ask for
	Run   func(context.Context, *bound.Plan) (*result.Result, error)
	On    string // the devices
	Cache string // folder that keeps what was found; empty: none
}

// worthMeasuring is how long the turns of a program are predicted to take at least where ways to make them are measured: what is measured
// is made, compiled and run besides.
const worthMeasuring = 2 * time.Second

// Untried is what is said of ways that are not measured.
func Untried(w *ops.Ways, way int, why string) *plan.Ways {
	said := &plan.Ways{Chosen: w.Names[way], Skipped: why}
	for _, name := range w.Names {
		said.Tried = append(said.Tried, &plan.Way{Name: name, Verdict: "not measured"})
	}
	return said
}

// Fastest measures what each way to an array takes in so many turns, and says which to take. What was found before is taken, also where so many turns
// are no longer predicted to be worth it: a prediction changes with each run, and with the way would change the bits.
func Fastest(ctx context.Context, w *ops.Ways, turns int, with Trials) (said *plan.Ways, way int, err error) {
	said = Untried(w, 0, "")
	said.Turns = turns
	switch {
	case len(w.Names) == 1:
		said.Skipped = "there is no other way"
	case turns == 0:
		said.Skipped = "no turns are made of it"
	}
	if said.Skipped != "" {
		return said, 0, nil
	}
	first, err := with.Build(handed(w.Trials[:1], nil))
	if err != nil {
		return nil, 0, err
	}
	h := sha256.New()
	fmt.Fprintln(h, first.Weft, first.Identity(), inputs(first), with.On, turns, strings.Join(w.Names, "; "), w.Within, noise)
	file := path(with.Cache, "ways", hex.EncodeToString(h.Sum(nil)[:16]))
	if found, ok := recall[plan.Ways](file); ok && slices.Contains(w.Names, found.Chosen) {
		found.Seconds, found.Cached = 0, true
		return found, slices.Index(w.Names, found.Chosen), nil
	}
	if t := time.Duration(float64(turns) * predicted(first) * 1e6); t < worthMeasuring {
		said.Skipped = fmt.Sprintf("%d turns are predicted to take %.2g s", turns, t.Seconds())
		return said, 0, nil
	}
	start := time.Now()
	taken := make([]ops.Dense, len(w.Trials))
	p, err := with.Build(handed(w.Trials, taken))
	var r *result.Result
	if err == nil {
		r, err = with.Run(ctx, p)
	}
	if tight := (problem.Problem{}); errors.As(err, &tight) && tight.Code == problem.MemoryBudget {
		said.Skipped = "they do not fit the memory budget beside each other"
		return said, 0, nil
	}
	if err != nil {
		return nil, 0, err
	}
	said.Tried = timed(p, r, w.Names)
	way = judge(said.Tried, taken, w.Within, turns)
	said.Chosen, said.Seconds = w.Names[way], time.Since(start).Seconds()
	return said, way, remember(file, said)
}

// predicted is what a turn takes, or all of what makes no turns, in ms.
func predicted(p *bound.Plan) (ms float64) {
	for i := range p.Steps {
		for j := range p.Steps[i].Programs {
			each, _ := p.Steps[i].Call(j)
			ms += each
		}
	}
	if ms == 0 {
		return p.Totals.Predicted
	}
	return ms
}

// timed is what each way took: all steps that it needs and another one does not, those in the turns of a drive apart.
func timed(p *bound.Plan, r *result.Result, names []string) (out []*plan.Way) {
	needs := make([]map[string]bool, len(names))
	for i := range names {
		for _, s := range p.Steps {
			if s.Kind == plan.SinkStep && s.Op.ID == firstHanded-i {
				needs[i] = upstream(p, s.Reads)
			}
		}
	}
	spent := map[string]float64{}
	for _, k := range r.Kernels {
		spent[k.ID] = 1e3 * k.CPU
		if len(k.Shares) > 0 {
			spent[k.ID] = 1e3 * k.Wall
		}
	}
	for i, name := range names {
		way := &plan.Way{Name: name}
		out = append(out, way)
		for _, s := range p.Steps {
			makes := func(need map[string]bool) bool {
				return slices.ContainsFunc(s.Writes, func(id string) bool { return need[id] })
			}
			all := !slices.ContainsFunc(needs, func(need map[string]bool) bool { return !makes(need) })
			if s.Kind == plan.SinkStep || !makes(needs[i]) || all {
				continue
			}
			way.Once += spent[s.ID]
			for j, program := range s.Programs {
				d := s.Drive.Programs[j]
				for _, k := range program.Steps {
					if slices.Contains(d.Once, k.ID) {
						way.Once += spent[k.ID]
					} else {
						way.Turn += spent[k.ID] / float64(d.Most)
					}
				}
			}
		}
		if way.Turn == 0 { // no turns were made of it: all of it is one
			way.Once, way.Turn = 0, way.Once
		}
	}
	return out
}

// judge says of each way why it is taken, or not, and which one is: of those as fast, the one named first.
func judge(ways []*plan.Way, taken []ops.Dense, within float64, turns int) (best int) {
	first := values(taken[0])
	largest := 0.0
	for _, v := range first {
		if size := cmplx.Abs(v); size < infinite {
			largest = max(largest, size)
		}
	}
	for i, w := range ways {
		f := audit.Compare(ops.Peak, values(taken[i]), first, largest)
		w.Error = f.Worst
		switch {
		case f.Mismatched > 0:
			w.Verdict = "its trial is not finite where that of the first is, or the other way round"
		case f.Worst > within:
			w.Verdict = fmt.Sprintf("its trial differs by %.2g of the largest, more than %.2g", f.Worst, within)
		case i > 0 && w.All(turns) < (1-noise)*ways[best].All(turns):
			best = i
		}
	}
	for i, w := range ways {
		switch {
		case i == best:
			w.Verdict = "chosen"
		case w.Verdict == "":
			w.Verdict = fmt.Sprintf("%.2f times as long", w.All(turns)/ways[best].All(turns))
		}
	}
	return best
}

func values(d ops.Dense) []complex128 {
	out := make([]complex128, d.Len())
	for i := range out {
		out[i] = d.At(i)
	}
	return out
}

// firstHanded numbers sinks that are in no text.
const firstHanded = -3_000_000

var handSpec = &ops.Spec{Name: "trial", Doc: "A trial is over.", Params: []ops.Param{{Name: "a", Accept: ops.KArray, Unit: "*"}}}

// handed are sinks that keep arrays, where there is room for them.
func handed(of []ops.Array, in []ops.Dense) (out []*ops.Instance) {
	for i, a := range of {
		h := hand(func(d ops.Dense) {
			if in != nil {
				in[i] = d
			}
		})
		out = append(out, &ops.Instance{ID: firstHanded - i, Spec: handSpec, Bound: h, Where: a.Of.Where, Call: &ops.Call{Spec: handSpec, Args: map[string]ops.Value{"a": a}}})
	}
	return out
}

type hand func(ops.Dense)

// Outputs are none.
func (hand) Outputs() []ops.Output { return nil }

// Take hears of the array.
func (h hand) Take(_ context.Context, in []ops.HostArray, _ ops.Terminal) (ops.Note, error) {
	h(in[0].Dense())
	return ops.Note{}, nil
}
