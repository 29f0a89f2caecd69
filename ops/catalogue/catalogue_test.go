package catalogue

import (
	"regexp"
	"slices"
	"strings"
	"testing"

	"weft/ops"
)

// TestSpecs checks what every operator owes to those who read its declaration.
func TestSpecs(t *testing.T) {
	c := Standard()
	name := regexp.MustCompile(`^[a-z][a-z0-9_]*(\.[a-z][a-z0-9_]*)?$`)
	for _, n := range c.Names() {
		s := c.Lookup(n)
		t.Run(n, func(t *testing.T) {
			if !name.MatchString(n) {
				t.Errorf("name %q", n)
			}
			if s.Doc == "" || !strings.HasSuffix(s.Doc, ".") {
				t.Errorf("Doc %q is not a sentence", s.Doc)
			}
			if s.Group == "" {
				t.Error("no Group")
			}
			if both := s.Bind != nil && s.Expand != nil; both != (s.Expands != nil) {
				t.Error("Expands tells for which calls Expand takes the place of Bind")
			}
			if one := []bool{s.Bind != nil || s.Body != "", s.Expand != nil && s.Expands == nil}; len(slices.DeleteFunc(one, func(b bool) bool { return !b })) != 1 {
				t.Error("none of Bind, Expand and Body, or several")
			}
			seen := map[string]bool{}
			for _, p := range s.Params {
				if seen[p.Name] || p.Doc == "" || p.Accept == 0 {
					t.Errorf("parameter %q: twice, without Doc, or accepting nothing", p.Name)
				}
				seen[p.Name] = true
				if p.Unit != "" && p.Unit != "*" {
					if _, err := ops.ParseUnit(p.Unit); err != nil {
						t.Error(err)
					}
				}
				if p.Default != nil && p.Default.Kind()&p.Accept == 0 {
					t.Errorf("parameter %s: the default %s is not of a kind it accepts", p.Name, p.Default)
				}
			}
			if len(s.Examples) == 0 && s.Name != "read" { // which needs a file
				t.Error("no example")
			}
			for _, e := range s.Examples {
				if e.Title == "" || !slices.ContainsFunc([]string{"show", "write", "plot."}, func(sink string) bool { return strings.Contains(e.Code, sink) }) {
					t.Errorf("example %q has no title or no sink", e.Title)
				}
			}
			if doc := ops.Doc(s); !strings.Contains(doc, s.Doc) || !strings.Contains(doc, ops.Signature(s)) {
				t.Errorf("documentation lacks the line or the signature:\n%s", doc)
			}
		})
	}
}
