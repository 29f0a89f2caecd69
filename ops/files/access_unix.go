//go:build unix

package files

import "golang.org/x/sys/unix"

// mayWrite reports permission to make files in a folder.
func mayWrite(folder string) bool { return unix.Access(folder, unix.W_OK|unix.X_OK) == nil }
