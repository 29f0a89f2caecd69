package sky

import "weft/ops"

// Specs are the operators of this package.
func Specs() []*ops.Spec { return []*ops.Spec{skyview, shadow, walls, sun, instant} }
