package fileio

import (
	"errors"
	"os"
)

// exchangeByTurns is for systems that exchange no names: for a moment there is no b.
func exchangeByTurns(a, b string) error {
	beside := a + ".old"
	if err := os.Rename(b, beside); err != nil {
		return err
	}
	if err := os.Rename(a, b); err != nil {
		return errors.Join(err, os.Rename(beside, b))
	}
	return os.Rename(beside, a)
}
