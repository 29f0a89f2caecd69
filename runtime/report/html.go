package report

import (
	"bytes"
	_ "embed" // the page
	"encoding/base64"
	"fmt"
	"html/template"
	"io"
	"strings"
	"sync"

	"weft/ops/amount"
	"weft/planner/bound"
	"weft/planner/plan"
	"weft/runtime/result"
)

//go:embed page.html
var page string

// pageTemplate is read when a page is asked for, which is rarely.
var pageTemplate = sync.OnceValue(func() *template.Template {
	return template.Must(template.New("page").Funcs(template.FuncMap{
		"bytes":    size,
		"millis":   millis,
		"seconds":  seconds,
		"amount":   amount.Of,
		"stages":   stages,
		"bound":    boundOf,
		"ratio":    ratio,
		"meaning":  func(c plan.Code) string { return plan.Meaning[c] },
		"figures":  figures,
		"where":    where,
		"devices":  devices,
		"expected": predicted,
		"source":   source,
		"fused":    func(c plan.Code) bool { return c.Fused() },
		"data":     dataURI,
		"share":    func(c result.Parity) float64 { return 100 * min(1, c.Worst/max(c.Tolerance, 1e-300)) },
		"counted":  counted,
		"quantity": result.Parity.Quantity,
		"verdict":  verdict,
		"mark":     Measured.mark,
		"flops":    Measured.rate,
		"rateOf":   func(n int64, s float64) string { return amount.Of(float64(n)/s, "") },
	}).Parse(page))
})

// dataURI is a picture inside the page.
func dataURI(png []byte) template.URL {
	return template.URL("data:image/png;base64," + base64.StdEncoding.EncodeToString(png))
}

// view is what the page shows.
type view struct {
	*bound.Plan
	Analysis *Analysis
	Graph    template.HTML
	Timeline template.HTML
	Rows     []kernelRow
	Outline  *outline
}

// kernelRow is a kernel with what was measured of it.
type kernelRow struct {
	*bound.Step
	Measured Measured
	Ran      bool
}

// HTML writes one page that needs nothing else: what each line of the program takes, the plan as a graph, the kernels' times, the errors, the timeline, pictures of
// the outputs, and the generated sources.
func HTML(w io.Writer, p *bound.Plan, opt Options) error {
	v := view{Plan: p, Analysis: opt.Analysis, Graph: template.HTML(drawGraph(p, opt.Analysis)),
		Outline: (&printer{plan: p, analysis: opt.Analysis}).outlined()}
	if opt.Analysis != nil {
		v.Timeline = template.HTML(drawTimeline(opt.Analysis.Timeline, opt.Analysis.Lanes))
	}
	for i := range p.Steps {
		s := &p.Steps[i]
		if s.Kernel != nil {
			m, ran := opt.Analysis.kernel(s.ID)
			v.Rows = append(v.Rows, kernelRow{s, m, ran})
		}
	}
	var b bytes.Buffer // a page is written whole or not at all
	if err := pageTemplate().Execute(&b, v); err != nil {
		return err
	}
	_, err := w.Write(b.Bytes())
	return err
}

// svg builds a drawing.
type svg struct{ strings.Builder }

func (s *svg) add(format string, a ...any) { fmt.Fprintf(s, format, a...) }

// text is escaped for XML.
func text(s string) string { return template.HTMLEscapeString(s) }

// clip shortens a line.
func clip(s string, n int) string {
	r := []rune(s)
	if len(r) <= n {
		return s
	}
	return string(r[:n-1]) + "…"
}

// wrap breaks a text at spaces into at most so many lines of n characters.
func wrap(s string, n, lines int) []string {
	var out []string
	line := ""
	for _, word := range strings.Fields(s) {
		if line != "" && len(line)+1+len(word) > n {
			out = append(out, line)
			line = ""
		}
		if line != "" {
			line += " "
		}
		line += word
	}
	out = append(out, line)
	if len(out) > lines {
		out = append(out[:lines-1], out[lines-1]+" …")
	}
	for i := range out {
		out[i] = clip(out[i], n)
	}
	return out
}
