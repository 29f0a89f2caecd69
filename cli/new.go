package cli

import (
	"cmp"
	"fmt"
	"io"
	"os"
	"slices"
	"strconv"
	"strings"

	"weft/lang/check"
	"weft/lang/diag"
	"weft/lang/format"
	"weft/ops"
	"weft/ops/files/fileio"
	"weft/runtime/session"
)

type newCommand struct {
	File   string `arg:"" help:"File with arrays: NPY, NPZ, TIFF, FITS, CSV, MAT, ..."`
	Output string `short:"o" placeholder:"FILE" help:"Pipeline file to write (default: NAME.weft for a file NAME.npy)."`
}

// suggestion is a beginning for arrays of a kind. In lines NAME stands for the array, STEM for what results are called.
type suggestion struct {
	fits  func(ops.Type) bool
	dims  []string // names for dims that the file does not name
	about string
	lines []string
}

var suggestions = []suggestion{
	{
		fits:  func(t ops.Type) bool { return t.Elem.Complex && len(t.Dims) == 2 && named(t, "sample", "element") },
		dims:  []string{"sample", "element"},
		about: "Demodulated echoes of a probe become an image. Fill in the probe, the frequencies and the grid.",
		lines: []string{
			"param fc = 5 MHz   # centre frequency", "param fs = 20 MHz  # samples a second", "",
			"probe = linear_probe(n: WIDTH, pitch: 0.3 mm)", "grid  = box(x: -10 mm .. 10 mm in 101, z: 10 mm .. 40 mm in 301)", "",
			"image = NAME | beamform(probe, grid, fc: fc, fs: fs)", "image | envelope | decibel(range: 60 dB) | write(\"STEM.png\")",
		},
	},
	{
		fits: func(t ops.Type) bool {
			return len(t.Dims) == 2 && t.Dims[0].Name == "y" && t.Dims[1].Name == "x" && t.Unit.Same(metre) && t.Dims[0].Coords != nil
		},
		about: "Heights over the ground, roofs included: how much sky each place sees.",
		lines: []string{"sky = NAME | skyview", "sky.total | write(\"STEM_sky.png\")"},
	},
	{
		fits:  func(t ops.Type) bool { return len(t.Dims) == 1 && !t.Elem.Complex },
		about: "A line of numbers: its size and its curve.",
		lines: []string{"show(mean(NAME))", "show(std(NAME))", "NAME | plot.line(\"STEM.png\")"},
	},
	{
		fits:  func(t ops.Type) bool { return len(t.Dims) == 2 && !t.Elem.Complex },
		about: "An image: its size and a picture of it.",
		lines: []string{"show(mean(NAME))", "NAME | write(\"STEM.png\")"},
	},
	{fits: func(ops.Type) bool { return true }, about: "What there is.", lines: []string{"NAME | show"}},
}

var metre = ops.MustUnit("m")

// named reports whether dims have such names, or none of their own.
func named(t ops.Type, names ...string) bool {
	return !slices.ContainsFunc(t.Dims, func(d ops.Dim) bool { return !slices.Contains(names, d.Name) && !strings.HasPrefix(d.Name, "axis") })
}

// Run writes a pipeline that reads a file and begins with what people do with such arrays.
func (c newCommand) Run(s *streams) error {
	name := nameFor(c.File)
	read := func(dims []string) (*session.Program, string) {
		with := ""
		if dims != nil {
			with = ", dims: [" + strings.Join(dims, ", ") + "]"
		}
		line := fmt.Sprintf("%s = read(%s%s)", name, strconv.Quote(c.File), with)
		return session.CheckText(c.File, []byte(line), check.Options{Open: true}), line
	}
	prog, line := read(nil)
	if err := show(s.err, &prog.Found); err != nil {
		return err
	}
	var text strings.Builder
	for _, v := range prog.Info.Defs {
		fmt.Fprintf(&text, "# %s\n", strings.Join(contents(c.File, v), "\n# "))
		array, at := largest(v, name)
		k := suggestions[slices.IndexFunc(suggestions, func(k suggestion) bool { return k.fits(array) })]
		if _, single := v.(ops.Array); single && strings.HasPrefix(cmp.Or(append(array.DimNames(), "")[0]), "axis") {
			dims := k.dims
			if dims == nil {
				dims = []string{"z", "y", "x"}[max(0, 3-len(array.Dims)):]
			}
			if len(dims) == len(array.Dims) {
				_, line = read(dims)
				line += "  # name them as they are"
			}
		}
		fmt.Fprintf(&text, "%s\n\n# %s\n", line, k.about)
		width := 1
		if n := len(array.Dims); n > 0 {
			width = array.Dims[n-1].Size
		}
		fill := strings.NewReplacer("NAME", at, "STEM", name, "WIDTH", strconv.Itoa(width))
		for _, l := range k.lines {
			fmt.Fprintln(&text, fill.Replace(l))
		}
	}
	path := cmp.Or(c.Output, name+".weft")
	if _, err := os.Stat(path); err == nil {
		return fmt.Errorf("%s is there already: name another file with -o", path)
	}
	out, _ := format.Source(diag.NewSource(path, text.String()), check.Units(), new(diag.List))
	if err := fileio.WriteFile(path, func(w io.Writer) error { _, err := io.WriteString(w, out); return err }); err != nil {
		return err
	}
	_, err := fmt.Fprintf(s.out, "%s: a beginning; weft run %s\n", path, path)
	return err
}

// contents says in lines what a file holds.
func contents(path string, v ops.Value) []string {
	switch v := v.(type) {
	case ops.Array:
		return []string{path + ": " + v.Type().String()}
	case ops.Record:
		out := []string{path + ": a record"}
		for _, n := range v.Names {
			out = append(out, contents("  "+n, v.Fields[n])...)
		}
		return out
	}
	return nil
}

// largest is the type of the largest array of a value, and how it is named.
func largest(v ops.Value, name string) (t ops.Type, at string) {
	switch v := v.(type) {
	case ops.Array:
		return v.Type(), name
	case ops.Record:
		for _, n := range v.Names {
			if u, where := largest(v.Fields[n], name+"."+n); at == "" || u.Bytes() > t.Bytes() {
				t, at = u, where
			}
		}
	}
	return t, at
}
