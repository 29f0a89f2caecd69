// Package files holds the operators that connect a pipeline to the outside: read, write, show and require.
package files

import "weft/ops"

// Specs lists the operators of this package.
func Specs() []*ops.Spec {
	return []*ops.Spec{readSpec(), writeSpec(), showSpec(), requireSpec(), imageSpec()}
}

const group = "files and display"
