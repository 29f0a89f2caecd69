package cli

import (
	"fmt"
	"io"
	"maps"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"text/tabwriter"

	"weft/lang/check"
	"weft/lang/syntax"
	"weft/ops"
	"weft/ops/files"
	"weft/runtime/session"
)

type inspectCommand struct {
	Files []string `arg:"" name:"file" help:"Files with arrays: NPY, NPZ, TIFF, FITS, CSV, MAT, ..."`
}

// Run says which arrays files hold, as read gives them, and how a pipeline reads them. Nothing but what stands in their headers is read.
func (c inspectCommand) Run(s *streams) error {
	var failed error
	told := 0
	for _, path := range c.Files {
		for _, option := range readings(path) {
			name := nameFor(path)
			text := fmt.Sprintf("%s = read(%s%s)\n", name, strconv.Quote(path), option)
			prog := session.CheckText(path, []byte(text), check.Options{Open: true})
			if err := show(s.err, &prog.Found); err != nil {
				failed = complain(s.err, err)
				continue
			}
			if told > 0 {
				fmt.Fprintln(s.out)
			}
			told++
			for def, v := range prog.Info.Defs {
				if err := inspected(s.out, path+option, def, v); err != nil {
					return err
				}
			}
			fmt.Fprintf(s.out, "\n    %s", text)
		}
	}
	return failed
}

// readings are what read needs behind the path for each part of a file that is several in one; of others, nothing.
func readings(path string) []string {
	option, places := files.Places(path)
	if len(places) < 2 {
		return []string{""}
	}
	for i, p := range places {
		if !oneWord().MatchString(p) {
			p = strconv.Quote(p)
		}
		places[i] = ", " + option + ": " + p
	}
	return places
}

var oneWord = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^([A-Za-z][A-Za-z_0-9]*|[0-9]+)$`) })

// inspected lists what a file gives.
func inspected(out io.Writer, path string, def *syntax.Name, v ops.Value) error {
	a, single := v.(ops.Array)
	if single {
		fmt.Fprintf(out, "%s: %s\n", path, a.Type())
		return places(out, []ops.Array{a})
	}
	fmt.Fprintf(out, "%s: a record\n", path)
	w := tabwriter.NewWriter(out, 0, 0, 2, ' ', 0)
	var arrays []ops.Array
	without := ""
	var list func(name string, r ops.Record)
	list = func(name string, r ops.Record) {
		for _, n := range r.Names {
			switch part := r.Fields[n].(type) {
			case ops.Array:
				arrays = append(arrays, part)
				fmt.Fprintf(w, "  %s.%s\t%s\n", name, n, part.Type())
			case ops.Text, ops.Number:
				fmt.Fprintf(w, "  %s.%s\t%s\n", name, n, part)
			case ops.Record:
				list(name+"."+n, part)
			}
		}
		for _, n := range slices.Sorted(maps.Keys(r.Without)) {
			without += fmt.Sprintf("  left out: %s\n", r.Without[n])
		}
	}
	if r, ok := v.(ops.Record); ok {
		list(def.Text, r)
	}
	if err := w.Flush(); err != nil {
		return err
	}
	fmt.Fprint(out, without)
	return places(out, arrays)
}

// places tells the coordinates of dims, each once.
func places(out io.Writer, arrays []ops.Array) error {
	told := map[string]bool{}
	for _, a := range arrays {
		for _, d := range a.Type().Dims {
			n := len(d.Coords)
			if n == 0 || told[d.Name] {
				continue
			}
			told[d.Name] = true
			in := func(x float64) string { return ops.Number{V: x, Unit: d.Unit}.String() }
			if _, err := fmt.Fprintf(out, "  %s from %s to %s\n", d.Name, in(d.Coords[0]), in(d.Coords[n-1])); err != nil {
				return err
			}
			if d.Frame != nil {
				fmt.Fprintf(out, "  %s in %s\n", d.Name, d.Frame)
			}
		}
	}
	return nil
}

// longestName is how long a name may be that somebody should write.
const longestName = 16

var notInNames = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`[^\p{L}\p{N}_]+`) })

// nameFor is a name for what a file holds.
func nameFor(path string) string {
	base := filepath.Base(path)
	name := strings.Trim(notInNames().ReplaceAllString(strings.TrimSuffix(base, filepath.Ext(base)), "_"), "_")
	prog := session.CheckText(name, []byte(name+" = 1\n"), check.Options{Open: true})
	if prog.Err() != nil || len(name) > longestName { // a keyword, or it begins with a digit
		return "a"
	}
	return name
}
