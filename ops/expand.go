package ops

// Expander is what an operator that calls functions of the program works with while the program is checked.
type Expander interface {
	// Call gives what a function, or the operator of a name, makes of some values; nil where that is wrong, which is reported.
	Call(function Value, args ...Value) Value
	// Name is the name that an argument was written as; empty: it is no name, or of something else.
	Name(arg string) string
	// Try reports whether what it calls is right, in which case and otherwise nothing is reported.
	Try(calls func()) bool
	// Apply calls an operator with arguments by name; nil where that is wrong, which is reported.
	Apply(operator string, args map[string]Value) Value
	// Use makes a use of an operator.
	Use(spec *Spec, bound Op, args map[string]Value) *Instance
}
