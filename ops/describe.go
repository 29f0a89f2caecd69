package ops

import (
	"fmt"
	"strings"
)

// Signature is one line: beamform(input, probe, grid, fc: number [Hz], c: number [m/s] = 1540 m/s, start?: number [s]).
func Signature(s *Spec) string {
	var args []string
	for _, p := range s.Params {
		args = append(args, p.Signature())
	}
	return s.Name + "(" + strings.Join(args, ", ") + ")"
}

// Signature is the parameter as it stands in the operator's signature.
func (p Param) Signature() string {
	var b strings.Builder
	if p.Rest {
		b.WriteString("...")
	}
	b.WriteString(p.Name)
	if p.Optional && p.Default == nil {
		b.WriteString("?")
	}
	if p.Accept != KArray && p.Accept != KObject {
		b.WriteString(": " + p.accepts())
	}
	if p.Default != nil {
		b.WriteString(" = " + p.Default.String())
	}
	return b.String()
}

// shortKinds names kinds in signatures.
var shortKinds = []string{"number", "text", "bool", "name", "list", "range", "pair", "array", "record", "", "place", "function"}

// accepts says what the parameter takes, in short.
func (p Param) accepts() string {
	var kinds []string
	measured := false
	for i, name := range shortKinds {
		k := Kind(1) << i
		if p.Accept&k == 0 {
			continue
		}
		switch k {
		case KSymbol:
			if len(p.Choices) > 0 {
				name = strings.Join(p.Choices, "|")
			}
		case KObject:
			if name = strings.Join(p.Objects, "|"); name == "" {
				name = "object"
			}
		case KNumber, KRange, KArray:
			measured = true
		}
		if k == KNumber && p.Integer {
			name = "integer"
		}
		kinds = append(kinds, name)
	}
	text := strings.Join(kinds, "|")
	if measured && p.Unit != "" && p.Unit != "*" {
		text += " [" + p.Unit + "]"
	}
	return text
}

// Doc is the operator's documentation in Markdown, plain enough to be read in a terminal.
func Doc(s *Spec) string {
	var b strings.Builder
	fmt.Fprintf(&b, "## %s\n\n%s\n\n    %s\n", s.Name, s.Doc, Signature(s))
	if len(s.Params) > 0 {
		b.WriteString("\n")
	}
	for _, p := range s.Params {
		fmt.Fprintf(&b, "- `%s`: %s%s\n", p.Name, p.Doc, p.limits())
	}
	if s.Returns != "" {
		fmt.Fprintf(&b, "\nReturns %s\n", s.Returns)
	}
	if s.Long != "" {
		fmt.Fprintf(&b, "\n%s\n", strings.TrimSpace(s.Long))
	}
	if s.Error.Metric != "" {
		fmt.Fprintf(&b, "\nTolerance: %s.\n", s.Error)
	}
	for _, e := range s.Examples {
		fmt.Fprintf(&b, "\n%s:\n\n    %s\n", e.Title, strings.ReplaceAll(strings.TrimSpace(e.Code), "\n", "\n    "))
	}
	return b.String()
}

// limits puts what a value must fulfil into words.
func (p Param) limits() string {
	var s []string
	if p.Accept&KArray != 0 && len(p.Dims) > 0 {
		s = append(s, "with dims "+strings.Join(p.Dims, ", "))
	}
	if p.Unit != "" && p.Unit != "*" && p.Accept&(KNumber|KRange|KArray) != 0 {
		s = append(s, "in "+p.Unit+" or a unit like it")
	}
	if p.Integer {
		s = append(s, "whole")
	}
	if p.Positive {
		s = append(s, "above 0")
	}
	si := Unit{}
	if p.Unit != "" && p.Unit != "*" {
		si = MustUnit(p.Unit).Coherent()
	}
	if p.Min != nil {
		s = append(s, "at least "+Number{V: *p.Min, Unit: si}.String())
	}
	if p.Max != nil {
		s = append(s, "at most "+Number{V: *p.Max, Unit: si}.String())
	}
	if len(p.Choices) > 0 {
		s = append(s, "one of "+strings.Join(p.Choices, ", "))
	}
	if p.Default != nil {
		s = append(s, "by default "+p.Default.String())
	} else if p.Optional {
		s = append(s, "may be left out")
	}
	if len(s) == 0 {
		return ""
	}
	return " (" + strings.Join(s, "; ") + ")"
}

// metricWords completes "an error of at most V ..." by metric.
var metricWords = map[Metric]string{
	Peak:     "of the largest magnitude of the result",
	Absolute: "in the unit of the result",
	Relative: "of each value",
	Angle:    "rad, whole turns apart",
}

// String says the rule in words.
func (r ErrorRule) String() string {
	if r.Metric == Exact {
		return "exact"
	}
	return fmt.Sprintf("%g %s", r.Tolerance, metricWords[r.Metric])
}
