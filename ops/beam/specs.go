package beam

import "weft/ops"

// Specs are the operators of this package.
func Specs() []*ops.Spec {
	return []*ops.Spec{
		matrixProbe, linearProbe, customProbe,
		boxGrid,
		firstArrivalLaw, planeLaw, divergingLaw, arrivalsLaw,
		tukeyWindow,
		demodulate,
		beamform,
	}
}
