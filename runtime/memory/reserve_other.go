//go:build !unix

package memory

import "errors"

func reserve(int) ([]byte, error) {
	return nil, errors.New("this system cannot reserve addresses without memory")
}

func adviseHuge([]byte) {}

const hugeFrom = 32 << 20

func giveBack([]byte) error { return nil }

func discard([]byte) {}
