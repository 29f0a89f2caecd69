//go:build !unix

package fileio

import "os"

// lock does nothing: these systems refuse to open a file twice for writing, or lack such locks.
func lock(*os.File) error { return nil }

func lockSoon(*os.File) error { return nil }

func taken(error) bool { return false }
