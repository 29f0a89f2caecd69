// Package ir is the kernel language: seven node kinds and one loop.
//
// A kernel computes, for every point of its parallel axes, the values it stores. Values are immutable, hash-consed nodes
// of one scalar type. There is no vector, thread, block or shared memory here: those belong to a renderer's schedule. The
// interpreter (package interp) defines what a kernel means; every other device is tested against it.
//
// Arithmetic is IEEE 754 in the node's type, each operation rounded by itself but for products that Contraction has rounded with a sum. Min and Max are
// a > b ? a : b and its mirror, so a NaN in the first operand yields the second everywhere. Integer arithmetic wraps.
// Integer division and modulus round towards minus infinity; division by zero is the kernel author's error.
// A cast of a float to an integer truncates; out-of-range and NaN give an unspecified integer, so guard first.
package ir
