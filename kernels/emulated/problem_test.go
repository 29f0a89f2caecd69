package emulated

import (
	"slices"
	"strings"
	"testing"
)

// Mistakes are told with their line, in words of the text's and not of the program's.
func TestProblems(t *testing.T) {
	for _, c := range []struct{ text, want string }{
		{"devices:\n  - name: fast\n    memry: 3\n    flops: many", "line 4: many is not what belongs here: a number\nline 3: there is no key memry"},
		{"devices:\n  - max_grid: 7", "line 2: 7 is not what belongs here: three whole numbers, such as [65535, 65535, 1]"},
		{"devices: 3", "line 1: 3 is not what belongs here: keys and values, or a list of them"},
		{"devices:\n  - name: fast\n   count: 2", "line 2: did not find expected '-' indicator"},
		{"devices:\n\n  - name: fast\n    count: 99\n    streams: -1\n  - name: cpu",
			"line 3: device 1 (fast): count 99; from 1 to 64\nline 3: device 1 (fast): streams -1; at least 1\nline 6: device 2 (cpu): name \"cpu\" means something else; choose another"},
		{"devices: [{name: a b}]", `line 1: device 1 (a b): name "a b"; letters, digits, - and _, beginning with a letter`},
		{"devices:\n  - memory: 3 apples", `line 2: "3 apples" is not a size such as 24 GiB`},
	} {
		_, err := Parse([]byte(c.text))
		if err == nil {
			t.Errorf("%s: no problem", c.text)
			continue
		}
		got, want := strings.Split(err.Error(), "\n"), strings.Split(c.want, "\n")
		if strings.Join(slices.Sorted(slices.Values(got)), "\n") != strings.Join(slices.Sorted(slices.Values(want)), "\n") {
			t.Errorf("%s:\n%s\nwant\n%s", c.text, err, c.want)
		}
	}
}
