package repl

import (
	"bufio"
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"

	"github.com/reeflective/readline"
	"golang.org/x/term"

	"weft/lang/library"
)

// open reads from a terminal by a line editor, and from anything else line by line.
func (c *Console) open(in io.Reader) lines {
	if f, ok := in.(*os.File); ok && term.IsTerminal(int(f.Fd())) {
		return c.edited()
	}
	s := bufio.NewScanner(in)
	s.Buffer(nil, 16<<20)
	return &pipe{scanner: s}
}

// pipe reads inputs that no person types.
type pipe struct {
	scanner *bufio.Scanner
	ahead   *string // a line that was read and belongs to the next input
}

// next joins lines while a bracket is open, a line ends with an operator or is a comment, or the next one begins with a pipe.
func (p *pipe) next() (string, error) {
	read := func() (string, bool) {
		if p.ahead != nil {
			l := *p.ahead
			p.ahead = nil
			return l, true
		}
		ok := p.scanner.Scan()
		return p.scanner.Text(), ok
	}
	text, ok := read()
	if !ok {
		return "", errors.Join(p.scanner.Err(), io.EOF)
	}
	for {
		l, ok := read()
		if !ok {
			return text, nil
		}
		if !unfinished(text) && !strings.HasPrefix(strings.TrimSpace(l), "|") && (!isComment(text) || strings.HasPrefix(strings.TrimSpace(l), ":")) {
			p.ahead = &l
			return text, nil
		}
		text += "\n" + l
	}
}

// isComment reports whether a text is a comment, which belongs to what is below it.
func isComment(text string) bool {
	last := strings.TrimSpace(text[strings.LastIndexByte(text, '\n')+1:])
	return strings.HasPrefix(last, "#")
}

func (*pipe) close() error { return nil }

// editor is the line editor of a terminal.
type editor struct{ shell *readline.Shell }

func (c *Console) edited() *editor {
	go library.Functions() // read while a person types: the first completion would take 90 ms
	shell := readline.NewShell()
	shell.Prompt.Primary(func() string { return "weft> " })
	shell.Prompt.Secondary(func() string { return "  ... " })
	shell.AcceptMultiline = func(line []rune) bool { return !unfinished(string(line)) }
	shell.SyntaxHighlighter = func(line []rune) string { return highlight(string(line)) }
	shell.Completer = func(line []rune, cursor int) readline.Completions {
		word, found := c.complete(string(line[:cursor]))
		var pairs []string
		for _, f := range found {
			pairs = append(pairs, f.Text, f.Doc)
		}
		done := readline.CompleteValuesDescribed(pairs...)
		done.PREFIX = word
		return done
	}
	if c.Session.Cache != "" {
		shell.History.AddFromFile("weft", filepath.Join(c.Session.Cache, "history"))
	}
	return &editor{shell}
}

func (e *editor) next() (string, error) {
	for {
		text, err := e.shell.Readline()
		if errors.Is(err, readline.ErrInterrupt) { // gives up the line
			continue
		}
		return text, err
	}
}

func (*editor) close() error { return nil }
