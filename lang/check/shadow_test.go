package check

import (
	"fmt"
	"strings"
	"testing"

	"weft/ops/catalogue"
)

// A definition, a param and a parameter may have the name of any operator: signs and indices mean what they meant.
func TestOperatorsCanBeShadowed(t *testing.T) {
	cat := catalogue.Standard()
	for _, name := range cat.Names() {
		if strings.Contains(name, ".") || name == "show" || name == "axis" || name == "and" || name == "or" || name == "not" {
			continue // a field; what the program below needs; keywords
		}
		for _, text := range []string{
			"%[1]s = 3\nshow(axis(x, 0 .. 3 in 4) * %[1]s + 1)",
			"param %[1]s = 3\nshow(-axis(x, 0 .. 3 in 4)[x: 1 .. %[1]s] < %[1]s)",
			"fn %[1]s(%[1]s) = %[1]s ^ 2\nshow(axis(x, 0 .. 3 in 4)[x: here - 1, outside: 0] | %[1]s)",
		} {
			text := fmt.Sprintf(text, name)
			if _, list := File("f", []byte(text), cat, Options{}); list.Len() > 0 {
				t.Errorf("%s\n%v", text, list.Sorted())
			}
		}
	}
}
