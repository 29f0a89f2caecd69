package cli

import (
	"io"
	"os"

	"golang.org/x/term"

	"weft/ops"
	"weft/ops/files/picture"
	"weft/runtime/progress"
)

// terminal is where sinks print.
type terminal struct {
	io.Writer
	file          *os.File // of the terminal itself; nil: it is none
	columns, rows int
	rich          bool
}

func (t terminal) Size() (columns, rows int) { return t.columns, t.rows }

func (t terminal) Rich() bool { return t.rich }

// Caps are the colours and the picture protocol of the terminal, which may have to be asked.
func (t terminal) Caps() picture.Caps {
	if t.file == nil {
		return picture.Caps{}
	}
	return picture.Detect(t.file)
}

// To is a terminal like this that prints to w.
func (t terminal) To(w io.Writer) ops.Terminal {
	t.Writer = w
	return t
}

// terminalOf describes the output: 80 columns of plain text when it is no terminal.
func terminalOf(out io.Writer) terminal {
	t := terminal{Writer: out, columns: 80, rows: 24}
	t.file, _ = out.(*os.File)
	t.rich = colourful(out)
	if f, ok := isTerminal(out); ok {
		if c, r, err := term.GetSize(int(f.Fd())); err == nil && c > 0 && r > 0 {
			t.columns, t.rows = c, r
		}
	}
	return t
}

func isTerminal(w io.Writer) (*os.File, bool) {
	f, ok := w.(*os.File)
	return f, ok && onTerminal(f)
}

func onTerminal(f *os.File) bool { return term.IsTerminal(int(f.Fd())) }

// colourful reports whether output goes to a terminal whose user did not ask for plain text (https://no-color.org).
func colourful(w io.Writer) bool {
	_, ok := isTerminal(w)
	return ok && os.Getenv("NO_COLOR") == "" && os.Getenv("TERM") != "dumb"
}

// progressOn draws a bar on a terminal and writes lines elsewhere.
func progressOn(errOut io.Writer) progress.Hears {
	if _, ok := isTerminal(errOut); ok && os.Getenv("TERM") != "dumb" {
		return progress.New(errOut, terminalOf(errOut).columns)
	}
	return progress.New(errOut, 0)
}
