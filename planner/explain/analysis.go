package explain

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"text/tabwriter"

	"weft/planner"
)

// Analysis is what a run of the plan took, beside what the plan said. Times are seconds, sizes bytes.
type Analysis struct {
	Wall      float64 `yaml:"wall_s" json:"wall_s"`
	CPU       float64 `yaml:"cpu_s" json:"cpu_s"`
	Threads   int     `yaml:"threads" json:"threads"`
	Compile   float64 `yaml:"compile_s" json:"compile_s"`
	Read      float64 `yaml:"read_s" json:"read_s"`
	Verify    float64 `yaml:"verify_s" json:"verify_s"`
	Sink      float64 `yaml:"sink_s" json:"sink_s"`
	Predicted float64 `yaml:"predicted_s" json:"predicted_s"` // of all kernels
	Measured  float64 `yaml:"measured_s" json:"measured_s"`   // of all kernels, undisturbed

	PeakPlanned int64 `yaml:"peak_planned_bytes" json:"peak_planned_bytes"` // of arrays alive at once
	PeakArrays  int64 `yaml:"peak_arrays_bytes" json:"peak_arrays_bytes"`   // as measured
	PeakRSS     int64 `yaml:"peak_rss_bytes" json:"peak_rss_bytes"`         // of the process

	Kernels   []Measured     `yaml:"kernels" json:"kernels"`
	Checks    []Check        `yaml:"checks" json:"checks"`
	Transfers []Transfer     `yaml:"transfers" json:"transfers"`
	Fallbacks []Fallback     `yaml:"fallbacks,omitempty" json:"fallbacks,omitempty"`
	Timeline  []Span         `yaml:"-" json:"-"`
	Lanes     map[int]string `yaml:"-" json:"-"` // names, where they have one
	Pictures  []Picture      `yaml:"-" json:"-"`
}

// Measured is a kernel that ran.
type Measured struct {
	ID     string  `yaml:"id" json:"id"`
	Device string  `yaml:"device" json:"device"`
	Tiles  int     `yaml:"tiles" json:"tiles"`
	Wall   float64 `yaml:"wall_s" json:"wall_s"`
	CPU    float64 `yaml:"cpu_s" json:"cpu_s"`
	// Seconds is the time compared with the prediction: on the wall, less what other programs took of it.
	Seconds   float64 `yaml:"measured_s" json:"measured_s"`
	Predicted float64 `yaml:"predicted_s" json:"predicted_s"`
	Ratio     float64 `yaml:"ratio" json:"ratio"`         // measured over predicted
	Off       bool    `yaml:"off_by_2x" json:"off_by_2x"` // by more than twice, either way
	// Emulated says that devices ran it that are described, so that the two are times of different machines.
	Emulated bool    `yaml:"emulated,omitempty" json:"emulated,omitempty"`
	Flops    float64 `yaml:"flops" json:"flops"`
	Bytes    int64   `yaml:"bytes" json:"bytes"`
	Folds    []Fold  `yaml:"folds,omitempty" json:"folds,omitempty"`
}

// Fold is what a fold of a kernel that may be left before its last iteration did, over all points. Iterations of a vector count
// once a lane.
type Fold struct {
	Name     string  `yaml:"name" json:"name"`         // of its index
	Nominal  int64   `yaml:"nominal" json:"nominal"`   // iterations that its bounds ask for
	Executed int64   `yaml:"executed" json:"executed"` // those that ran
	Culled   int64   `yaml:"culled" json:"culled"`     // those left out because a bound proved them idle; the rest ended with an early exit
	Share    float64 `yaml:"share" json:"share"`       // executed of nominal
}

// Text says it in a line.
func (f Fold) Text() string {
	return fmt.Sprintf("%s of %s iterations of %s ran (%.1f %%), %s culled", amount(float64(f.Executed), ""), amount(float64(f.Nominal), ""), f.Name, 100*f.Share, amount(float64(f.Culled), ""))
}

// offBy is the ratio of measured and predicted time from which a prediction counts as wrong.
const offBy = 2

// Judge compares with the prediction.
func (m *Measured) Judge() {
	if m.Emulated {
		return
	}
	if m.Predicted > 0 {
		m.Ratio = m.Seconds / m.Predicted
	}
	m.Off = m.Ratio > offBy || m.Ratio < 1.0/offBy
}

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

// Check compares a sample of a stored array with float64.
type Check struct {
	Value      string  `yaml:"value" json:"value"`
	Kernel     string  `yaml:"kernel" json:"kernel"`
	Metric     string  `yaml:"metric" json:"metric"`
	Unit       string  `yaml:"unit,omitempty" json:"unit,omitempty"`
	Samples    int     `yaml:"samples" json:"samples"`
	Worst      float64 `yaml:"worst" json:"worst"`
	P99        float64 `yaml:"p99" json:"p99"`
	Tolerance  float64 `yaml:"tolerance" json:"tolerance"`
	Mismatched int     `yaml:"mismatched" json:"mismatched"` // finite on one side only
	OK         bool    `yaml:"ok" json:"ok"`
	Skipped    string  `yaml:"skipped,omitempty" json:"skipped,omitempty"`
}

