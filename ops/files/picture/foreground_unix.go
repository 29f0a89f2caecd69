//go:build unix

package picture

import (
	"os"

	"golang.org/x/sys/unix"
)

// foreground reports that this process may ask its terminal: one in the background that does is stopped.
func foreground(terminal *os.File) bool {
	group, err := unix.IoctlGetInt(int(terminal.Fd()), unix.TIOCGPGRP)
	return err == nil && group == unix.Getpgrp()
}
