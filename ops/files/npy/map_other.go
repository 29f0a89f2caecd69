//go:build !unix

package npy

import "errors"

func mapFile(uintptr, int) (data []byte, unmap func() error, err error) {
	return nil, nil, errors.ErrUnsupported
}
