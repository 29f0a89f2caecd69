// Command fields writes docs/fields.md: the fields of reports and plans as JSON, with what the code says of them.
package main

import (
	"encoding"
	"errors"
	"fmt"
	"go/ast"
	"go/build"
	"go/parser"
	"go/token"
	"os"
	"path"
	"path/filepath"
	"reflect"
	"strings"

	"weft/planner/plan"
	"weft/runtime/result"
)

const intro = `# Fields of reports and plans

Made from the code by ` + "`go generate`" + `. ` + "`weft run --report FILE`" + ` writes a report, ` + "`weft plan FILE -o PLAN.json`" + ` a plan, as JSON. Fields that may be left out are so where they
are empty. Times are in seconds, sizes in bytes, unless a name says otherwise.
`

func main() {
	out := os.Args[1]
	p := pages{seen: map[reflect.Type]bool{}, said: map[string]map[string]string{}}
	p.WriteString(intro)
	for _, t := range tops {
		p.page(t)
	}
	if err := errors.Join(p.err, os.WriteFile(out, []byte(p.String()), 0o666)); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

// tops are the types that files hold.
var tops = []top{{"A report", "a-report", reflect.TypeFor[result.Result]()}, {"A plan", "a-plan", reflect.TypeFor[plan.Plan]()}}

type top struct {
	title, anchor string
	of            reflect.Type
}

type pages struct {
	strings.Builder
	seen map[reflect.Type]bool
	said map[string]map[string]string // by package: what is said of a field, by the names of the type and of the field
	err  error
}

// page tells of a type and of those that its fields have.
func (p *pages) page(top top) {
	fmt.Fprintf(p, "\n## %s\n", top.title)
	for queue := []reflect.Type{top.of}; len(queue) > 0; queue = queue[1:] {
		t := queue[0]
		if p.seen[t] {
			continue
		}
		p.seen[t] = true
		if t != top.of {
			fmt.Fprintf(p, "\n### %s\n", name(t))
		}
		p.WriteString("\n| field | type | holds |\n|---|---|---|\n")
		queue = append(queue, p.fields(t)...)
	}
}

// fields writes a row for each field of a struct, those of embedded ones among them, and gives the structs that they are of.
func (p *pages) fields(t reflect.Type) (more []reflect.Type) {
	for i := range t.NumField() {
		f := t.Field(i)
		key, options, _ := strings.Cut(f.Tag.Get("json"), ",")
		switch {
		case f.Anonymous && key == "":
			more = append(more, p.fields(f.Type)...)
			continue
		case !f.IsExported() || key == "-":
			continue
		case key == "":
			key = f.Name
		}
		said := p.comment(t, f.Name)
		if strings.Contains(options, "omit") {
			said = strings.TrimSpace(said + " *(may be left out)*")
		}
		text, structs := describe(f.Type)
		more = append(more, structs...)
		fmt.Fprintf(p, "| `%s` | %s | %s |\n", key, text, said)
	}
	return more
}

// name is a type's, as a title of which pages of all kinds make the same anchor.
func name(t reflect.Type) string { return fmt.Sprintf("%s (%s)", t.Name(), path.Base(t.PkgPath())) }

// describe is a type in words of JSON, and the structs in it.
func describe(t reflect.Type) (text string, structs []reflect.Type) {
	if t.Implements(reflect.TypeFor[encoding.TextMarshaler]()) {
		return "text", nil
	}
	switch t.Kind() {
	case reflect.Pointer:
		return describe(t.Elem())
	case reflect.Slice, reflect.Array:
		text, structs = describe(t.Elem())
		return "list of " + text, structs
	case reflect.Map:
		text, structs = describe(t.Elem())
		return "by name, " + text, structs
	case reflect.Struct:
		anchor := strings.ToLower(fmt.Sprintf("%s-%s", t.Name(), path.Base(t.PkgPath())))
		for _, top := range tops {
			if t == top.of {
				anchor = top.anchor
			}
		}
		return fmt.Sprintf("[%s](#%s)", name(t), anchor), []reflect.Type{t}
	case reflect.String:
		return "text", nil
	case reflect.Bool:
		return "true or false", nil
	case reflect.Float32, reflect.Float64:
		return "number", nil
	case reflect.Interface:
		return "any", nil
	default:
		return "whole number", nil
	}
}

// comment is what the code says of a field, above it or behind it.
func (p *pages) comment(t reflect.Type, field string) string {
	pkg := t.PkgPath()
	if p.said[pkg] == nil {
		p.said[pkg] = map[string]string{}
		p.read(pkg)
	}
	return p.said[pkg][t.Name()+"."+field]
}

func (p *pages) read(pkg string) {
	found, err := build.Import(pkg, ".", build.FindOnly)
	if err != nil {
		p.err = errors.Join(p.err, err)
		return
	}
	files, err := filepath.Glob(filepath.Join(found.Dir, "*.go"))
	p.err = errors.Join(p.err, err)
	for _, name := range files {
		file, err := parser.ParseFile(token.NewFileSet(), name, nil, parser.ParseComments)
		if err != nil {
			p.err = errors.Join(p.err, err)
			continue
		}
		ast.Inspect(file, func(n ast.Node) bool {
			spec, ok := n.(*ast.TypeSpec)
			if !ok {
				return true
			}
			fields, ok := spec.Type.(*ast.StructType)
			if !ok {
				return true
			}
			for _, f := range fields.Fields.List {
				words := strings.Join(strings.Fields(f.Doc.Text()+" "+f.Comment.Text()), " ")
				for _, n := range f.Names {
					p.said[pkg][spec.Name.Name+"."+n.Name] = strings.ReplaceAll(words, "|", "\\|")
				}
			}
			return true
		})
	}
}
