// Package report tells of a plan: as text for people, as JSON and YAML for programs, as a graph for dot, as a page for browsers;
// each with what a run of it took, where it ran.
package report

import (
	"fmt"
	"io"
	"maps"
	"slices"

	"weft/planner/bound"
	"weft/planner/plan"
)

// Options of a rendering.
type Options struct {
	Verbose  bool      // every kernel, edge and schedule (text)
	Kernels  bool      // the generated source of every kernel too (text)
	Analysis *Analysis // what a run took; nil: the plan was not run
}

// formats are the renderings by name.
var formats = map[string]func(io.Writer, *bound.Plan, Options) error{
	"text": Text,
	"json": JSON,
	"yaml": YAML,
	"dot":  Dot,
	"html": HTML,
}

// Formats lists the names Write takes.
func Formats() []string { return slices.Sorted(maps.Keys(formats)) }

// Write renders a plan in the named format.
func Write(w io.Writer, format string, p *bound.Plan, opt Options) error {
	f, ok := formats[format]
	if !ok {
		return fmt.Errorf("no explain format %q; there are %v", format, Formats())
	}
	return f(w, p, opt)
}

// explained is the plan value with an analysis beside it.
type explained struct {
	*plan.Plan `yaml:",inline"`
	Analysis   *Analysis `yaml:"analysis,omitempty" json:"analysis,omitempty"`
}

// JSON writes the plan value.
func JSON(w io.Writer, p *bound.Plan, opt Options) error {
	return plan.JSON(w, explained{p.Value(), opt.Analysis})
}

// YAML writes the plan value.
func YAML(w io.Writer, p *bound.Plan, opt Options) error {
	return plan.YAML(w, explained{p.Value(), opt.Analysis})
}
