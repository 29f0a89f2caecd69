package notebook

import (
	"cmp"
	"crypto/sha256"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"weft/lang/check"
	"weft/lang/diag"
	"weft/lang/syntax"
	"weft/ops/files/fileio"
)

// definition is a name of the program that is checked.
type definition struct {
	name   string
	at     *syntax.Name
	from   int // its statement
	to     int
	key    string // of what it is made of: its own text, the definitions it uses and the files they name; or that it was given
	direct bool   // what is asked for names it
}

// definitions are those of the program, in order.
func (e *Entry) definitions() (out []definition) {
	named := map[string]*syntax.Name{}
	for at := range e.Info.Defs {
		_, given := e.values[at.Text]
		switch {
		case at.Span().Source == e.Source:
			named[at.Text] = at
		case given && at.Span().Source == nil:
			out = append(out, definition{name: at.Text, at: at, key: e.keys[at.Text]})
		}
	}
	slices.SortFunc(out, func(a, b definition) int { return strings.Compare(a.name, b.name) })
	from := 0
	for _, c := range e.cells {
		if at := named[c.name]; at != nil {
			d := definition{name: c.name, at: at, from: from, to: from + len(c.text)}
			if _, given := e.values[c.name]; given {
				d.key = e.keys[c.name]
			}
			out = append(out, d)
		}
		from += len(c.text) + 1
	}
	return out
}

// reads are the definitions that each definition uses, by their numbers; those of -1 are used by what is asked for.
func (e *Entry) reads(all []definition) map[int]map[int]bool {
	by := map[*syntax.Name]int{}
	for i, d := range all {
		by[d.at] = i
	}
	within := func(offset int) int {
		return slices.IndexFunc(all, func(d definition) bool { return offset >= d.from && offset < d.to })
	}
	reads := map[int]map[int]bool{}
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
	return reads
}

// follow calls a function with everything that some definitions are made of, themselves among them.
func follow(reads map[int]map[int]bool, from []int, each func(i int)) {
	seen := map[int]bool{}
	var visit func(i int)
	visit = func(i int) {
		if seen[i] {
			return
		}
		seen[i] = true
		each(i)
		for j := range reads[i] {
			visit(j)
		}
	}
	for _, i := range from {
		visit(i)
	}
}

// concerns tells of places in the program whether they are of the entry, or of a definition that something of it is made of.
func (e *Entry) concerns() func(diag.Span) bool {
	all := e.definitions()
	from := []int{-1}
	for i, d := range all {
		if e.names[d.name] {
			from = append(from, i)
		}
	}
	reads := e.reads(all)
	others := map[int]bool{}
	for i := range all {
		others[i] = true
	}
	files := false
	follow(reads, from, func(i int) {
		delete(others, i)
		files = files || i >= 0 && strings.HasPrefix(e.all[all[i].from:all[i].to], `use "`)
	})
	return func(at diag.Span) bool {
		if at.Source != e.Source {
			return at.Source == nil || files
		}
		for i := range others {
			if at.Start >= all[i].from && at.Start < all[i].to {
				return false
			}
		}
		return true
	}
}

// uses are the definitions that what is asked for is made of.
func (e *Entry) uses() (out []definition) {
	all := e.definitions()
	reads := e.reads(all)
	keys := map[int]string{}
	var key func(i int) string
	key = func(i int) string {
		if k := cmp.Or(keys[i], all[i].key); k != "" {
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
	seen := map[int]bool{}
	follow(reads, []int{-1}, func(i int) { seen[i] = true })
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
				bytes, changed, _ := fileio.Stamp(f)
				_, _ = write([]byte(fmt.Sprintln(f, bytes, changed))) // a hash takes everything
				if strings.HasSuffix(f, ".weft") && info.Mode().IsRegular() {
					if inner, err := os.ReadFile(f); err == nil {
						files(write, string(inner), filepath.Dir(f), seen)
					}
				}
			}
		}
	}
}
