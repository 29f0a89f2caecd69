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
}

// Run lists the operators by group, or documents one from its spec.
func (c opsCommand) Run(s *streams) error {
	cat := catalogue.Standard()
	if c.Name == "" {
		return listOps(s.out, cat, "")
	}
	if text, ok := library.Doc(c.Name); ok {
		_, err := io.WriteString(s.out, text)
		return err
	}
	spec := cat.Lookup(c.Name)
	if spec == nil && (slices.Contains(library.Names(), c.Name) || slices.ContainsFunc(cat.Names(), func(n string) bool { return strings.HasPrefix(n, c.Name+".") })) {
		return listOps(s.out, cat, c.Name+".")
	}
	if spec == nil {
		return fmt.Errorf("no operator %q%s; `weft ops` lists them", c.Name, didYouMean(c.Name, cat.Names()))
	}
	_, err := io.WriteString(s.out, ops.Doc(spec))
	return err
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
