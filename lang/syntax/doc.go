// Package syntax turns the text of a pipeline file into its tree.
//
// [Scan] cuts the text into tokens; [Parse] cuts the tokens into statements and parses each by itself, so that a
// mistake in one hides none in another. Statements, arguments, stages and values are parsed by participle from the
// structs in grammar.go, which are the tree; operators between values are parsed from the precedence table in
// operators.go. [EBNF] prints both.
//
// A unit belongs to the number before it and binds tighter than any operator: `5 m / s` is a speed, even where a
// variable is named s; `(5 m) / s` divides by the variable.
package syntax
