// Package profile measures a machine: what an operation of each class costs in kernels as they are rendered, what each level
// of the memory delivers, what starting work costs. The measurements are kernels of the IR run through the device itself, so
// that they hold for the compiler and the instruction set in use. A profile is kept in the user's cache folder as YAML, with a
// fingerprint of what it holds for.
package profile
