package simulate

import "weft/ops"

// Specs are the operators of this package.
func Specs() []*ops.Spec { return []*ops.Spec{pointScatterer, echoes, cityMap} }
