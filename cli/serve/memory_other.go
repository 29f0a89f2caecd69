//go:build unix && !linux

package serve

import (
	"errors"
	"os"
)

// anonymous is a temporary file: the client deletes it once it has opened it.
func anonymous() (*os.File, string, error) {
	f, err := os.CreateTemp("", "weft-")
	if err != nil {
		return nil, "", err
	}
	return f, f.Name(), nil
}

func forget(path string) error {
	if err := os.Remove(path); err != nil && !errors.Is(err, os.ErrNotExist) {
		return err
	}
	return nil
}
