// Package ultrasoundtest holds what the libraries ultrasound, doppler and simulate make of echoes against the formulas in float64, written out a second time.
package ultrasoundtest
