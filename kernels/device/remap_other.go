//go:build !linux

package device

import "errors"

const gathers = false

func gather(int, [][]byte) ([]byte, error) { return nil, errors.New("pages cannot be moved here") }
