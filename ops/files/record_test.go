package files

import (
	"slices"
	"testing"

	"weft/ops/files/format"
)

// Names of arrays in files become names of the language.
func TestFieldName(t *testing.T) {
	for name, want := range map[string]string{"a": "a", "b c": "b_c", "2x": "_2x", "r.1": "r._1", "flux (Jy)": "flux_Jy_", "é": "é", "a.b": "a.b"} {
		if got := fieldName(name); got != want {
			t.Errorf("%q: %q, want %q", name, got, want)
		}
	}
}

// Each array has a field of its own, whichever comes first: what is named so already keeps its name.
func TestFieldNames(t *testing.T) {
	for _, c := range []struct{ in, want []string }{
		{[]string{"a-b", "a_b"}, []string{"a_b_", "a_b"}},
		{[]string{"a_b", "a-b", "a b"}, []string{"a_b", "a_b_", "a_b__"}},
		{[]string{"a-b", "a_b_", "a_b"}, []string{"a_b__", "a_b_", "a_b"}},
		{[]string{"a.b", "a", "c", "c.d"}, []string{"a.b", "a_", "c_", "c.d"}},
		{[]string{"1", "1", "_1"}, []string{"_1_", "", "_1"}},
	} {
		var parts []format.Part
		for _, name := range c.in {
			parts = append(parts, format.Part{Name: name})
		}
		if got := fieldNames(parts); !slices.Equal(got, c.want) {
			t.Errorf("%q: %q, want %q", c.in, got, c.want)
		}
	}
}