// quantity writes an error in the check's metric.
func (c Check) quantity(v float64) string {
	switch c.Metric {
	case "peak":
		return fmt.Sprintf("%.2g of peak", v)
	case "relative":
		return fmt.Sprintf("%.2g relative", v)
	case "absolute":
		return strings.TrimSpace(fmt.Sprintf("%.2g %s", v, c.Unit))
	case "angle":
		return fmt.Sprintf("%.2g rad", v)
	}
	return fmt.Sprintf("%.2g", v)
}

func (c Check) verdict() string {
	switch {
	case c.Skipped != "":
		return "not checked: " + c.Skipped
	case c.OK:
		return "ok"
	}
	return "EXCEEDED"
}

// Transfer is a source or sink that ran.
type Transfer struct {
	ID    string  `yaml:"id" json:"id"`
	Op    string  `yaml:"op" json:"op"`
	Text  string  `yaml:"text" json:"text"`
	Bytes int64   `yaml:"bytes" json:"bytes"`
	Wall  float64 `yaml:"wall_s" json:"wall_s"`
}

// Fallback counts tiles that ran elsewhere than planned.
type Fallback struct {
	Stage  string `yaml:"stage" json:"stage"`
	Device string `yaml:"device" json:"device"`
	Reason string `yaml:"reason" json:"reason"`
	Tiles  int    `yaml:"tiles" json:"tiles"`
}

// Span is something that took time during the run; lane 0 is the run itself, others without a name are workers.
type Span struct {
	Lane           int
	Category, Name string
	Start, Seconds float64
}

// Picture is an output, drawn.
type Picture struct {
	Title string
	PNG   []byte
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
func (a *Analysis) checks(id string) []Check {
	if a == nil {
		return nil
	}
	return slices.DeleteFunc(slices.Clone(a.Checks), func(c Check) bool { return c.Kernel != id })
}

// write prints the analysis for people: time and memory, kernels, errors, sources and sinks.
func (a *Analysis) write(t *printer) {
	t.line("")
	t.line("measured")
	t.line("  time    %s on the wall, %s of %d threads: kernels %s (predicted %s, %s), compile %s, read %s, check %s, sinks %s",
		seconds(a.Wall), seconds(a.CPU), a.Threads, seconds(a.Measured), seconds(a.Predicted), ratio(a.Measured, a.Predicted), seconds(a.Compile),
		seconds(a.Read), seconds(a.Verify), seconds(a.Sink))
	t.line("  memory  at most %s of arrays (planned %s), %s of the process", planner.FormatBytes(a.PeakArrays), planner.FormatBytes(a.PeakPlanned),
		planner.FormatBytes(a.PeakRSS))
	w := tabwriter.NewWriter(&t.out, 0, 0, 2, ' ', 0)
	fmt.Fprintln(w, "\n  kernel\tpredicted\tmeasured\t\tflop/s\tbytes/s\ttiles\ton")
	for _, m := range a.Kernels {
		fmt.Fprintf(w, "  %s\t%s\t%s\t%s\t%s\t%s\t%d\t%s\n", m.ID, seconds(m.Predicted), seconds(m.Seconds), m.mark(), m.rate(),
			amount(float64(m.Bytes)/m.Seconds, "B"), m.Tiles, m.Device)
	}
	if len(a.Checks) > 0 {
		fmt.Fprintln(w, "\n  array\tworst error\t99 % below\ttolerance\tsamples\t")
		for _, c := range a.Checks {
			if c.Skipped != "" {
				fmt.Fprintf(w, "  %s\t%s\n", c.Value, c.verdict())
				continue
			}
			fmt.Fprintf(w, "  %s\t%s\t%s\t%s\t%d\t%s\n", c.Value, c.quantity(c.Worst), c.quantity(c.P99), c.quantity(c.Tolerance), c.Samples, c.verdict())
		}
	}
	w.Flush() // to a Builder, which never fails
	for _, f := range a.Fallbacks {
		t.line("  fallback  %s: %d tiles not on the %s: %s", f.Stage, f.Tiles, f.Device, f.Reason)
	}
	t.line("")
	for _, x := range a.Transfers {
		t.line("  %s  %s: %s, %s", x.ID, x.Op, x.Text, seconds(x.Wall))
	}
}

// rate is operations a second, of those that were executed.
func (m Measured) rate() string {
	if m.Flops == 0 {
		return "-" // it skips work that nobody counted
	}
	return amount(m.Flops/m.Seconds, "")
}

func seconds(s float64) string { return millis(s * 1e3) }

func ratio(measured, predicted float64) string {
	if predicted <= 0 || math.IsInf(predicted, 0) {
		return "not predicted"
	}
	return fmt.Sprintf("%.2f times that", measured/predicted)
}
