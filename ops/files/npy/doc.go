// Package npy reads and writes NumPy's NPY and NPZ files.
//
// The format is the one in NumPy's documentation, "NPY format" (numpy.lib.format), versions 1.0, 2.0 and 3.0.
// All numeric element types are read, of either byte order, in C or Fortran order, whole or by rectangular tiles,
// converted on the way where the caller asks. Arrays are delivered in C order and in the machine's byte order.
//
// A header is never believed: the size it claims is compared with the size of the file before anything is
// allocated, and a file that is too short or too long is refused with both sizes.
//
// Every error about a file is an *Error, which carries the path, the reason and what to do.
package npy

import "weft/ops/files/fileio"

// Error is a failure to read or write one file.
type Error = fileio.Error
