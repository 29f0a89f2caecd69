//go:build !unix

package fileio

import (
	"errors"
	"os"
)

// lock does nothing: these systems refuse to open a file twice for writing, or lack such locks.
func lock(*os.File) error { return nil }

// lockFolder says that there are no locks of folders.
func lockFolder(*os.File, bool) error { return errors.ErrUnsupported }

func taken(error) bool { return false }
