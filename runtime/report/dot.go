package report

import (
	"fmt"
	"io"
	"strings"

	"weft/planner/bound"
)

// Dot writes the plan as a graph: steps are boxes (kernels list what they compute), arrays are the arrows between them.
func Dot(w io.Writer, p *bound.Plan, opt Options) error {
	var b strings.Builder
	b.WriteString("digraph plan {\n  rankdir=TB;\n  node [shape=box, fontname=\"sans-serif\", fontsize=10];\n  edge [fontname=\"sans-serif\", fontsize=9];\n")
	maker := map[string]string{}
	for _, s := range p.Steps {
		label := s.ID + ": " + s.Name
		style := "style=rounded"
		if s.Kernel != nil {
			label = s.ID + ": " + stages(s.Kernel) + "\n" + amount(s.Kernel.Flops, "flop") + ", " + millis(predicted(s.Kernel))
			style = "style=filled, fillcolor=\"#e8f0fe\""
			if s.Kernel.Place.Accelerates() {
				label += " on " + where(s.Kernel)
				style = "style=filled, fillcolor=\"#f3e8fd\""
			}
			if m, ok := opt.Analysis.kernel(s.ID); ok {
				label += " predicted\n" + seconds(m.Seconds) + " measured, " + m.mark()
				if m.Off {
					style += ", color=\"#c5221f\", penwidth=2"
				}
			}
		}
		fmt.Fprintf(&b, "  %s [label=%s, %s];\n", s.ID, quote(label), style)
		for _, id := range s.Writes {
			maker[id] = s.ID
		}
	}
	for _, s := range p.Steps {
		for _, id := range s.Reads {
			from, ok := maker[id]
			if !ok || from == s.ID {
				continue
			}
			buf := p.Buffer(id)
			fmt.Fprintf(&b, "  %s -> %s [label=%s];\n", from, s.ID, quote(buf.Type+"\n"+size(buf.Bytes)))
		}
	}
	b.WriteString("}\n")
	_, err := io.WriteString(w, b.String())
	return err
}

// quote writes a dot string; line breaks become \n.
func quote(s string) string {
	return `"` + strings.NewReplacer(`\`, `\\`, `"`, `\"`, "\n", `\n`).Replace(s) + `"`
}
