// Package ops says what an operator is: a declared value from which the checker, the documentation, completion and the
// planner all work. The operators themselves live in one package a domain below this one; package catalogue lists them.
//
// All quantities are held in coherent SI units (metres, seconds, radians, kelvin; decibels stand for themselves): a Unit
// says how a person wants them written.
package ops
