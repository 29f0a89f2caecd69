//go:build !unix

package native

import "os/exec"

// group is nothing here: processes have no groups.
func group(*exec.Cmd) {}

func end(cmd *exec.Cmd) error { return cmd.Process.Kill() }
