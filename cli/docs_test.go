package cli

import (
	"os"
	"path/filepath"
	"testing"
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
