// Package driver stands between gorgonia.org/cu and NVIDIA's driver, so that one binary starts on machines with and
// without it. cu links against libcuda and ends the process when cuInit fails; this package defines the symbols of libcuda
// that cu uses, as jumps that lead nowhere (every call answers "no device") until Open has found the driver.
//
// The folder lib holds an empty archive named libcuda.a, which is all that cu's -lcuda finds.
package driver
