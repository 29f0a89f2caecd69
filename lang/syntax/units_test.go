package syntax

import "slices"

// testUnits is a small table: which units there are is not the business of this package.
var testUnitNames = []string{"m", "mm", "um", "s", "us", "Hz", "kHz", "MHz", "dB", "deg", "degC", "K", "N", "kg", "eV", "in", "µs"}

var testUnits = Units{
	IsUnit: func(name string) bool { return slices.Contains(testUnitNames, name) },
	Names:  func() []string { return testUnitNames },
}
