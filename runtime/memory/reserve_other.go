//go:build !unix

package memory

import "errors"

func reserve(int, bool) ([]byte, error) {
	return nil, errors.New("this system cannot reserve addresses without memory")
}

func giveBack([]byte) error { return nil }

func discard([]byte) {}
