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

// passing is a row about the compiler, and what takes it away.
var passing = regexp.MustCompile(`\r(?:compiling: [^\r\n]*)?\x1b\[K`)

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
		out = escape.ReplaceAllString(passing.ReplaceAllString(s.out.String(), ""), "")
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
	for n, drawn := -1, 0; n != drawn; time.Sleep(150 * time.Millisecond) {
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

// dialogue is what is typed at a prompt and what is seen then, behind what came before: values, mistakes, redefinitions, functions, params,
// libraries, commands, pictures, completion, an input of two lines, Ctrl-C on a line.
var dialogue = []struct{ types, sees string }{
	{"6 * 7", "\n42"},
	{"2 mm + 3 um", "\n2.003 mm"},
	{"x = axis(x, 1 mm .. 4 mm in 4)", "\nx: f32 [x: 4] mm"},
	{"x", "1     2     3     4"},
	{"sum(\rx)", "\n10 mm"},
	{"y + 1", "nothing is named `y`"},
	{"x + 1", "one kind of quantity"},
	{"cums\t(x, along: x)", "  1     3     6    10\r\n"},
	{"half a line\x03", ""},
	{"max(x)", "\n4 mm"},
	{"y = axis(y, 0 .. 2 in 3)", "\ny: f32 [y: 3]"},
	{"a = x * y", "\na: f32 [x: 4, y: 3] mm"},
	{"a", "4 mm  0  4  8"},
	{":type a / 2 s", "f32 [x: 4, y: 3] m s^-1"},
	{"sum(a, over: x)", "0  10  20"},
	{"meen(a)", "did you mean `mean`?"},
	{"mean(a, over: z)", "its dimensions are x, y"},
	{"b = 2 * a", "\nb: f32 [x: 4, y: 3] mm"},
	{"sum(b)", "\n60 mm"},
	{"a = x * y + 1 mm", "\na: f32"},
	{"sum(b)", "\n84 mm"}, // what is made of a follows
	{"b[x: 1]", "2  6  10"},
	{"b[x: 1.5 mm, interpolation: linear]", "2  5  8"},
	{"b[x: 9]", "x takes 0 to 3"},
	{"fn twice(v) = 2 * v", "\ntwice: defined"},
	{"twice(y)", "0  2  4"},
	{"twice()", "needs `v`"},
	{"twice(y, 3)", "takes 1 argument"},
	{"fn twice(v) = v + v + 0 * v", "\ntwice: defined"},
	{"twice(y)", "0  2  4"},
	{"param n = 3", "\nn = 3"},
	{"n * 2", "\n6"},
	{":set n = 5", "\nn = 5"},
	{"n * 2", "\n10"},
	{":set n = 5 mm", "does not measure"},
	{":set q = 5", "there is no param q"},
	{":lines", "  4  b = 2 * a"},
	{":forget b", ""},
	{"b", "nothing is named `b`"},
	{"use stats", "\nstats: defined"},
	{"stats.rms(y)", "\n1.29099"},
	{"stats.nothing(y)", "defines no `nothing`"},
	{"stats.rm\t(y) + 1", "\n2.29099"},
	{":doc sum", "Sum of the elements."},
	{":explain sum(a)", "kernel"},
	{":why a", "kernel"},
	{":time sum(a)", "total "},
	{":hist a", "bin from"},
	{":plot y", "drew plot.png"},
	{":plot a none/a.svg", "there is no folder none"},
	{"show(axis(i, 1 .. 20 in 20), all: true)", " 20"},
	{"axis(u, 0 .. 1 in 30) * axis(v, 0 .. 1 in 30)", "@@"}, // a picture
	{"c = sqrt(axis(w, 0 .. 1 in 300))", "\nc: f32 [w: 300]"},
	{"c", "w from 0 to 1"},
	{"where(c > 0.5, 1, 0) | sum", "\n225"},
	{"[1, 2, 3]", "\n[1, 2, 3]"},
	{"\"text\"", "\ntext"},
	{"(low: min(y), high: max(y))", "\nhigh = 2"},
	{"y | write(\"y.npy\")", ""},
	{"sum(read(\"y.npy\"))", "\n3"},
	{"read(\"none.npy\")", "no such file"},
	{":nonsense", ":help lists what there is"},
	{":save all.weft", "all.weft: "},
	{":reset", ""},
	{"y", "nothing is named `y`"},
	{"x = axis(i, 1 .. 4 in 4)", "\nx: f32 [i: 4]"},
}

// TestPrompt is a session at a terminal, with Ctrl-C in a long run at its end.
func TestPrompt(t *testing.T) {
	t.Parallel()
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

	for _, c := range dialogue {
		s.ready(t)
		if text, cancelled := strings.CutSuffix(c.types, "\x03"); cancelled {
			s.enter(t, text)
			s.until(t, text) // a key that is read at once with the text before it is a part of what was pasted
			s.enter(t, "\x03")
		} else {
			s.enter(t, text+"\r")
		}
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
