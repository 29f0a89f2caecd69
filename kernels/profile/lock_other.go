//go:build !unix

package profile

// Lock does nothing on this system: files are replaced whole, so the last writer wins.
func Lock(string) (unlock func()) { return func() {} }
