package cli

import (
	"fmt"
	"io"
	"path/filepath"
	"strings"

	"weft/lang/diag"
	"weft/lang/library"
	"weft/ops"
	"weft/ops/catalogue"
	"weft/ops/files/fileio"
)

type docsCommand struct {
	Folder string `arg:"" help:"Folder of the pages."`
}

// pages are the pages that come from the code; go generate writes them, and a test compares them.
var pages = map[string]func() string{"errors.md": errorsPage, "operators.md": operatorsPage}

// Run writes the pages.
func (c docsCommand) Run() error {
	for name, page := range pages {
		err := fileio.WriteFile(filepath.Join(c.Folder, name), func(w io.Writer) error {
			_, err := io.WriteString(w, page())
			return err
		})
		if err != nil {
			return err
		}
	}
	return nil
}

const generated = "<!-- Written by go generate from the code: change it there. -->\n\n"

// errorsPage explains every code.
func errorsPage() string {
	var b strings.Builder
	b.WriteString("# Errors and warnings\n\n" + generated)
	b.WriteString("`weft check` finds what is wrong with a pipeline before anything runs. Each message carries a code; `weft errors CODE` " +
		"explains it in the terminal. A comment such as `# weft run file.weft -p c=3` on the first line of an example is the command that " +
		"shows the mistake; without one it is `weft check`.\n")
	for _, r := range diag.Ranges {
		fmt.Fprintf(&b, "\n## %sxx: %s\n", r.Prefix, r.Title)
		for _, c := range diag.Codes() {
			if strings.HasPrefix(c.Code, r.Prefix) {
				fmt.Fprintf(&b, "\n### %s: %s\n\n%s %s\n", c.Code, c.Title, kindOf(c), c.Explanation)
				fmt.Fprintf(&b, "\nWrong:\n\n%s\n\nRight:\n\n%s\n", indent(c.Wrong), indent(c.Right))
			}
		}
	}
	return b.String()
}

func kindOf(c diag.Code) string {
	if c.Severity == diag.Error {
		return "Error."
	}
	return "Warning: the pipeline runs all the same."
}

// operatorsPage documents every operator.
func operatorsPage() string {
	var b strings.Builder
	b.WriteString("# Operators\n\n" + generated)
	b.WriteString("`weft ops` lists them, and `weft ops NAME` shows one of these sections in the terminal.\n")
	groups := grouped(catalogue.Standard())
	for _, g := range groups {
		fmt.Fprintf(&b, "\n- [%s](#%s): ", g.name, strings.ReplaceAll(g.name, " ", "-"))
		var names []string
		for _, s := range g.specs {
			names = append(names, "`"+s.Name+"`")
		}
		b.WriteString(strings.Join(names, ", "))
	}
	b.WriteString("\n- [libraries](#libraries)\n- [units](#units)\n")
	for _, g := range groups {
		fmt.Fprintf(&b, "\n## %s\n", g.name)
		for _, s := range g.specs {
			b.WriteString("\n#" + strings.TrimRight(ops.Doc(s), "\n") + "\n")
		}
	}
	b.WriteString("\n## libraries\n\nFiles of the language that ship with weft: `use image` makes the functions of one known.\n")
	names, _ := library.Functions()
	for _, name := range names {
		text, _ := library.Doc(name)
		b.WriteString("\n#" + strings.TrimRight(text, "\n") + "\n")
	}
	b.WriteString("\n## units\n\nUnits stand behind numbers, may have prefixes, and are multiplied and divided: `3 MHz`, `9.81 m/s^2`.\n\n" +
		"| unit | is | prefixes |\n|---|---|---|\n")
	for _, u := range ops.Units() {
		fmt.Fprintf(&b, "| `%s` | %s | %s |\n", u.Name, u.Doc, u.Prefixes)
	}
	return b.String()
}
