// Package enclose bounds what a kernel may give at a point, in its own types, in whatever order its sums are added: intervals that hold
// every result that rounding can explain. Where a discontinuity lies within rounding (a comparison, a whole number that a float is rounded
// to, the first of two smallest elements), both sides of it are followed, so that a value has several intervals. What cannot be bounded is
// not known.
package enclose
