package element

import (
	"fmt"
	"strings"
)

// Shape prints lengths as NumPy does.
type Shape []int

// String gives (), (3,) or (3, 4).
func (s Shape) String() string {
	if len(s) == 1 {
		return fmt.Sprintf("(%d,)", s[0])
	}
	parts := make([]string, len(s))
	for i, n := range s {
		parts[i] = fmt.Sprint(n)
	}
	return "(" + strings.Join(parts, ", ") + ")"
}
