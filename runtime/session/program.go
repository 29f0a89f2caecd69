package session

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"unicode/utf8"

	"weft/lang/check"
	"weft/lang/diag"
	"weft/ops"
	"weft/ops/catalogue"
	"weft/ops/problem"
	"weft/planner/plan"
	"weft/runtime/result"
)

// Program is a checked pipeline with all that is to be said about it: warnings are added as it is planned and run.
type Program struct {
	*check.Program
	Found  diag.List
	Origin ops.Origin // what outputs record
	Kept   *plan.Plan // that was read in place of a text; nil: there is none
	// Ways are how it was found in which ways arrays are made, once the program is planned, and Taken those ways.
	Ways  []*plan.Ways
	Taken map[string]int
}

// Mistakes are what is wrong with a program, or with another text, at its places. Warnings are among them.
type Mistakes struct{ *diag.List }

func (m *Mistakes) Error() string { return m.Summary() }

// Check reads and checks a pipeline file, or the pipeline of a plan. The error is for a file that cannot be read; mistakes in it are in
// Found, and planning returns them.
func Check(path string, opt check.Options) (*Program, error) {
	text, err := ReadPipeline(path)
	if err != nil {
		return nil, err
	}
	if !isPlan(path) {
		return CheckText(path, text, opt), nil
	}
	v, err := plan.Read(text)
	switch {
	case err != nil:
		return nil, fmt.Errorf("error[%s]: %s: %w", problem.PipelineUnreadable, problem.Printable(path), err)
	case v.Program.Text == "":
		return nil, fmt.Errorf("error[%s]: %s does not hold the text of its pipeline", problem.PipelineUnreadable, problem.Printable(path))
	case len(opt.Params) > 0 || opt.Tolerance != "":
		return nil, fmt.Errorf("error[%s]: %s is a plan, made with its params and tolerance: plan the pipeline again with others",
			problem.PipelineUnreadable, problem.Printable(path))
	}
	p := CheckText(v.File, []byte(v.Program.Text), check.Options{Params: v.Program.Params, Tolerance: v.Program.Tolerance})
	p.Kept = v
	return p, nil
}

// isPlan reports whether a file is a plan, by the ending of its name.
func isPlan(path string) bool {
	return slices.Contains([]string{".yaml", ".yml", ".json"}, filepath.Ext(path))
}

// CheckText checks the text of a pipeline file.
func CheckText(path string, text []byte, opt check.Options) *Program {
	p, found := check.File(path, text, catalogue.Standard(), opt)
	return &Program{Program: p, Found: found, Origin: ops.Origin{Text: string(text), Params: opt.Params, Tolerance: opt.Tolerance}}
}

// Err is what was found, if it holds a mistake.
func (p *Program) Err() error {
	if p.Found.HasErrors() {
		return &Mistakes{&p.Found}
	}
	return nil
}

// fault turns problems that planning complains of into Mistakes at their places; other errors stay as they are.
func (p *Program) fault(err error) error {
	if err == nil || !p.place(err, problem.Where{}) {
		return err
	}
	return p.Err()
}

// failed turns why a run failed into Mistakes, at its place in the program. A cancelled run is no mistake of the program.
func (p *Program) failed(err error) error {
	if err == nil || errors.Is(err, context.Canceled) {
		return err
	}
	at := problem.Where{}
	var stage *result.StageError
	if errors.As(err, &stage) {
		at = stage.Where
	}
	if !p.place(err, at) {
		p.say("", err.Error(), "", at)
	}
	return p.Err()
}

// place adds what problems say at their places, or at the given one; it reports whether err was made of problems through and through.
func (p *Program) place(err error, at problem.Where) bool {
	all := true
	for _, e := range problem.Each(err) {
		var fault problem.Problem
		if !errors.As(e, &fault) {
			all = false
			continue
		}
		if fault.At == (problem.Where{}) {
			fault.At = at
		}
		p.say(fault.Code, fault.Message, fault.Help, fault.At).Severity = diag.Error // also of a code that is a warning where a run goes on
	}
	return all
}

// say adds a diagnostic; what happens nowhere in particular has no place.
func (p *Program) say(code, message, help string, at problem.Where) *diag.Diagnostic {
	if _, ok := diag.Lookup(code); !ok {
		code = problem.StageFailed
	}
	var span diag.Span
	if at != (problem.Where{}) {
		span = p.Span(at)
	}
	d := p.Found.Report(code, span, "%s", message)
	d.Help = help
	return d
}

// largestPipeline is far beyond any text a person wrote; a larger file is data given by mistake.
const largestPipeline = 16 << 20

// ReadPipeline reads a pipeline file in UTF-8.
func ReadPipeline(path string) ([]byte, error) {
	info, err := os.Stat(path)
	why := ""
	switch {
	case err != nil:
		return nil, unreadable(path, err)
	case info.IsDir():
		why = "is a folder; name a pipeline file"
	case !info.Mode().IsRegular():
		why = "is a device or pipe; name a pipeline file"
	case info.Size() > largestPipeline:
		why = "is larger than 16 MiB, which no pipeline is"
	}
	if why != "" {
		return nil, fmt.Errorf("error[%s]: %s %s", problem.PipelineUnreadable, problem.Printable(path), why)
	}
	text, err := os.ReadFile(path)
	if err != nil {
		return nil, unreadable(path, err)
	}
	if !utf8.Valid(text) {
		return nil, fmt.Errorf("error[%s]: %s is not a text file (UTF-8)", problem.PipelineUnreadable, problem.Printable(path))
	}
	return text, nil
}

func unreadable(path string, err error) error {
	return fmt.Errorf("error[%s]: cannot read pipeline %s: %w", problem.PipelineUnreadable, problem.Printable(path), reasonOf(err))
}

// reasonOf is an error of the file system without the path.
func reasonOf(err error) error {
	var pe *fs.PathError
	if errors.As(err, &pe) {
		return pe.Err
	}
	return err
}
