package check

import (
	"os"
	"path/filepath"
	"regexp"
	"testing"
)

// TestOperatorCodes checks that the codes operators use are those of the table, under the same names.
func TestOperatorCodes(t *testing.T) {
	constant := regexp.MustCompile(`(?m)^\t(?:Code)?(\w+)\s+= "(E\d{4})"`)
	table := map[string]string{}
	files, err := filepath.Glob("../diag/codes_*.go")
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range append(files, "../../ops/codes.go") {
		text, err := os.ReadFile(f)
		if err != nil {
			t.Fatal(err)
		}
		found := constant.FindAllStringSubmatch(string(text), -1)
		if len(found) == 0 && filepath.Base(f) != "codes_test.go" {
			t.Errorf("%s has no codes", f)
		}
		for _, m := range found {
			if f == "../../ops/codes.go" && table[m[1]] != m[2] {
				t.Errorf("ops.Code%s is %s, the table has %q", m[1], m[2], table[m[1]])
			}
			table[m[1]] = m[2]
		}
	}
}
