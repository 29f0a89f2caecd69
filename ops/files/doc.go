// Package files holds the operators that connect a pipeline to the outside: read, write and show.
package files

import "weft/ops"

// Specs lists the operators of this package.
func Specs() []*ops.Spec { return []*ops.Spec{readSpec(), writeSpec(), showSpec()} }

const group = "files and display"
