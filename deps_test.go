package main

import (
	"os"
	"os/exec"
	"strings"
	"testing"
)

// TestDefaultBuildHasNoCgo lists all that the default build is made of: nothing of it needs cgo, and gorgonia.org/cu, which does, is
// not there.
func TestDefaultBuildHasNoCgo(t *testing.T) {
	for _, cgo := range []string{"0", "1"} {
		list := exec.Command("go", "list", "-deps", "-f", "{{.ImportPath}}{{if .CgoFiles}} cgo{{end}}", ".")
		list.Env = append(os.Environ(), "CGO_ENABLED="+cgo, "GOFLAGS=")
		out, err := list.Output()
		if err != nil {
			t.Fatal(err)
		}
		packages := strings.Fields(strings.ReplaceAll(string(out), " cgo\n", "#cgo\n"))
		if len(packages) < 100 {
			t.Fatalf("only %d packages", len(packages))
		}
		for _, p := range packages {
			path, needs := strings.CutSuffix(p, "#cgo")
			switch {
			case path == "gorgonia.org/cu" || strings.HasPrefix(path, "gorgonia.org/cu/"):
				t.Errorf("CGO_ENABLED=%s: %s is in the default build", cgo, path)
			case needs && (cgo == "0" || path == "weft" || strings.HasPrefix(path, "weft/")):
				t.Errorf("CGO_ENABLED=%s: %s needs cgo", cgo, path)
			}
		}
	}
}
