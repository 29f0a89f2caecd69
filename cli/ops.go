package cli

import (
	"fmt"
	"io"
	"slices"
	"strings"
	"text/tabwriter"

	"weft/lang/diag"
	"weft/lang/library"
	"weft/ops"
	"weft/ops/catalogue"
)

type opsCommand struct {
	Name string `arg:"" optional:"" help:"Operator to document, such as beamform, or a library or family whose functions are listed."`
	Text bool   `help:"Print what a function of a library, or a whole library, is written as, to be read, copied and changed."`
}

// Run lists the operators by group, or documents one from its spec.
func (c opsCommand) Run(s *streams) error {
	cat := catalogue.Standard()
	if c.Text {
		return c.text(s.out, cat)
	}
	if c.Name == "" {
		return listOps(s.out, cat, "")
	}
	spec := cat.Lookup(c.Name)
	if spec == nil {
		if full := library.Find(c.Name); len(full) == 1 {
			text, _ := library.Doc(full[0])
			_, err := fmt.Fprintf(s.out, "%s\nWritten in weft: `weft ops --text %s`\n", text, full[0])
			return err
		}
	}
	if spec == nil && (slices.Contains(library.Names(), c.Name) || slices.ContainsFunc(cat.Names(), func(n string) bool { return strings.HasPrefix(n, c.Name+".") })) {
		return listOps(s.out, cat, c.Name+".")
	}
	if spec == nil {
		return c.unknown(cat)
	}
	_, err := io.WriteString(s.out, ops.Doc(spec))
	return err
}

// unknown says what else may be meant.
func (c opsCommand) unknown(cat *catalogue.Catalogue) error {
	if several := library.Find(c.Name); len(several) > 1 {
		return fmt.Errorf("several libraries have %q: %s", c.Name, strings.Join(several, ", "))
	}
	functions, _ := library.Functions()
	return fmt.Errorf("no operator %q%s; `weft ops` lists them", c.Name, didYouMean(c.Name, slices.Concat(cat.Names(), functions)))
}

// text prints what is written in weft.
func (c opsCommand) text(out io.Writer, cat *catalogue.Catalogue) error {
	text, ok := library.Text(c.Name)
	if full := library.Find(c.Name); !ok && len(full) == 1 {
		text, ok = library.Source(full[0]), true
	}
	switch {
	case c.Name == "":
		return fmt.Errorf("--text needs the name of a function or of a library, such as ultrasound.das or ultrasound")
	case ok:
		_, err := io.WriteString(out, text)
		return err
	case cat.Lookup(c.Name) != nil:
		return fmt.Errorf("%s is an operator, not written in weft; `weft ops %s` says what it computes", c.Name, c.Name)
	default:
		return c.unknown(cat)
	}
}

func didYouMean(name string, known []string) string {
	near := diag.Nearest(name, known)
	if len(near) == 0 {
		return ""
	}
	return " (did you mean " + strings.Join(near, " or ") + "?)"
}

// listOps lists the operators and the functions of libraries whose names have a prefix, under their headings.
func listOps(out io.Writer, cat *catalogue.Catalogue, prefix string) error {
	w := tabwriter.NewWriter(out, 0, 0, 2, ' ', 0)
	heading, between := "", ""
	line := func(under, name, doc string) {
		if !strings.HasPrefix(name, prefix) {
			return
		}
		if under != heading {
			fmt.Fprintf(w, "%s%s\n", between, under)
			heading, between = under, "\n"
		}
		fmt.Fprintf(w, "  %s\t%s\n", name, doc)
	}
	for _, g := range grouped(cat) {
		for _, spec := range g.specs {
			line(g.name, spec.Name, spec.Doc)
		}
	}
	names, docs := library.Functions()
	for i, name := range names {
		of, _, _ := strings.Cut(name, ".")
		line("use "+of, name, docs[i])
	}
	return w.Flush()
}

// group is the operators under one heading.
type group struct {
	name  string
	specs []*ops.Spec
}

// grouped sorts the operators by heading, then by name.
func grouped(cat *catalogue.Catalogue) []group {
	var out []group
	for _, n := range cat.Names() {
		spec := cat.Lookup(n)
		i := slices.IndexFunc(out, func(g group) bool { return g.name == spec.Group })
		if i < 0 {
			i = len(out)
			out = append(out, group{name: spec.Group})
		}
		out[i].specs = append(out[i].specs, spec)
	}
	slices.SortFunc(out, func(a, b group) int { return strings.Compare(a.name, b.name) })
	return out
}
