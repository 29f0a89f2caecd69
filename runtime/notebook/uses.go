package notebook

import (
	"crypto/sha256"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"weft/lang/check"
	"weft/lang/diag"
	"weft/lang/syntax"
)

// definition is a name of the program that is checked.
type definition struct {
	name   string
	at     *syntax.Name
	from   int // its statement
	to     int
	key    string // of what it is made of: its own text, the definitions it uses and the files they name
	direct bool   // what is asked for names it
}

// definitions are those of the program, in order.
func (e *Entry) definitions() (out []definition) {
	named := map[string]*syntax.Name{}
	for at := range e.Info.Defs {
		if at.Span().Source == e.Source {
			named[at.Text] = at
		}
	}
	from := 0
	for _, c := range e.cells {
		if at := named[c.name]; at != nil {
			out = append(out, definition{name: c.name, at: at, from: from, to: from + len(c.text)})
		}
		from += len(c.text) + 1
	}
	return out
}

// uses are the definitions that what is asked for is made of.
func (e *Entry) uses() (out []definition) {
	all := e.definitions()
	by := map[*syntax.Name]int{}
	for i, d := range all {
		by[d.at] = i
	}
	within := func(offset int) int {
		for i, d := range all {
			if offset >= d.from && offset < d.to {
				return i
			}
		}
		return -1
	}
	reads := map[int]map[int]bool{} // definitions by the definition that uses them; -1: what is asked for
	for use, def := range e.Info.Uses {
		to, ok := by[def]
		if !ok || use.Span().Source != e.Source {
			continue
		}
		from := within(use.Span().Start)
		if reads[from] == nil {
			reads[from] = map[int]bool{}
		}
		reads[from][to] = true
	}
	keys := map[int]string{}
	var key func(i int) string
	key = func(i int) string {
		if k, ok := keys[i]; ok {
			return k
		}
		h := sha256.New()
		fmt.Fprintln(h, e.all[all[i].from:all[i].to])
		files(h.Write, e.all[all[i].from:all[i].to], ".", map[string]bool{})
		for j := range all {
			if j != i && reads[i][j] {
				fmt.Fprintln(h, all[j].name, key(j))
			}
		}
		keys[i] = fmt.Sprintf("%x", h.Sum(nil))
		return keys[i]
	}
	var visit func(from int)
	seen := map[int]bool{}
	visit = func(from int) {
		for i := range all {
			if reads[from][i] && !seen[i] {
				seen[i] = true
				visit(i)
			}
		}
	}
	visit(-1)
	for i, d := range all {
		if seen[i] {
			d.key, d.direct = key(i), reads[-1][i]
			out = append(out, d)
		}
	}
	return out
}

// files writes what tells whether the files that a text names have changed; of the text of a file that it uses, likewise.
func files(write func([]byte) (int, error), text, folder string, seen map[string]bool) {
	for _, t := range syntax.Scan(diag.NewSource("", text), check.Units(), new(diag.List)) {
		if t.Kind != syntax.Text {
			continue
		}
		path, err := strconv.Unquote(t.Text)
		if err != nil {
			continue
		}
		for _, pattern := range []string{path, filepath.Join(folder, path)} {
			found, _ := filepath.Glob(pattern) // of what is no pattern nothing is found
			for _, f := range found {
				info, err := os.Stat(f)
				if err != nil || seen[f] {
					continue
				}
				seen[f] = true
				_, _ = write([]byte(fmt.Sprintln(f, info.Size(), info.ModTime().UnixNano()))) // a hash takes everything
				if strings.HasSuffix(f, ".weft") && info.Mode().IsRegular() {
					if inner, err := os.ReadFile(f); err == nil {
						files(write, string(inner), filepath.Dir(f), seen)
					}
				}
			}
		}
	}
}
