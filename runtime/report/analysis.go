package report

import (
	"encoding/json"
	"fmt"
	"math"
	"slices"
	"text/tabwriter"

	"gopkg.in/yaml.v3"

	"weft/ops/amount"
	"weft/planner/bound"
	"weft/runtime/result"
	"weft/runtime/trace"
)

// Analysis is what a run of a plan did and took, beside what the plan said.
type Analysis struct {
	*result.Result
	Kernels     []Measured     `json:"kernels"`
	Predicted   float64        `json:"predicted_s"` // of all kernels
	Measured    float64        `json:"measured_s"`  // of all kernels, undisturbed
	PeakPlanned int64          `json:"peak_planned_bytes"`
	Timeline    []trace.Span   `json:"-"`
	Lanes       map[int]string `json:"-"` // names, where they have one
	Pictures    []Picture      `json:"-"`
}

// Measured is a kernel that ran, held against its prediction.
type Measured struct {
	result.Kernel
	Seconds float64 `json:"measured_s"` // on the wall, less what other programs took of it
	Ratio   float64 `json:"ratio"`      // measured over predicted
	Off     bool    `json:"off_by_2x"`  // by more than twice, either way
	// Emulated says that devices ran it that are described, so that the two are times of different machines.
	Emulated bool `json:"emulated,omitempty"`
}

// Picture is an output, drawn.
type Picture struct {
	Title string
	PNG   []byte
}

// Analyze sets what a run took beside what its plan says.
func Analyze(p *bound.Plan, r *result.Result, tr *trace.Writer) *Analysis {
	a := &Analysis{Result: r, PeakPlanned: p.Totals.PeakBytes, Timeline: tr.Spans(), Lanes: tr.Names()}
	for _, k := range r.Kernels {
		m := Measured{Kernel: k, Seconds: k.Undisturbed(r.Threads), Emulated: r.Emulated(k)}
		if m.Emulated {
			a.Kernels = append(a.Kernels, m)
			continue
		}
		if k.Predicted > 0 {
			m.Ratio = m.Seconds / k.Predicted
		}
		m.Off = m.Ratio > offBy || m.Ratio < 1.0/offBy
		a.Measured += m.Seconds
		a.Predicted += k.Predicted
		a.Kernels = append(a.Kernels, m)
	}
	return a
}

// disturbed is what other programs on the machine took of the kernels' time.
func (a *Analysis) disturbed() (lost float64) {
	for _, k := range a.Kernels {
		lost += k.Wall - k.Seconds
	}
	return lost
}

// MarshalYAML writes what JSON does, in its order.
func (a *Analysis) MarshalYAML() (any, error) {
	text, err := json.Marshal(a)
	if err != nil {
		return nil, err
	}
	var doc yaml.Node
	if err := yaml.Unmarshal(text, &doc); err != nil {
		return nil, err
	}
	plain(&doc)
	return doc.Content[0], nil
}

// plain writes a document as people do.
func plain(n *yaml.Node) {
	n.Style = 0
	for _, c := range n.Content {
		plain(c)
	}
}

// counted says in a line what a fold did that may be left early.
func counted(f result.Fold) string {
	return fmt.Sprintf("%s of %s iterations of %s ran (%.1f %%), %s culled",
		amount.Of(float64(f.Executed), ""), amount.Of(float64(f.Nominal), ""), f.Name, 100*f.Share, amount.Of(float64(f.Culled), ""))
}

// offBy is the ratio of measured and predicted time from which a prediction counts as wrong.
const offBy = 2

// mark is the ratio for people.
func (m Measured) mark() string {
	switch {
	case m.Emulated:
		return "emulated"
	case m.Ratio == 0:
		return "not predicted"
	case m.Ratio > offBy:
		return fmt.Sprintf("OFF: %.1f times longer", m.Ratio)
	case m.Off:
		return fmt.Sprintf("OFF: %.1f times shorter", 1/m.Ratio)
	}
	return fmt.Sprintf("%+.0f %%", 100*(m.Ratio-1))
}

func verdict(c result.Parity) string {
	switch {
	case c.Skipped != "":
		return "not checked: " + c.Skipped
	case c.OK:
		return "ok"
	}
	return "EXCEEDED"
}

// kernel is what was measured of a kernel step; ok is false for one that did not run.
func (a *Analysis) kernel(id string) (m Measured, ok bool) {
	if a == nil {
		return m, false
	}
	i := slices.IndexFunc(a.Kernels, func(k Measured) bool { return k.ID == id })
	if i < 0 {
		return m, false
	}
	return a.Kernels[i], true
}

// checks are those of the arrays a kernel stores.
func (a *Analysis) checks(id string) []result.Parity {
	if a == nil {
		return nil
	}
	return slices.DeleteFunc(slices.Clone(a.Parity), func(c result.Parity) bool { return c.Kernel != id })
}

// write prints the analysis for people: time and memory, kernels, and what a summary says besides.
func (a *Analysis) write(t *printer) {
	t.line("")
	t.line("measured")
	t.line("  kernels %s (predicted %s, %s); at most %s of arrays (planned %s)",
		seconds(a.Measured), seconds(a.Predicted), ratio(a.Measured, a.Predicted), size(a.PeakBuffers), size(a.PeakPlanned))
	w := tabwriter.NewWriter(&t.out, 0, 0, 2, ' ', 0)
	fmt.Fprintln(w, "\n  kernel\tpredicted\tmeasured\t\tflop/s\tbytes/s\ttiles\ton")
	for _, m := range a.Kernels {
		fmt.Fprintf(w, "  %s\t%s\t%s\t%s\t%s\t%s\t%d\t%s\n", m.ID, seconds(m.Predicted), seconds(m.Seconds), m.mark(), m.rate(),
			amount.Of(float64(m.Bytes)/m.Seconds, "B"), m.Tiles, m.Device)
	}
	w.Flush() // to a Builder, which never fails
	t.line("")
	for _, x := range a.Sources {
		t.line("%s in %s", x.Text, seconds(x.Wall))
	}
	summary{a.Result}.besides(&t.out)
}

// rate is operations a second, of those that were executed.
func (m Measured) rate() string {
	if m.Executed == 0 {
		return "-" // it skips work that nobody counted
	}
	return amount.Of(m.Executed/m.Seconds, "")
}

func ratio(measured, predicted float64) string {
	if predicted <= 0 || math.IsInf(predicted, 0) {
		return "not predicted"
	}
	return fmt.Sprintf("%.2f times that", measured/predicted)
}
