//go:build !unix

package picture

import "os"

// asksForSixel is false where a terminal cannot be asked with a time limit.
func asksForSixel(_, _ *os.File) bool { return false }
