package diag

import (
	"slices"
	"strings"
)

// Code explains one kind of mistake. The documentation, `weft errors` and the tests of the front end derive from it.
type Code struct {
	Code        string // E and four digits; the first two digits name the range
	Title       string // what is wrong, in a few words
	Explanation string // why it is wrong and what to do, in a few sentences
	Wrong       string // a minimal program that has the mistake
	Right       string // the same program without it
	Severity    Severity
}

// Range is a family of codes.
type Range struct {
	Prefix string // the digits that its codes begin with, such as "E03"
	Title  string
}

// Ranges lists the families in order.
var Ranges = []Range{
	{"E01", "syntax"},
	{"E02", "names and arguments"},
	{"E03", "units and numbers"},
	{"E04", "dimensions, shapes and types"},
	{"E05", "files and data"},
	{"E06", "planning and resources"},
	{"E07", "running"},
}

// table holds every code in ascending order.
var table = slices.Concat(syntaxCodes, nameCodes, unitCodes, shapeCodes, fileCodes, planCodes, runCodes)

// Codes returns the table in ascending order of code.
func Codes() []Code { return slices.Clone(table) }

// Lookup finds a code; case does not matter.
func Lookup(code string) (Code, bool) {
	i, ok := slices.BinarySearchFunc(table, strings.ToUpper(code), func(c Code, code string) int {
		return strings.Compare(c.Code, code)
	})
	if !ok {
		return Code{}, false
	}
	return table[i], true
}
