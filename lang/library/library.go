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
