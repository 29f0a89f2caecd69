//go:build unix

package picture

import (
	"bytes"
	"os"
	"regexp"
	"sync"
	"time"

	"golang.org/x/sys/unix"
	"golang.org/x/term"
)

// answerTime is how long a terminal has to say what it is: many, such as those of consoles and of test drivers, never do.
const answerTime = 400 * time.Millisecond

// sixelAttribute is the answer of a terminal that has Sixel: 4 among its attributes, the first of which is its kind.
var sixelAttribute = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`\x1b\[\?\d+;(\d+;)*4[;c]`) })

// asksForSixel asks the terminal for its primary attributes. One that does not answer in time has no Sixel.
func asksForSixel(in, out *os.File) bool {
	fd := int(in.Fd())
	before, err := term.MakeRaw(fd)
	if err != nil {
		return false
	}
	defer term.Restore(fd, before) // what cannot be put back cannot be helped
	if _, err := out.WriteString("\x1b[0c"); err != nil {
		return false
	}
	var answer []byte
	part := make([]byte, 64)
	for deadline := time.Now().Add(answerTime); !bytes.ContainsRune(answer, 'c'); {
		ready := []unix.PollFd{{Fd: int32(fd), Events: unix.POLLIN}}
		n, err := unix.Poll(ready, max(0, int(time.Until(deadline).Milliseconds())))
		if err == unix.EINTR {
			continue
		}
		if err != nil || n == 0 || ready[0].Revents&unix.POLLIN == 0 {
			return false
		}
		if n, err = unix.Read(fd, part); err != nil || n <= 0 {
			return false
		}
		answer = append(answer, part[:n]...)
	}
	return sixelAttribute().Match(answer)
}
