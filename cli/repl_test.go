//go:build unix

package cli

import (
	"bytes"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/creack/pty"
)

// screen is a terminal with a prompt on it: it answers what a line editor asks of terminals, and keeps what was written.
type screen struct {
	tty *os.File
	mu  sync.Mutex
	out bytes.Buffer
	at  int // how far what was written, without escapes, has been looked at
}

var escape = regexp.MustCompile(`\x1b\[[0-9;?]* ?[a-zA-Z]`)

func (s *screen) read() {
	buf := make([]byte, 4096)
	for {
		n, err := s.tty.Read(buf)
		for range bytes.Count(buf[:n], []byte("\x1b[6n")) { // where the cursor is
			_, _ = s.tty.Write([]byte("\x1b[1;7R")) // the end of the session is seen by the reading side
		}
		s.mu.Lock()
		s.out.Write(buf[:n])
		s.mu.Unlock()
		if err != nil {
			return
		}
	}
}

// until waits for a text behind the last one.
func (s *screen) until(t *testing.T, text string) {
	t.Helper()
	out := ""
	for begin := time.Now(); time.Since(begin) < 60*time.Second; time.Sleep(5 * time.Millisecond) {
		s.mu.Lock()
		out = escape.ReplaceAllString(s.out.String(), "")
		s.mu.Unlock()
		if i := strings.Index(out[min(s.at, len(out)):], text); i >= 0 {
			s.at += i + len(text)
			return
		}
	}
	t.Fatalf("%q never came; there is %q", text, out[min(s.at, len(out)):])
}

// ready waits for a prompt, until nothing more is drawn: before, the editor takes what is typed for the terminal's answers.
func (s *screen) ready(t *testing.T) {
	t.Helper()
	s.until(t, "weft> ")
	for n, drawn := -1, 0; n != drawn; time.Sleep(300 * time.Millisecond) {
		s.mu.Lock()
		n, drawn = drawn, s.out.Len()
		s.mu.Unlock()
	}
}

func (s *screen) enter(t *testing.T, text string) {
	t.Helper()
	if _, err := io.WriteString(s.tty, text); err != nil {
		t.Fatal(err)
	}
}

// TestPrompt is a session at a terminal: values, an input of two lines, a mistake, completion, Ctrl-C on a line and in a run.
func TestPrompt(t *testing.T) {
	cmd := exec.Command("weft")
	cmd.Dir = t.TempDir()
	cache := t.TempDir()
	cmd.Env = append(os.Environ(), "TERM=xterm", "WEFT_CACHE="+cache, "NO_COLOR=1")
	tty, err := pty.StartWithSize(cmd, &pty.Winsize{Rows: 40, Cols: 120})
	if err != nil {
		t.Fatal(err)
	}
	defer tty.Close()
	s := &screen{tty: tty}
	go s.read()
	hung := time.AfterFunc(3*time.Minute, func() { cmd.Process.Kill() })
	defer hung.Stop()

	for _, c := range []struct{ types, sees string }{
		{"6 * 7\r", "\n42"},
		{"x = axis(i, 1 .. 4 in 4)\r", "\nx: f32 [i: 4]"},
		{"sum(\rx)\r", "\n10"},
		{"y + 1\r", "nothing is named `y`"},
		{"cums\t(x, along: i)\r", "  1  3  6  10\r\n"},
		{"half a line\x03", "weft> "},
		{"max(x)\r", "\n4"},
	} {
		s.ready(t)
		s.enter(t, c.types)
		s.until(t, c.sees)
	}
	s.ready(t)
	s.enter(t, "iterate(x, s -> sin(s) + 1, at_most: 100000000) | sum\r")
	time.Sleep(time.Second)
	s.enter(t, "\x03")
	s.until(t, "cancelled")
	s.ready(t)
	s.enter(t, "min(x)\r")
	s.until(t, "\n1")
	s.ready(t)
	s.enter(t, ":quit\r")
	if err := cmd.Wait(); err != nil {
		t.Error(err)
	}
	if history, err := os.ReadFile(filepath.Join(cache, "history")); err != nil || !strings.Contains(string(history), "6 * 7") {
		t.Errorf("%q, %v: no history", history, err)
	}
}
