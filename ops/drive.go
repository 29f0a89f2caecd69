package ops

// Driver runs an algorithm over programs: kernels that are planned like those of a pipeline, launched many times, on arrays that stay
// from one call to the next. What plans and runs the programs knows nothing of the algorithm.
type Driver interface {
	// Programs defines the arrays and the programs as stages. It takes the place of Lower.
	Programs(*Lowering) Drive
	// Drive is the algorithm. It must follow from what the Host tells it alone: a run that goes on where another was cut off calls it anew,
	// and tells it the same up to there.
	Drive(Host) (Note, error)
}

// Drive is what an algorithm works on.
type Drive struct {
	// State are the arrays it keeps, as programs read them, each made by Lowering.State. The outputs are the first of them, in their order.
	State []*Stage
	Start []*Stage // what they hold at first
	Calls []Program
}

// Program is what one call computes.
type Program struct {
	Name string
	Next []*Stage // what the state holds after a call, in its order; nil: what it held before
	Most int      // calls
}

// Programs are those that are launched, the one that fills the state at first before the others.
func (d Drive) Programs() []Program {
	return append([]Program{{Name: "start", Next: d.Start, Most: 1}}, d.Calls...)
}

// Host is all that an algorithm sees of a run.
type Host interface {
	Launch(call int) error              // one of Drive.Calls
	Scalar(state int) (float64, error)  // a single value among the state
	Set(state, at int, v float64) error // an element of an array of the state, counted in C order
	Progress(row string)                // how far it is, for people
}

// State defines an array that stays between calls.
func (l *Lowering) State(name string, t Type) *Stage {
	s := l.Stage(name, t, nil, nil)
	s.Source, s.State = true, true
	return s
}
