package cli

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"weft/planner/plan"
)

func TestPagesAreUpToDate(t *testing.T) {
	for name, page := range pages {
		text, err := os.ReadFile(filepath.Join("..", "docs", name))
		if err != nil {
			t.Error(err)
			continue
		}
		if string(text) != page() {
			t.Errorf("docs/%s is stale: run go generate in the root of the module", name)
		}
	}
}

// The page about the planner explains every verdict in the words that explain prints.
func TestVerdictsAreDocumented(t *testing.T) {
	text, err := os.ReadFile("../docs/planning.md")
	if err != nil {
		t.Fatal(err)
	}
	for code, meaning := range plan.Meaning {
		if row := "| " + string(code) + " | " + meaning + " |\n"; !strings.Contains(string(text), row) {
			t.Errorf("docs/planning.md has no row %s", row)
		}
	}
	if rows := strings.Count(string(text), "| stored: ") + strings.Count(string(text), "| fused: "); rows != len(plan.Meaning) {
		t.Errorf("%d rows for %d codes", rows, len(plan.Meaning))
	}
}
