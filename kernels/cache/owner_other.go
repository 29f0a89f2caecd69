//go:build !unix

package cache

import "io/fs"

// ownership is whether files have owners and permissions that mean something: here the user's folders are the user's own by other rules.
const ownership = false

func owned(fs.FileInfo) bool { return true }
