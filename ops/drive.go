package ops

import (
	"weft/kernels/ir"
	"weft/kernels/region"
)

// Driver runs an algorithm over programs: kernels that are planned like those of a pipeline, launched many times, on arrays that stay
// from one call to the next. What plans and runs the programs knows nothing of the algorithm.
type Driver interface {
	// Programs defines the arrays and the programs as stages, the same in each call. It takes the place of Lower.
	Programs(*Lowering) Drive
	// Drive is the algorithm. It must follow from what the Host tells it alone: a run that goes on where another was cut off calls it anew,
	// and tells it the same up to there.
	Drive(Host) (Note, error)
}

// Drive is what an algorithm works on.
type Drive struct {
	// State are the arrays it keeps, as programs read them, each made by Lowering.State. The outputs are the first of them, in their order.
	State []*Stage
	Start []*Stage // what they hold at first, made around the drive
	Calls []Program
	Says  []string // what was chosen where nothing was asked for, and why: explain prints it
	// Rounds, if set, says that the state is of objects, each of which is done by itself.
	Rounds *Rounds
	// Tasks, if set, are what the algorithm does one after the other where its arrays do not fit the memory (see Lowering.Room): of the arrays that they
	// name, tiles are in memory and the rest is on disk. These are arguments that are read from files, and outputs, which are zero at first and have no
	// Start.
	Tasks Tasks
}

// Tasks are parts of an algorithm, one after the other. Each is told of when it is asked for: there may be many, of many tiles.
type Tasks struct {
	Of    []*Stage // of which tiles are in memory; nil: there are no tasks
	Count int
	At    func(number int) Task
	Least int64 // the room without which there are no tasks, where that is more than there is
	Takes int64 // the room that tiles as large as these need: in less, there are smaller ones
	Lasts []int // of the state, by number, what those behind a task read of it beside tiles
	// Multiplies is how many products of elements all of it sums up; times Moves, by the root of the elements in memory, it is what no order moves fewer elements than.
	Multiplies, Moves float64
}

// Task is a part of an algorithm that reads some tiles and makes others. What it reads and makes of an array are the same tiles, or apart. A tile that several tasks
// make is read as the last of them made it.
type Task struct{ Reads, Makes []Tile }

// Tile is a box of an argument, or of an array of the state.
type Tile struct {
	Of  *Stage
	Box region.Region
}

// Room is the memory for all arrays of a drive, where they do not fit as a whole.
type Room struct {
	Bytes int64            // 0: they fit
	Each  map[string]int64 // of arguments that are made where they are read: the bytes that tiles of what they are made from have for an element
}

// Of is what an element of an argument takes in tiles.
func (r Room) Of(param string, t Type) int64 {
	if n, made := r.Each[param]; made {
		return n
	}
	return int64(t.Elem.Size())
}

// Rounds are calls over the objects that are not done yet. They stand in front: when half are done, what the state holds of these goes to the
// outputs, and the others move up. An object is computed from what the state holds of itself alone, and so to the same bits wherever it
// stands.
type Rounds struct {
	Dim   string `yaml:"dim" json:"dim"`     // the first one of all arrays of the state that hold something of each object
	Done  int    `yaml:"done" json:"done"`   // which of these says that an object is done, and stays what it is
	Order int    `yaml:"order" json:"order"` // which says what object stands where: by it programs read what comes from outside
}

// Program is what one call computes.
type Program struct {
	Name string
	// Next is what the state holds after a call, in its order; nil: what it held before. It may be what another array of the state held, which
	// is not copied, if no other one takes it and it holds something else then.
	Next []*Stage
	Most int // calls
	// Boxed says that a call stores one box of each array in Next, in place, and reads none of them: it may be made again from what it was given.
	// It is one kernel, over the dims of these arrays.
	Boxed bool
	// Fraction is how much of the work of the whole arrays such a call does on average, by which it is predicted.
	Fraction float64
}

// StateBox is a box of a real array of the state.
type StateBox struct {
	State int
	Box   region.Region
}

// Host is all that an algorithm sees of a run.
type Host interface {
	// Room is that of the Lowering; Task begins one of Drive.Tasks, each once and in their order.
	Room() Room
	Task(number int) error
	Launch(call int) error                 // one of Drive.Calls
	Box(call int, box region.Region) error // one that is Boxed, over a box of what it stores
	// Edit is a call that the host makes: change is given the elements of boxes, in C order, and may change them. It is not asked for what an
	// earlier run did, and so must leave all that matters in them.
	Edit(change func(of [][]float64) error, boxes ...StateBox) error
	Round(call int) (left int, err error)  // the same, over the objects that are left; and how many are then
	Values(state int) ([]float64, error)   // all elements of a real array of the state, in C order
	Scalar(state int) (float64, error)     // a single value among the state
	Set(state, at int, v ...float64) error // elements of a real array of the state, counted in C order
	Progress(row string)                   // how far it is, for people
}

// Objects is the number of each object, in the order in which they are at first.
func (l *Lowering) Objects(d Dim) *Stage {
	return l.Stage("objects", Type{Elem: I32, Dims: []Dim{d}}, nil, func(_ *Body, at []*ir.Node) Elem { return Real(at[0]) })
}

// State defines an array that stays between calls.
func (l *Lowering) State(name string, t Type) *Stage {
	s := l.Stage(name, t, nil, nil)
	s.Source, s.State = true, true
	return s
}
