package cost

import "math"

// What a run does apart from its kernels takes about this long, as measured on an ordinary laptop with files in the page cache; runs teach
// the rest.
const (
	perProgram = 4e-3  // seconds to find a compiled kernel and load it
	perArray   = 3e-3  // seconds to check a sample of an array in float64
	perFile    = 1e-3  // seconds to open or make a file
	perByte    = 1e-9  // seconds a byte that is read or written
	perPart    = 1e-4  // seconds a part of a file that is read or written by itself
	perPassing = 1e-10 // seconds a byte that kernels read
)

// Loading is how long compiled kernels take to be found and loaded.
func Loading(kernels int) float64 { return perProgram * float64(kernels) }

// Checking is how long samples of arrays take to be checked.
func Checking(arrays int) float64 { return perArray * float64(arrays) }

// Transferring is how long a file takes to be read or written.
func Transferring(bytes int64) float64 { return perFile + perByte*float64(bytes) }

// Parting is how long a part of an open file takes.
func Parting(bytes int64) float64 { return perPart + perByte*float64(bytes) }

// Passing is how long kernels take to go through what they read, computing apart.
func Passing(bytes float64) float64 { return perPassing * bytes }

// besideKin is what times have in common that are not those of kernels.
const besideKin = "beside"

// Beside is how long what a run of a plan does apart from kernels will take: the model's time, in seconds, as runs corrected it.
func (m *Model) Beside(plan, what, kind string, seconds float64) float64 {
	if m == nil || m.History == nil {
		return seconds
	}
	if e, ok := m.History.own(m.key(plan, what)); ok { // as runs of this plan took; a guess is no measure of how far off it may be
		return seconds * math.Exp2(e.Log2)
	}
	factor, _ := m.History.factor("", besideKin+"/"+kind)
	return seconds * factor
}
