package repl

import (
	"os"
	"path/filepath"
	"strings"

	"weft/lang/complete"
	"weft/ops"
)

// complete lists what the word that ends a text may become: a command, a file within quotes, or what complete.Word tells.
func (c *Console) complete(text string) (word string, out []complete.Offer) {
	if rest, ok := strings.CutPrefix(text, ":"); ok && !strings.Contains(rest, " ") {
		for _, k := range commands {
			out = append(out, complete.Offer{Text: ":" + k.name, Doc: k.doc})
		}
		return text, complete.Begins(out, text)
	}
	if quote := strings.LastIndexByte(text, '"'); strings.Count(text, `"`)%2 == 1 {
		return text[quote+1:], filesOf(text[quote+1:])
	}
	defined := map[string]ops.Value{}
	for _, d := range c.Notebook.Values() {
		defined[d.Name] = d.Value
	}
	return complete.Word(text, defined)
}

// filesOf are the files and folders that a path may become.
func filesOf(path string) (out []complete.Offer) {
	found, err := filepath.Glob(globEscape(path) + "*")
	if err != nil {
		return nil
	}
	for _, f := range found {
		info, err := os.Stat(f)
		switch {
		case err != nil:
		case info.IsDir():
			out = append(out, complete.Offer{Text: f + "/", Doc: "folder"})
		default:
			out = append(out, complete.Offer{Text: f, Doc: "file"})
		}
	}
	return out
}

func globEscape(path string) string {
	return strings.NewReplacer(`\`, `\\`, "*", `\*`, "?", `\?`, "[", `\[`).Replace(path)
}
