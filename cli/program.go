package cli

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"unicode/utf8"

	"weft/lang/check"
	"weft/lang/diag"
	"weft/ops"
	"weft/ops/catalogue"
	"weft/planner"
)

// loaded is a checked pipeline file with all that is to be said about it.
type loaded struct {
	*check.Program
	found diag.List
	build func(planner.Choices) (*planner.Plan, error) // once it is planned

	decided bool // the plan follows decisions of another, precision included
}

// load reads and checks a pipeline file. The error is only for a file that cannot be read; mistakes in it are in found.
func load(path string, opt check.Options) (*loaded, error) {
	text, err := readPipeline(path)
	if err != nil {
		return nil, err
	}
	return loadText(path, text, opt), nil
}

// loadText checks the text of a pipeline file.
func loadText(path string, text []byte, opt check.Options) *loaded {
	p, found := check.File(path, text, catalogue.Standard(), opt)
	return &loaded{Program: p, found: found}
}

// largestPipeline is far beyond any text a person wrote; a larger file is data given by mistake.
const largestPipeline = 16 << 20

// readPipeline reads a pipeline file in UTF-8.
func readPipeline(path string) ([]byte, error) {
	info, err := os.Stat(path)
	if err != nil {
		return nil, unreadable(path, err)
	}
	if info.IsDir() {
		return nil, fmt.Errorf("error[%s]: %s is a folder; name a pipeline file", diag.PipelineUnreadable, path)
	}
	if info.Size() > largestPipeline {
		return nil, fmt.Errorf("error[%s]: %s is larger than 16 MiB, which no pipeline is", diag.PipelineUnreadable, path)
	}
	text, err := os.ReadFile(path)
	if err != nil {
		return nil, unreadable(path, err)
	}
	if !utf8.Valid(text) {
		return nil, fmt.Errorf("error[%s]: %s is not a text file (UTF-8)", diag.PipelineUnreadable, path)
	}
	return text, nil
}

func unreadable(path string, err error) error {
	return fmt.Errorf("error[%s]: cannot read pipeline %s: %w", diag.PipelineUnreadable, path, reasonOf(err))
}

// reasonOf is an error of the file system without the path.
func reasonOf(err error) error {
	var pe *fs.PathError
	if errors.As(err, &pe) {
		return pe.Err
	}
	return err
}

// addProblems turns what later stages complain about into diagnostics at a place; it reports whether err was made of
// Problems through and through.
func (l *loaded) addProblems(err error, at ops.Where) bool {
	if several, ok := err.(interface{ Unwrap() []error }); ok {
		all := true
		for _, e := range several.Unwrap() {
			all = l.addProblems(e, at) && all
		}
		return all
	}
	var p ops.Problem
	if !errors.As(err, &p) {
		return false
	}
	if p.At != (ops.Where{}) {
		at = p.At
	}
	l.add(p.Code, p.Message, p.Help, at)
	return true
}

func (l *loaded) add(code, message, help string, at ops.Where) {
	if _, ok := diag.Lookup(code); !ok {
		code = diag.StageFailed
	}
	d := l.found.Report(code, l.spanOf(at), "%s", message)
	d.Help = help
}

// show prints what was found, and fails if it holds an error.
func (l *loaded) show(errOut io.Writer) error { return showAll(errOut, &l.found) }

// mostErrors is how many errors are printed; more are counted.
const mostErrors = 50

func showAll(errOut io.Writer, found *diag.List) error {
	if err := (diag.Renderer{Color: colourful(errOut), Limit: mostErrors}).Write(errOut, found); err != nil {
		return err
	}
	if found.HasErrors() {
		fmt.Fprintln(errOut, found.Summary())
		return errReported
	}
	return nil
}

// spanOf is a place in the text; what happens nowhere in particular has none.
func (l *loaded) spanOf(at ops.Where) diag.Span {
	if at == (ops.Where{}) {
		return diag.Span{}
	}
	return l.Span(at)
}
