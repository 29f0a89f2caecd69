package picture

import (
	"fmt"
	"os"
	"testing"
	"time"

	"golang.org/x/sys/unix"
)

// terminalPair is a terminal and the end that a terminal program holds.
func terminalPair(t *testing.T) (program, terminal *os.File) {
	t.Helper()
	program, err := os.OpenFile("/dev/ptmx", os.O_RDWR, 0)
	if err != nil {
		t.Skip("no pseudo-terminals here:", err)
	}
	t.Cleanup(func() { program.Close() })
	n, err := unix.IoctlGetInt(int(program.Fd()), unix.TIOCGPTN)
	if err != nil {
		t.Fatal(err)
	}
	if err := unix.IoctlSetPointerInt(int(program.Fd()), unix.TIOCSPTLCK, 0); err != nil {
		t.Fatal(err)
	}
	terminal, err = os.OpenFile(fmt.Sprintf("/dev/pts/%d", n), os.O_RDWR|unix.O_NOCTTY, 0)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { terminal.Close() })
	return program, terminal
}

func TestTerminalsAreAskedForSixelWithATimeLimit(t *testing.T) {
	for _, c := range []struct {
		answer string
		want   bool
	}{{"", false}, {"\x1b[?62;4;22c", true}, {"\x1b[?4;22c", false}, {"\x1b[?62;22;4c", true}, {"\x1b[?64;24c", false}} {
		program, terminal := terminalPair(t)
		go func() {
			program.Read(make([]byte, 16)) // the question
			program.WriteString(c.answer)
		}()
		got := make(chan bool, 1)
		go func() { got <- asksForSixel(terminal, terminal) }()
		select {
		case g := <-got:
			if g != c.want {
				t.Errorf("answer %q: %v", c.answer, g)
			}
		case <-time.After(20 * time.Second):
			t.Fatalf("answer %q: still waiting", c.answer)
		}
	}
}
