// Package syntax turns the text of a pipeline file into its tree.
//
// [Scan] cuts the text into tokens; [Parse] cuts the tokens into statements and parses each by itself, so that a
// mistake in one hides none in another. The tree is in nodes.go, the descent in parse.go, operators between values and their
// precedence in operators.go; explain.go tells from the tokens around it what a mistake was meant to be. docs/grammar.md is
// compared with the parser by a test.
//
// A unit belongs to the number before it and binds tighter than any operator: `5 m / s` is a speed, even where a
// variable is named s; `(5 m) / s` divides by the variable.
package syntax
