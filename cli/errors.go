package cli

import (
	"fmt"
	"io"
	"strings"
	"text/tabwriter"

	"weft/lang/diag"
)

type errorsCommand struct {
	Code string `arg:"" optional:"" help:"Code to explain, such as E0204."`
}

// Run lists the codes, or explains one with a wrong and a right program.
func (c errorsCommand) Run(s *streams) error {
	if c.Code == "" {
		return listCodes(s.out)
	}
	code, ok := diag.Lookup(c.Code)
	if !ok {
		return fmt.Errorf("no error code %q; `weft errors` lists them", c.Code)
	}
	_, err := fmt.Fprintf(s.out, "%s (%s): %s\n\n%s\n\nwrong:\n%s\n\nright:\n%s\n", code.Code, code.Severity, code.Title, code.Explanation,
		indent(code.Wrong), indent(code.Right))
	return err
}

func indent(text string) string { return "    " + strings.ReplaceAll(text, "\n", "\n    ") }

func listCodes(out io.Writer) error {
	w := tabwriter.NewWriter(out, 0, 0, 2, ' ', 0)
	for _, r := range diag.Ranges {
		fmt.Fprintf(w, "%s\n", r.Title)
		for _, c := range diag.Codes() {
			if strings.HasPrefix(c.Code, r.Prefix) {
				fmt.Fprintf(w, "  %s\t%s\t%s\n", c.Code, c.Severity, c.Title)
			}
		}
	}
	return w.Flush()
}
