package main

import (
	"bytes"
	"go/ast"
	"go/format"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"weft/cli"
	"weft/lang/diag/diagtest"
)

// floors lists the top-level folders from front to back: a package imports its own floor and those behind it.
var floors = []string{"cli", "docs", "runtime", "planner", "lang", "ops", "kernels"}

// longest and largest are how many lines a Go file and a package, without its tests, may have: beyond that it is rarely one thing.
const (
	longest = 450
	largest = 4000
)

type file struct {
	path string
	text []byte
	ast  *ast.File
	fset *token.FileSet
}

func goFiles(t *testing.T) []file {
	t.Helper()
	var out []file
	err := filepath.WalkDir(".", func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if d.IsDir() && path != "." && (strings.HasPrefix(d.Name(), ".") || d.Name() == "testdata" || d.Name() == "tools") {
			return filepath.SkipDir
		}
		if d.IsDir() || !strings.HasSuffix(path, ".go") {
			return nil
		}
		text, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		fset := token.NewFileSet()
		f, err := parser.ParseFile(fset, path, text, parser.ParseComments)
		if err != nil {
			return err
		}
		out = append(out, file{filepath.ToSlash(path), text, f, fset})
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return out
}

func floorOf(path string) int { return slices.Index(floors, strings.Split(path, "/")[0]) }

func TestImportsGoOneWay(t *testing.T) {
	for _, f := range goFiles(t) {
		from := floorOf(f.path)
		for _, im := range f.ast.Imports {
			path, _ := strconv.Unquote(im.Path.Value)
			inner, ours := strings.CutPrefix(path, "weft/")
			if to := floorOf(inner); ours && to < from {
				t.Errorf("%s: %s must not import %s", f.fset.Position(im.Pos()), floors[from], path)
			}
			if path == "C" && !guarded(f) {
				t.Errorf("%s: cgo in the default build", f.fset.Position(im.Pos()))
			}
			if path == "gorgonia.org/cu" && !guarded(f) {
				t.Errorf("%s: gorgonia.org/cu outside the build tag cuda", f.fset.Position(im.Pos()))
			}
		}
	}
}

// guarded reports whether the build tag cuda keeps a file out of the default build.
func guarded(f file) bool { return bytes.Contains(f.text, []byte("//go:build cuda")) }

func TestFilesAreShortAndFormatted(t *testing.T) {
	for _, f := range goFiles(t) {
		if n := bytes.Count(f.text, []byte("\n")); n > longest {
			t.Errorf("%s has %d lines; more than %d is rarely one thing", f.path, n, longest)
		}
		if want, err := format.Source(f.text); err != nil || !bytes.Equal(want, f.text) {
			t.Errorf("%s is not formatted by gofmt", f.path)
		}
	}
}

func TestPackagesAreSmall(t *testing.T) {
	lines := map[string]int{}
	for _, f := range goFiles(t) {
		if !strings.HasSuffix(f.path, "_test.go") {
			lines[path.Dir(f.path)] += bytes.Count(f.text, []byte("\n"))
		}
	}
	for dir, n := range lines {
		if n > largest {
			t.Errorf("package %s has %d lines without tests, more than %d", dir, n, largest)
		}
	}
}

var unfinished = regexp.MustCompile(`(?i)//.*\b(todo|fixme|xxx|not implemented|unimplemented)\b`)

func TestNothingIsLeftUnfinished(t *testing.T) {
	for _, f := range goFiles(t) {
		for i, line := range bytes.Split(f.text, []byte("\n")) {
			if unfinished.Match(line) && f.path != "house_test.go" {
				t.Errorf("%s:%d: %s", f.path, i+1, bytes.TrimSpace(line))
			}
		}
	}
}

var codeText = regexp.MustCompile(`"E0\d{3}"`)

func TestNothingIsKnownByALiteralCode(t *testing.T) {
	for _, f := range goFiles(t) {
		if !strings.HasSuffix(f.path, "_test.go") && f.path != "ops/problem/codes.go" && codeText.Match(f.text) {
			t.Errorf("%s: codes of mistakes are constants of ops/problem", f.path)
		}
	}
}

// Every command would pay for patterns that few of them match: sync.OnceValue compiles one where it is first needed.
func TestPatternsAreCompiledWhereTheyAreNeeded(t *testing.T) {
	early := regexp.MustCompile(`(?m)^(var |\t)\w+\s*= regexp\.MustCompile`)
	for _, f := range goFiles(t) {
		if at := early.FindIndex(f.text); at != nil && !strings.HasSuffix(f.path, "_test.go") {
			t.Errorf("%s: %s", f.path, f.text[at[0]:at[1]])
		}
	}
}

func TestExportedNamesAreDocumented(t *testing.T) {
	for _, f := range goFiles(t) {
		if strings.HasSuffix(f.path, "_test.go") || f.ast.Name.Name == "main" {
			continue
		}
		for _, d := range f.ast.Decls {
			if name, ok := undocumented(d); ok {
				t.Errorf("%s: exported %s has no comment", f.fset.Position(d.Pos()), name)
			}
		}
	}
}

// undocumented finds an exported function or type without a comment. A method that satisfies an interface of the standard
// library, or groups of short forms under one comment, need none of their own.
func undocumented(d ast.Decl) (string, bool) {
	switch d := d.(type) {
	case *ast.FuncDecl:
		if d.Recv == nil && d.Doc == nil && d.Name.IsExported() {
			return d.Name.Name, true
		}
	case *ast.GenDecl:
		if d.Tok != token.TYPE || d.Doc != nil {
			return "", false
		}
		for _, s := range d.Specs {
			if ts := s.(*ast.TypeSpec); ts.Name.IsExported() && ts.Doc == nil && ts.Comment == nil {
				return ts.Name.Name, true
			}
		}
	}
	return "", false
}

// What ships is written as `weft fmt` writes it.
func TestPipelinesAreFormatted(t *testing.T) {
	var out strings.Builder
	if cli.Run(t.Context(), append([]string{"fmt", "--diff"}, diagtest.Pipelines(t, "pipelines")...), strings.NewReader(""), &out, &out) != 0 {
		t.Error(out.String())
	}
}
