// Package repl is the interactive prompt: lines in, values out, one notebook behind them.
package repl

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"slices"
	"strings"

	"weft/lang/check"
	"weft/lang/diag"
	"weft/lang/format"
	"weft/lang/syntax"
	"weft/ops"
	"weft/ops/files/fileio"
	"weft/runtime"
	"weft/runtime/notebook"
	"weft/runtime/progress"
	"weft/runtime/result"
	"weft/runtime/session"
)

// Console is a prompt and what it works on.
type Console struct {
	Session  *session.Session
	Notebook *notebook.Notebook
	Out, Err io.Writer
	Terminal ops.Terminal
	Progress progress.Hears
	// Show prints what was found in a text; an error, if it holds a mistake.
	Show func(*diag.List) error
	// Doc documents an operator or function, or lists all for an empty name.
	Doc func(name string) error
	// Devices lists the devices.
	Devices func() error
	// Interruptible runs something that Ctrl-C ends.
	Interruptible func(func(context.Context) error) error

	last   string // what was asked for last
	failed bool
}

// lines is where inputs come from.
type lines interface {
	// next is an input of one or more lines; io.EOF ends the session.
	next() (string, error)
	close() error
}

// errQuit ends the session.
var errQuit = errors.New("quit")

// Run reads inputs until there are no more, and fails if one of them had a mistake and nobody sat before it.
func (c *Console) Run(in io.Reader) error {
	from := c.open(in)
	for {
		text, err := from.next()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return errors.Join(err, from.close())
		}
		if err := c.Do(text); errors.Is(err, errQuit) {
			break
		}
	}
	err := from.close()
	if _, piped := from.(*pipe); piped && c.failed {
		err = errors.Join(err, errors.New("an input had a mistake"))
	}
	return err
}

// bare are commands as other prompts have them, for as long as nothing is named so.
var bare = map[string]string{"help": "help", "quit": "quit", "exit": "quit"}

// Do does what an input says. Mistakes are printed; the error is only for the end of the session.
func (c *Console) Do(text string) error {
	text = strings.TrimSpace(text)
	if text == "" {
		return nil
	}
	var err error
	if command, ok := bare[text]; ok && !slices.Contains(c.Notebook.Names(), text) {
		err = c.command(command)
	} else if rest, ok := strings.CutPrefix(text, ":"); ok {
		err = c.command(rest)
	} else {
		err = c.enter(text, runtime.Options{Verify: true}, nil)
	}
	switch {
	case err == nil || errors.Is(err, errQuit):
		return err
	case errors.Is(err, context.Canceled):
		fmt.Fprintln(c.Err, "cancelled")
	default:
		var mistakes *session.Mistakes
		if !errors.As(err, &mistakes) {
			fmt.Fprintln(c.Err, err)
		} else if e := c.Show(mistakes.List); e == nil {
			fmt.Fprintln(c.Err, err)
		}
	}
	c.failed = true
	return nil
}

// enter runs a text and makes it part of the notebook; then hears what the run did.
func (c *Console) enter(text string, opt runtime.Options, then func(*notebook.Entry, *result.Result) error) error {
	e := c.Notebook.Check(text)
	if e.Err() == nil && e.Asks() {
		c.last = text
	}
	return c.run(e, opt, then)
}

// run is enter for a text that is checked.
func (c *Console) run(e *notebook.Entry, opt runtime.Options, then func(*notebook.Entry, *result.Result) error) error {
	if err := e.Err(); err != nil {
		return err
	}
	opt.Terminal, opt.Progress = c.Terminal, c.Progress
	var r *result.Result
	err := c.Interruptible(func(ctx context.Context) (err error) {
		r, err = c.Notebook.Enter(ctx, e, opt)
		return err
	})
	if err != nil {
		return err
	}
	if err := c.Show(&e.Found); err != nil {
		return err
	}
	for _, d := range e.Defined {
		fmt.Fprintln(c.Out, describe(d))
	}
	if then != nil && r != nil {
		return then(e, r)
	}
	return nil
}

// describe tells what a name is.
func describe(d notebook.Defined) string {
	switch v := d.Value.(type) {
	case nil:
		return d.Name + ": defined"
	case ops.Array:
		return d.Name + ": " + v.Type().String()
	case ops.Record:
		var parts []string
		for _, n := range v.Names {
			parts = append(parts, describe(notebook.Defined{Name: d.Name + "." + n, Value: v.Fields[n]}))
		}
		return strings.Join(parts, "\n")
	default:
		return d.Name + " = " + v.String()
	}
}

// save writes all that was entered as a pipeline file.
func (c *Console) save(path string) error {
	if c.Notebook.Uses() && filepath.Dir(path) != filepath.Clean(cmp.Or(c.Notebook.Folder, ".")) {
		return fmt.Errorf("save it in %s: from there it names the files that it uses", cmp.Or(c.Notebook.Folder, "the folder where weft runs"))
	}
	text := c.Notebook.Text()
	text, _ = format.Source(diag.NewSource(path, text), check.Units(), new(diag.List))
	if err := fileio.WriteFile(path, func(w io.Writer) error { _, err := io.WriteString(w, text); return err }); err != nil {
		return err
	}
	fmt.Fprintf(c.Out, "%s: %d lines\n", path, strings.Count(text, "\n"))
	return nil
}

// Load enters the text of a file.
func (c *Console) Load(path string) error {
	text, err := session.ReadPipeline(path)
	if err != nil {
		return err
	}
	before := c.Notebook.Folder
	if folder := filepath.Dir(path); !c.Notebook.Uses() {
		c.Notebook.Folder = folder
	} else if strings.Contains(string(text), "use \"") && folder != filepath.Clean(cmp.Or(before, ".")) {
		return fmt.Errorf("files are used from %s already: :reset first", cmp.Or(before, "the folder where weft runs"))
	}
	err = c.enter(string(text), runtime.Options{Verify: true}, nil)
	if err != nil {
		c.Notebook.Folder = before
	}
	return err
}

// unfinished reports whether an input goes on in the next line.
func unfinished(text string) bool {
	return !strings.HasPrefix(strings.TrimSpace(text), ":") && syntax.Unfinished(text, check.Units())
}
