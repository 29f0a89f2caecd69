package profile

import (
	"fmt"
	"time"
)

// Schema is the version of the file's fields and of the classes measured: a profile of another one is measured again.
const Schema = 8

// Profile is a machine, measured.
type Profile struct {
	Schema      int         `yaml:"schema" json:"schema"`
	Fingerprint Fingerprint `yaml:"fingerprint" json:"fingerprint"`
	Created     time.Time   `yaml:"created" json:"created"`
	Provisional bool        `yaml:"provisional,omitempty" json:"provisional,omitempty"` // measured while the machine was busy
	Took        float64     `yaml:"took_s" json:"took_s"`
	Noise       float64     `yaml:"wall_over_cpu" json:"wall_over_cpu"` // of the single-threaded measurements; 1 on an idle machine

	Threads int `yaml:"threads" json:"threads"`
	Lanes   int `yaml:"lanes" json:"lanes"` // of a vector of float32

	// Ops is the time of one operation of a class in nanoseconds, on one core, when lanes are full: see Classes.
	Ops map[Class]float64 `yaml:"ops_ns,flow" json:"ops_ns"`
	// Levels are the memory's, the fastest first.
	Levels []Level `yaml:"levels" json:"levels"`
	// Touch is the rate at which memory is written that no page stands behind yet, in bytes a second, one core and all.
	Touch      Rate    `yaml:"touch,flow" json:"touch"`
	TouchSmall float64 `yaml:"touch_small" json:"touch_small"` // of an array too small for large pages, one core
	Launch     float64 `yaml:"launch_s" json:"launch_s"`       // of a kernel over one point
	First      float64 `yaml:"first_s" json:"first_s"`         // what the first launch of a kernel costs more: its code is in no cache
	Dispatch   float64 `yaml:"dispatch_s" json:"dispatch_s"`   // of a step: starting workers, handing them a tile, waiting
	Compile    float64 `yaml:"compile_s" json:"compile_s"`     // of a small kernel that is in no cache; 0: not measured
	DiskRead   float64 `yaml:"disk_read" json:"disk_read"`     // bytes a second, past the page cache where the system allows it
	DiskWrite  float64 `yaml:"disk_write" json:"disk_write"`   // bytes a second, until the disk has them

	// Default marks figures that were not measured but stand in for a machine.
	Default bool `yaml:"default,omitempty" json:"default,omitempty"`
}

// Level is a level of the memory hierarchy.
type Level struct {
	Name  string `yaml:"name" json:"name"`
	Bytes int64  `yaml:"bytes" json:"bytes"` // the largest working set of a core that it serves; 0 on the last: any
	Copy  Rate   `yaml:"copy,flow" json:"copy"`
	Triad Rate   `yaml:"triad,flow" json:"triad"`
}

// Rate is bytes a second, loaded and stored together, of one core and of all of them at once.
type Rate struct {
	Core float64 `yaml:"core" json:"core"`
	All  float64 `yaml:"all" json:"all"`
}

// Of is the rate of some threads at once: cores add up until all of them reach what the machine delivers.
func (r Rate) Of(threads int) float64 {
	if threads <= 1 {
		return r.Core
	}
	return max(r.Core, min(r.Core*float64(threads), r.All))
}

// Default stands in until a machine is measured: a current desktop or server core with 256-bit vectors.
func Default(threads int) *Profile {
	threads = max(1, threads)
	level := func(name string, bytes int64, core, all float64) Level {
		r := Rate{core, min(core*float64(threads), all)}
		return Level{Name: name, Bytes: bytes, Copy: r, Triad: r}
	}
	p := &Profile{
		Schema: Schema, Default: true, Noise: 1, Threads: threads, Lanes: 8, Ops: map[Class]float64{},
		Levels: []Level{level("L2", 512<<10, 60e9, 1e15), level("L3", 8<<20, 25e9, 100e9), level("memory", 0, 12e9, 25e9)},
		Touch:  Rate{3e9, min(3e9*float64(threads), 8e9)}, TouchSmall: 2e9,
		Launch: 2e-7, First: 4e-5, Dispatch: 2e-5, Compile: 0.1, DiskRead: 500e6, DiskWrite: 300e6,
	}
	for _, b := range benchmarks {
		if b.ops > 0 {
			p.Ops[b.class] = b.usual
		}
	}
	derive(p.Ops)
	return p
}

// LevelFor is the level that serves a working set of a core.
func (p *Profile) LevelFor(bytes int64) Level {
	for _, l := range p.Levels {
		if bytes <= l.Bytes {
			return l
		}
	}
	return p.Levels[len(p.Levels)-1]
}

// Check reports what is missing in a profile that was read.
func (p *Profile) Check() error {
	if p.Schema != Schema {
		return fmt.Errorf("schema %d, this weft measures %d", p.Schema, Schema)
	}
	for _, c := range Classes() {
		if !(p.Ops[c] > 0) {
			return fmt.Errorf("no figure for %s", c)
		}
	}
	if len(p.Levels) == 0 || p.Threads < 1 || p.Lanes < 1 || !(p.Touch.Core > 0 && p.TouchSmall > 0) {
		return fmt.Errorf("figures of the memory are missing")
	}
	for _, l := range p.Levels {
		if !(l.Copy.Core > 0 && l.Copy.All > 0 && l.Triad.Core > 0 && l.Triad.All > 0) {
			return fmt.Errorf("no rate for %s", l.Name)
		}
	}
	return nil
}
