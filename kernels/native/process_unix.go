//go:build unix

package native

import (
	"os/exec"
	"syscall"
)

// group makes a command, with what it starts, one group of processes.
func group(cmd *exec.Cmd) { cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true} }

// end ends what is left of a group.
func end(cmd *exec.Cmd) error { return syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) }
