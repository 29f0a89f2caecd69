// Package library holds the files of the language that ship with weft, for `use NAME`.
package library

import (
	"embed"
	"strings"
)

//go:embed *.weft
var files embed.FS

// Text is that of a library; ok is false where there is none of the name.
func Text(name string) (text string, ok bool) {
	data, err := files.ReadFile(name + ".weft")
	return string(data), err == nil
}

// Part is a statement of a library, which is in the language by itself: a function, or the use of another library.
type Part struct {
	Name, Text string
	Line       int  // on which it begins, from 0
	Use        bool // it is another library that this one uses
}

// Parts are the functions of a text, and the libraries that it uses; ok is false where it holds anything else.
func Parts(text string) (parts []Part, ok bool) {
	line, at, open := 0, 0, false
	for l := range strings.Lines(text) {
		name, function := strings.CutPrefix(l, "fn ")
		switch {
		case function:
			name, _, _ = strings.Cut(name, "(")
			parts, open = append(parts, Part{Name: name, Line: line}), true
		case strings.HasPrefix(l, "use "):
			parts, open = append(parts, Part{Name: strings.TrimSpace(l[len("use "):]), Text: l, Line: line, Use: true}), false
		case l[0] == '#':
			open = false
		case l[0] != ' ' && l[0] != '}' && l[0] != '\n':
			return nil, false
		}
		if open {
			p := &parts[len(parts)-1]
			p.Text = text[at-len(p.Text) : at+len(l)]
		}
		line, at = line+1, at+len(l)
	}
	return parts, true
}

// Names are those of all libraries, sorted.
func Names() []string {
	entries, err := files.ReadDir(".")
	if err != nil {
		panic(err) // they are part of the program
	}
	var out []string
	for _, e := range entries {
		out = append(out, strings.TrimSuffix(e.Name(), ".weft"))
	}
	return out
}
