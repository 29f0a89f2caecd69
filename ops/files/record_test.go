package files

import "testing"

// Names of arrays in files become names of the language.
func TestFieldName(t *testing.T) {
	for name, want := range map[string]string{"a": "a", "b c": "b_c", "2x": "_2x", "r.1": "r._1", "flux (Jy)": "flux_Jy_", "é": "é", "a.b": "a.b"} {
		if got := fieldName(name); got != want {
			t.Errorf("%q: %q, want %q", name, got, want)
		}
	}
}
