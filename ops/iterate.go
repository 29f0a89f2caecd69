package ops

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"

	"weft/kernels/ir"
	"weft/ops/problem"
)

// Iterate repeats a program from state to state. A state is arrays of any shapes and types; a turn reads them and makes the next ones, in
// memory of their own that swaps with that of the old ones.
//
// A front end makes an instance bound to Carried, whose outputs stand for the state before a turn, and evaluates what is repeated on these,
// which gives next; until and watch may read both, as the old state and the new one. What the state is at first, from, and all of these are
// arguments of an instance of Iterate. They are arrays like any others, and may read arrays from outside: what does not depend on the state
// is made once. An array that a turn leaves alone is its own next. The instance gives value, or value.NAME for each output of Carried that
// has a name; steps, the turns that were made; converged, whether until ended them; and, with watch, its history, a turn that was looked at
// after the other, NaN behind the last.
var Iterate = &Spec{
	Name: "iterate", Doc: "A program that is repeated from state to state.", Group: "algorithms",
	Returns: "value, the last state; steps; converged; history.",
	Error:   ErrorRule{Metric: Peak, Tolerance: 1e-5},
	Params: []Param{
		{Name: "state", Doc: "arrays that stand for the state", Accept: KList},
		{Name: "from", Doc: "what they hold at first", Accept: KList},
		{Name: "next", Doc: "what they hold after a turn", Accept: KList},
		In("until", "a single truth value: whether a turn is the last").Opt(),
		In("watch", "a single number to keep the history of").Opt(),
		Count("at_most", "turns at most").Within(1, 1e9),
		Count("every", "turns from one look at until and watch to the next").Within(1, 1e9).Or(Integer(1)),
	},
	Bind: bindIteration,
}

// Carried stands for the arrays that a repeated program carries from turn to turn, or is given at one: only what repeats it may read them, which
// has them in an argument `state` or `each`.
type Carried struct {
	Gives
	Of *Array // whose elements the only output stands for; nil: of none that is known
}

// Whole tells whether it stands for whole numbers.
func (c Carried) Whole() bool { return c.Of != nil && IsWhole(*c.Of) }

// Range bounds what it stands for.
func (c Carried) Range(int) (lo, hi float64, err error) {
	lo, hi = math.Inf(-1), math.Inf(1)
	if c.Of != nil {
		if least, most, ok := RangeOf(*c.Of); ok {
			lo, hi = least, most
		}
	}
	return lo, hi, nil
}

// iteration is a use of Iterate.
type iteration struct {
	Gives
	arrays int // of the state; the outputs behind them are what is said of the turns
	most   int
	every  int
	until  bool
	watch  bool
}

// mostHistory bounds the history; later turns are not in it.
const mostHistory = 1 << 16

func bindIteration(c *Call) (Op, error) {
	arrays := map[string][]Array{}
	c.Arrays(func(param string, a Array) { arrays[param] = append(arrays[param], a) })
	state := arrays["state"]
	it := &iteration{arrays: len(state), most: c.Int("at_most"), every: c.Int("every"), until: c.Has("until"), watch: c.Has("watch")}
	var errs []error
	wrong := func(code, param, format string, args ...any) {
		errs = append(errs, problem.Wrong(code, param, "", format, args...))
	}
	for _, param := range []string{"from", "next"} {
		if len(arrays[param]) != len(state) {
			wrong(problem.ExtentMismatch, param, "the state is %d arrays, and `%s` gives %d", len(state), param, len(arrays[param]))
			continue
		}
		for i, a := range arrays[param] {
			if is, want := a.Type(), state[i].Type(); is.String() != want.String() {
				wrong(problem.WrongDims, param, "the state is %s, and `%s` gives %s", want, param, is)
			}
		}
	}
	for _, a := range arrays["until"] {
		if t := a.Type(); len(t.Dims) > 0 || t.Elem != Bool {
			wrong(problem.NotABoolean, "until", "`until` has to be a single truth value, and is %s", t)
		}
	}
	for _, a := range arrays["watch"] {
		if t := a.Type(); len(t.Dims) > 0 || t.Elem.Complex {
			wrong(problem.NotANumber, "watch", "`watch` has to be a single real number, and is %s", t)
		}
	}
	for _, a := range state {
		name := "value"
		if own := a.Of.Out[a.Out].Name; own != "" {
			name += "." + own
		}
		it.Gives = append(it.Gives, Output{name, a.Type()})
	}
	it.Gives = append(it.Gives, Output{"steps", Type{Elem: I32}}, Output{"converged", Type{Elem: Bool}})
	for _, a := range arrays["watch"] {
		turns := Dim{Name: "turn", Size: min(it.looks(), mostHistory)}
		it.Gives = append(it.Gives, Output{"history", Type{Elem: F64, Unit: a.Type().Unit, Dims: []Dim{turns}}})
	}
	return it, errors.Join(errs...)
}

