package cli

import (
	"fmt"
	"io"
	"slices"
	"strings"
	"text/tabwriter"

	"weft/lang/diag"
	"weft/ops"
	"weft/ops/catalogue"
)

type opsCommand struct {
	Name string `arg:"" optional:"" help:"Operator to document, such as beamform."`
}

// Run lists the operators by group, or documents one from its spec.
func (c opsCommand) Run(s *streams) error {
	cat := catalogue.Standard()
	if c.Name == "" {
		return listOps(s.out, cat)
	}
	spec := cat.Lookup(c.Name)
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

func listOps(out io.Writer, cat *catalogue.Catalogue) error {
	groups := map[string][]*ops.Spec{}
	var order []string
	for _, n := range cat.Names() {
		spec := cat.Lookup(n)
		if groups[spec.Group] == nil {
			order = append(order, spec.Group)
		}
		groups[spec.Group] = append(groups[spec.Group], spec)
	}
	slices.Sort(order)
	w := tabwriter.NewWriter(out, 0, 0, 2, ' ', 0)
	for i, g := range order {
		if i > 0 {
			fmt.Fprintln(w)
		}
		fmt.Fprintf(w, "%s\n", g)
		for _, spec := range groups[g] {
			fmt.Fprintf(w, "  %s\t%s\n", spec.Name, spec.Doc)
		}
	}
	return w.Flush()
}
