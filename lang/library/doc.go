package library

import (
	"fmt"
	"strings"
	"sync"

	"weft/lang/diag"
	"weft/lang/syntax"
	"weft/ops"
)

// Functions are those of all libraries, by their dotted names, with the first sentence of what is said of each. Names that begin with _ are for
// their library alone.
func Functions() (names, docs []string) { return functions() }

var functions = sync.OnceValues(func() (names, docs []string) {
	for _, library := range Names() {
		each(library, func(f *syntax.Function, doc string) {
			words, _ := parts(doc)
			first, _, _ := strings.Cut(strings.TrimRight(strings.ReplaceAll(words, "\n", " "), ". "), ". ")
			names, docs = append(names, library+"."+f.Name.Text), append(docs, first+".")
		})
	}
	return names, docs
})

// Find are the dotted names of the functions that a name stands for: itself, or what comes behind the dot, in each library that has it.
func Find(name string) (out []string) {
	names, _ := functions()
	for _, full := range names {
		if _, function, _ := strings.Cut(full, "."); full == name || function == name {
			out = append(out, full)
		}
	}
	return out
}

// Source is a function of a library, of a dotted name, as it is written.
func Source(name string) (text string) {
	library, function, _ := strings.Cut(name, ".")
	each(library, func(f *syntax.Function, doc string) {
		if f.Name.Text == function {
			for line := range strings.Lines(strings.TrimRight(doc, "\n")) {
				text += strings.TrimRight("## "+strings.TrimRight(line, "\n"), " ") + "\n"
			}
			text += f.Span().Text() + "\n"
		}
	})
	return text
}

// Doc is what is said of a function of a library, with how it is called; ok is false where there is none of the dotted name.
func Doc(name string) (text string, ok bool) {
	library, function, _ := strings.Cut(name, ".")
	each(library, func(f *syntax.Function, doc string) {
		if f.Name.Text == function {
			signature := function + f.Parameters.Span().Text()
			words, example := parts(doc)
			text, ok = fmt.Sprintf("## %s\n\n%s\n    use %s\n    %s.%s\n", name, words, library, library, signature), true
			if example != "" {
				text += "\nFor example:\n\n    use " + library + "\n" + indented(example)
			}
		}
	})
	return text, ok
}

// Example is a program that shows a function of a library at work; empty: there is none.
func Example(name string) (code string) {
	library, function, _ := strings.Cut(name, ".")
	each(library, func(f *syntax.Function, doc string) {
		if _, example := parts(doc); f.Name.Text == function && example != "" {
			code = "use " + library + "\n" + example
		}
	})
	return code
}

// parts are the words that are said of a function, and the lines that are indented behind them.
func parts(doc string) (words, example string) {
	for line := range strings.Lines(doc) {
		if code, ok := strings.CutPrefix(line, "    "); ok {
			example += code
		} else if example == "" {
			words += line
		}
	}
	return strings.TrimRight(words, "\n") + "\n", example
}

func indented(code string) string {
	return "    " + strings.ReplaceAll(strings.TrimRight(code, "\n"), "\n", "\n    ") + "\n"
}

// each visits the functions of a library with the `##` lines before them.
func each(library string, visit func(f *syntax.Function, doc string)) {
	text, ok := Text(library)
	if !ok {
		return
	}
	units := syntax.Units{IsUnit: ops.IsUnit}
	src := diag.NewSource(library, text)
	for _, s := range syntax.Parse(src, units, &diag.List{}).Statements {
		f, ok := s.(*syntax.Function)
		if !ok || strings.HasPrefix(f.Name.Text, "_") {
			continue
		}
		var doc []string
		lines := strings.Split(text[:f.Span().Start], "\n")
		for i := len(lines) - 2; i >= 0 && strings.HasPrefix(lines[i], "##"); i-- {
			doc = append([]string{strings.TrimPrefix(strings.TrimPrefix(lines[i], "##"), " ")}, doc...)
		}
		visit(f, strings.Join(doc, "\n")+"\n")
	}
}
