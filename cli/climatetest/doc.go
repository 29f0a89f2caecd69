// Package climatetest holds a day of a city's climate, as the library comfort computes it, against the formulas in float64, written out a second time.
package climatetest
