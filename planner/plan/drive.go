package plan

import (
	"slices"

	"weft/ops"
)

// Drive runs an operator's algorithm over programs, each of which is planned like a pipeline and run many times. Start are the arrays that the
// state, which stays from call to call, holds at first; it takes the memory of those in Moves, and has one array in place of two for those in Single, of
// which calls store boxes. Writes of the step are what the outputs hold in the end.
type Drive struct {
	Start    []string       `yaml:"start,flow" json:"start"`
	Moves    []string       `yaml:"moves,omitempty,flow" json:"moves,omitempty"`
	Single   []string       `yaml:"single,omitempty,flow" json:"single,omitempty"`
	Programs []DriveProgram `yaml:"programs" json:"programs"`
	Rounds   *ops.Rounds    `yaml:"rounds,omitempty" json:"rounds,omitempty"`
	Tiles    *Tiles         `yaml:"tiles,omitempty" json:"tiles,omitempty"`
	Says     []string       `yaml:"says,omitempty" json:"says,omitempty"` // what the operator chose, and why
}

// Tiles are arrays of a drive that are on disk: of them, tiles are in memory that its tasks read and make.
type Tiles struct {
	Arrays     []string `yaml:"arrays,flow" json:"arrays"`            // buffers
	Tasks      int      `yaml:"tasks" json:"tasks"`                   // one after the other
	Rows       bool     `yaml:"rows,omitempty" json:"rows,omitempty"` // of what they make, whole rows are in memory
	Peak       int64    `yaml:"peak_bytes" json:"peak_bytes"`         // of tiles in memory at once, those read ahead and written behind included
	Multiplies float64  `yaml:"multiplies" json:"multiplies"`         // products of elements that are summed up
	Moves      float64  `yaml:"moves" json:"moves"`                   // see ops.Tasks
	// Reads and Writes are what is moved, by array.
	Reads  []MovedTiles `yaml:"reads" json:"reads"`
	Writes []MovedTiles `yaml:"writes" json:"writes"`
}

// MovedTiles are tiles of an array that are moved, one more than once.
type MovedTiles struct {
	Buffer string `yaml:"buffer" json:"buffer"`
	Tiles  int    `yaml:"tiles" json:"tiles"` // each as often as it is moved
	Bytes  int64  `yaml:"bytes" json:"bytes"` // of them
}

// Whole reports whether each call may compute all of the state, in memory.
func (d *Drive) Whole() bool { return d.Rounds == nil && d.Tiles == nil }

// OnDisk reports whether of an array only tiles are in memory while the drive runs.
func (d *Drive) OnDisk(id string) bool {
	return d != nil && d.Tiles != nil && slices.Contains(d.Tiles.Arrays, id)
}

// Told is how often a drive tells that it goes on: with each task or, if there are none, each call, at most.
func (d *Drive) Told() (most int) {
	if d.Tiles != nil {
		return d.Tiles.Tasks
	}
	for _, p := range d.Programs {
		if p.Boxed {
			most += p.Most // in turn with those of the others
		} else {
			most = max(most, p.Most)
		}
	}
	return most
}

// DriveProgram is one of a drive's programs. Now are the arrays of its plan that hold the state before a call, Next those that do after one:
// empty for what it does not read, or leaves alone.
type DriveProgram struct {
	Name string   `yaml:"name" json:"name"`
	Most int      `yaml:"most" json:"most"` // calls
	Now  []string `yaml:"now,flow" json:"now"`
	Next []string `yaml:"next,flow" json:"next"`
	// Once are steps that do the same in every call: the first one is enough, where their arrays stay.
	Once []string `yaml:"once,flow" json:"once"`
	// Boxed calls store a box of what they store, in place, and do a Share of the work of all of it.
	Boxed bool    `yaml:"boxed,omitempty" json:"boxed,omitempty"`
	Share float64 `yaml:"share,omitempty" json:"share,omitempty"`
	Plan  *Plan   `yaml:"plan" json:"plan"`
}

// Works is the part of the work of a whole call that one does on average.
func (p DriveProgram) Works() float64 {
	if p.Share > 0 {
		return p.Share
	}
	return 1
}