// looks is how many turns are looked at.
func (it *iteration) looks() int {
	if !it.until && !it.watch {
		return 0
	}
	return (it.most + it.every - 1) / it.every
}

// Programs are a turn, and one that is looked at.
func (it *iteration) Programs(l *Lowering) Drive {
	// own gives each array of a state memory of its own: what is there already, or twice, is copied.
	own := func(name string, stages []*Stage) []*Stage {
		out := slices.Clone(stages)
		for i, s := range stages {
			if s.Source || s.Data != nil || slices.Contains(stages[:i], s) {
				out[i] = l.Stage(fmt.Sprint(name, i), s.Type, []*Stage{s}, func(b *Body, at []*ir.Node) Elem { return s.At(b, at...) })
			}
		}
		return out
	}
	looks := append(slices.Clone(l.Lists["until"]), l.Lists["watch"]...)
	made := own("next.", slices.Concat(l.Lists["next"], looks))
	d := Drive{State: slices.Clone(l.Lists["state"]), Start: own("from.", l.Lists["from"])}
	next := made[:it.arrays:it.arrays]
	for i, s := range l.Lists["next"] {
		from := slices.Index(d.State, s)
		switch {
		case from == i:
			next[i] = nil
		case from >= 0 && l.Lists["next"][from] != s && !slices.Contains(next[:i], s): // it moves
			next[i] = s
		}
	}
	keep := func(name string, t Type, first float64) {
		d.State = append(d.State, l.State(name, t))
		d.Start = append(d.Start, l.Stage("start."+name, t, nil, func(b *Body, _ []*ir.Node) Elem { return Real(b.Const(t.Elem.Base, first)) }))
		next = append(next, nil)
	}
	first := map[string]float64{"history": math.NaN()}
	for _, o := range it.Gives[it.arrays:] {
		keep(o.Name, o.Type, first[o.Name])
	}
	for i, s := range looks {
		keep(fmt.Sprint("look.", i), s.Type, 0)
	}
	if turns := it.most - it.looks(); turns > 0 {
		d.Calls = append(d.Calls, Program{Name: "turn", Next: next, Most: turns})
	}
	if len(looks) > 0 {
		d.Calls = append(d.Calls, Program{Name: "look", Next: append(slices.Clone(next[:len(it.Gives)]), made[it.arrays:]...), Most: it.looks()})
	}
	return d
}

// Drive makes turns until it is said that one was the last.
func (it *iteration) Drive(h Host) (Note, error) {
	steps, last := 0, look{}
	var seen []float64
	for looked := 0; steps < it.most && !last.stop; {
		steps++
		call, looks := 0, it.looks() > 0 && (steps%it.every == 0 || steps == it.most)
		if looks && it.looks() < it.most {
			call = 1
		}
		if err := h.Launch(call); err != nil {
			return Note{}, err
		}
		if !looks {
			continue
		}
		var err error
		if last, err = it.look(h, looked); err != nil {
			return Note{}, err
		}
		if looked++; it.watch {
			seen = append(seen, last.at)
		}
	}
	if err := errors.Join(h.Set(it.arrays, 0, float64(steps)), h.Set(it.arrays+1, 0, last.reached())); err != nil {
		return Note{}, err
	}
	note := Note{Text: fmt.Sprintf("%d turns%s", steps, last.text)}
	if it.until && !last.stop {
		note.Warnings = []problem.Problem{problem.Wrong(problem.Unfinished, "until", "allow more turns with at_most, or end them earlier with until",
			"iterate made %d turns, as many as it may, and until did not hold%s", steps, history(seen))}
	}
	return note, nil
}

// look is what is said of a turn.
type look struct {
	stop bool
	at   float64
	text string
}

// fewSeen are as many turns as are named at either end of a history.
const fewSeen = 3

// history tells what was watched: where it began, and where it ended.
func history(seen []float64) string {
	if seen == nil {
		return ""
	}
	var said []string
	for i, v := range seen {
		switch {
		case i < fewSeen || i >= len(seen)-fewSeen:
			said = append(said, fmt.Sprintf("%.3g", v))
		case i == fewSeen:
			said = append(said, "...")
		}
	}
	return "; it went " + strings.Join(said, ", ")
}

// reached is 1 where it was the last, as arrays hold it.
func (k look) reached() float64 {
	if k.stop {
		return 1
	}
	return 0
}

// look asks for what a turn said, and keeps it.
func (it *iteration) look(h Host, looked int) (k look, err error) {
	at := len(it.Gives)
	if it.until {
		v, err := h.Scalar(at)
		if err != nil {
			return k, err
		}
		k.stop = v != 0
		at++
	}
	if !it.watch {
		return k, nil
	}
	v, err := h.Scalar(at)
	if err != nil {
		return k, err
	}
	k.at, k.text = v, fmt.Sprintf("; the last stood at %.3g", v)
	h.Progress(fmt.Sprintf("%.3g", v))
	if looked < mostHistory {
		err = h.Set(len(it.Gives)-1, looked, v)
	}
	return k, err
}
