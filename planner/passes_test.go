package planner_test

import (
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"weft/planner"
	"weft/planner/module"
)

// layers are the packages of the planner, each of which may import those before it in the list.
var layers = []string{"tasks", "plan", "cost", "bounds", "graph", "bound", "fuse", "module", "layout", "precision", "blocks", "place"}

func TestPassesImportOneWay(t *testing.T) {
	folders, err := os.ReadDir(".")
	if err != nil {
		t.Fatal(err)
	}
	for _, d := range folders {
		if d.IsDir() && d.Name() != "testdata" && !slices.Contains(layers, d.Name()) {
			t.Errorf("package %s has no place among the layers", d.Name())
		}
	}
	for i, layer := range layers {
		files, err := filepath.Glob(layer + "/*.go")
		if err != nil || len(files) == 0 {
			t.Fatalf("%s: %v, %v", layer, files, err)
		}
		for _, f := range files {
			if strings.HasSuffix(f, "_test.go") {
				continue
			}
			ast, err := parser.ParseFile(token.NewFileSet(), f, nil, parser.ImportsOnly)
			if err != nil {
				t.Fatal(err)
			}
			for _, im := range ast.Imports {
				path, _ := strconv.Unquote(im.Path.Value)
				inner, ours := strings.CutPrefix(path, "weft/planner")
				if !ours {
					continue
				}
				if at := slices.Index(layers, strings.TrimPrefix(inner, "/")); at < 0 || at >= i {
					t.Errorf("%s imports %s", f, path)
				}
			}
		}
	}
}

// Passes run in this order, and leave kernels that are right, on all that ships.
func TestPassesLeaveKernelsRight(t *testing.T) {
	want := []string{"fuse", "kernels", "transpose", "interleave", "crop", "precision", "ranges", "join", "pad", "steps", "chains", "lifetimes", "blocks", "prefault", "place", "past"}
	if got := planner.Passes(); !slices.Equal(got, want) {
		t.Fatalf("passes %v", got)
	}
	for name, text := range programs(t) {
		var ran []string
		after := func(pass string, m *module.Module) error {
			ran = append(ran, pass)
			return planner.Check(pass, m)
		}
		_, err := planner.Build(checked(t, text).Sinks, avx2(t).Info(), planner.Options{Request: planner.Request{After: after}, Threads: 4})
		if err != nil || !slices.Equal(ran, want) {
			t.Errorf("%s: %v after %v", name, err, ran)
		}
	}
}

func TestDump(t *testing.T) {
	var out strings.Builder
	after, err := planner.Dump(&out, "crop")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := planner.Build(checked(t, blurred).Sinks, avx2(t).Info(), planner.Options{Request: planner.Request{After: after}}); err != nil {
		t.Fatal(err)
	}
	for _, part := range []string{"stage 3.mul f32 [row: 4000, col: 3000]", "edge sin -> abs S6", "kernel sin contract", "sin[row, col] = "} {
		if !strings.Contains(out.String(), part) {
			t.Errorf("no %q in\n%s", part, out.String())
		}
	}
	if strings.Contains(out.String(), "step ") {
		t.Error("steps are there before they are made")
	}
	if _, err := planner.Dump(&out, "cut"); err == nil || !strings.Contains(err.Error(), "crop") {
		t.Error(err)
	}
}
