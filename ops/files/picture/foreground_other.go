//go:build !unix

package picture

import "os"

// foreground is true where processes in the background may ask their terminal, too.
func foreground(*os.File) bool { return true }
