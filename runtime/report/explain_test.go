package report

import (
	"bytes"
	"encoding/json"
	"encoding/xml"
	"io"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"weft/kernels/device"
	"weft/kernels/ir"
	"weft/ops"
	"weft/planner/bound"
	"weft/planner/plan"
	"weft/runtime/result"
	"weft/runtime/trace"
)

// example is a plan of a source, two kernels and a sink, and a run in which the second kernel took far too long.
func example() (*bound.Plan, *Analysis) {
	p := &bound.Plan{
		Buffers: []bound.Buffer{
			{Buffer: plan.Buffer{ID: "b1", Stage: "read", Label: "iq", Type: "f32 [x: 8]", Bytes: 32, Role: plan.FromSource}},
			{Buffer: plan.Buffer{ID: "b2", Stage: "blur", Type: "f32 [x: 8]", Bytes: 32, Role: plan.FromKernel}},
			{Buffer: plan.Buffer{ID: "b3", Stage: "decibel", Label: "level", Type: "f32 [x: 8]", Bytes: 32, Role: plan.FromKernel}},
		},
		Steps: []bound.Step{
			{Step: plan.Step{ID: "r1", Kind: plan.ReadStep, Name: "read", Args: `"iq & co.npy"`, Writes: []string{"b1"}}},
			{Step: plan.Step{ID: "k1", Kind: plan.KernelStep, Name: "blur", Reads: []string{"b1"}, Writes: []string{"b2"}}, Kernel: &bound.Kernel{IR: &ir.Kernel{}, Kernel: plan.Kernel{
				Ops:    []string{"blur"},
				Stages: []plan.Fused{{Name: "blur"}}, Predicted: 1, Bound: "compute", Flops: 1e6, Bytes: 64, Schedule: "lanes x:8",
				Precision: plan.Precision{Storage: "f32", Compute: "f32"},
			}}},
			{Step: plan.Step{ID: "k2", Kind: plan.KernelStep, Name: "decibel", Reads: []string{"b1", "b2"}, Writes: []string{"b3"}}, Kernel: &bound.Kernel{IR: &ir.Kernel{}, Kernel: plan.Kernel{
				Ops:    []string{"decibel"},
				Stages: []plan.Fused{{Name: "decibel", Label: "level"}}, Predicted: 2, Bound: "bandwidth", Flops: 1e6, Bytes: 64, Tuned: true, Schedule: "lanes x:8",
				Precision: plan.Precision{Storage: "f32", Compute: "f32"},
			}}},
			{Step: plan.Step{ID: "s1", Kind: plan.SinkStep, Name: "write", Reads: []string{"b3"}}},
		},
		Plan: plan.Plan{
			Format: plan.FormatVersion, Weft: "test", File: "a<b>.weft", Hash: "0123", Device: "cpu",
			Rates: plan.Rates{Flops: 1e9, Bandwidth: 1e9},
			Edges: []plan.Edge{
				{From: "read", To: "blur", Code: plan.Given, Reads: 3, Readers: 2, Bytes: 64},
				{From: "blur", To: "decibel", Code: plan.Costly, Reads: 5, Readers: 1, Bytes: 64, FusedMs: 4, StoredMs: 1, Change: "fusing would win if computing were 4.0 times cheaper"},
			},
			Totals: plan.Totals{Kernels: 2, Flops: 2e6, Bytes: 128, PeakBytes: 96, PeakAt: "k2", Predicted: 3},
		},
	}
	p.Steps[1].Kernel.Report = &device.Report{Source: "void f(void) { if (1 < 2) ; }"}

	r := &result.Result{
		Wall: 0.02, CPU: 0.03, Threads: 2, PeakBuffers: 96, PeakRSS: 1 << 20,
		Kernels: []result.Kernel{
			{ID: "k1", Device: "cpu", Tiles: 2, Wall: 0.0011, Predicted: 0.001, Flops: 1e6, Executed: 1e6, Bytes: 64,
				Folds: []result.Fold{{Name: "step", Nominal: 4e9, Executed: 5e8, Culled: 3e9, Share: 0.125}}},
			{ID: "k2", Device: "cpu", Tiles: 2, Wall: 0.01, Predicted: 0.002, Flops: 1e6, Executed: 1e6, Bytes: 64},
		},
		Parity: []result.Parity{{Value: "level", Kernel: "k2", Metric: ops.Absolute, Unit: "dB", Samples: 8, Worst: 0.3, P99: 0.3, Tolerance: 0.1},
			{Value: "blur", Kernel: "k1", Skipped: "too dear", OK: true}},
		Sinks:     []result.Transfer{{ID: "s1", Op: "write", Text: "wrote <level>", Bytes: 32, Wall: 0.001}},
		Fallbacks: []result.Fallback{{Stage: "blur", Device: "GPU", Reason: "no memory", Count: 3}},
	}
	a := Analyze(p, r, nil)
	a.Timeline = []trace.Span{{Lane: 0, Category: "kernel", Name: "blur", Seconds: 0.001}, {Lane: 1, Category: "tile", Name: "blur", Seconds: 0.0004},
		{Lane: 1, Category: "tile", Name: "blur", Start: 0.0004, Seconds: 0.0006}, {Lane: 0, Category: "kernel", Name: "decibel", Start: 0.001, Seconds: 0.01}}
	a.Pictures = []Picture{{"level", []byte("\x89PNG fake")}}
	return p, a
}

func render(t *testing.T, format string, p *bound.Plan, a *Analysis) string {
	t.Helper()
	var b bytes.Buffer
	if err := Write(&b, format, p, Options{Verbose: true, Analysis: a}); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

func TestEveryFormatMarksWhatIsOff(t *testing.T) {
	p, a := example()
	for format, marks := range map[string][]string{
		"text": {"OFF: 5.0 times longer", "took    1.1 ms: +10 %", "EXCEEDED", "not checked: too dear", "3 tiles not on the GPU", "500 M of 4 G iterations of step ran (12.5 %), 3 G culled", "(tuned)", "(by rule)"},
		"json": {`"off_by_2x": true`, `"ratio": 5`, `"executed": 500000000`},
		"yaml": {"off_by_2x: true", "ratio: 5"},
		"dot":  {"OFF: 5.0 times longer", "c5221f"},
		"html": {"OFF: 5.0 times longer", "c5221f", "500 M of 4 G iterations", "EXCEEDED", "data:image/png;base64,", "<svg", "Timeline"},
	} {
		out := render(t, format, p, a)
		for _, m := range marks {
			if !strings.Contains(out, m) {
				t.Errorf("%s does not say %q", format, m)
			}
		}
		if plain := render(t, format, p, nil); strings.Contains(plain, "OFF") || strings.Contains(plain, "easured") && format != "html" {
			t.Errorf("%s of a plan that did not run tells of a run", format)
		}
	}
}

// However wrong predictions are, or however much goes on at the same time, no part is more than the whole, or less than nothing.
func TestSharesAreOfAWhole(t *testing.T) {
	for _, wall := range []float64{0, 1, 3, 6.5, 7, 40} { // ms, of parts of 7
		p, _ := example()
		p.Totals.Wall = wall
		p.Totals.Besides = []plan.Beside{{What: "r1", Kind: "read", Ms: 4}}
		var b bytes.Buffer
		if err := Write(&b, "text", p, Options{}); err != nil {
			t.Fatal(err)
		}
		sum := 0
		for _, m := range regexp.MustCompile(`(?m)^ +(-?\d+) % +(-?)[\d.]+ m?s {8}( *)\S`).FindAllStringSubmatch(b.String(), -1) {
			share, err := strconv.Atoi(m[1])
			if err != nil || share < 0 || share > 100 || m[2] != "" {
				t.Errorf("wall %g ms: %s", wall, m[0])
			}
			if m[3] == "" { // kernels are parts of lines
				sum += share
			}
		}
		if sum < 98 || sum > 102 {
			t.Errorf("wall %g ms: shares of %d %%:\n%s", wall, sum, &b)
		}
		if says := strings.Contains(b.String(), "one after the other"); says != (0 < wall && wall < 6.9) {
			t.Errorf("wall %g ms: shares of another sum are told: %v\n%s", wall, says, &b)
		}
	}
}

func TestPlansAreReadBack(t *testing.T) {
	p, a := example()
	for _, format := range []string{"yaml", "json"} {
		got, err := plan.Read([]byte(render(t, format, p, nil)))
		if err != nil {
			t.Fatal(err)
		}
		if got.Hash != p.Hash || len(got.Steps) != len(p.Steps) || len(got.Edges) != len(p.Edges) {
			t.Errorf("read %+v", got)
		}
	}
	var v map[string]any
	if err := json.Unmarshal([]byte(render(t, "json", p, a)), &v); err != nil || v["analysis"] == nil || v["hash"] != p.Hash {
		t.Errorf("json: %v, %v", err, v["analysis"])
	}
}

// The page asks for nothing from outside and its drawings are well formed, whatever names hold.
func TestPageStandsAlone(t *testing.T) {
	p, a := example()
	page := render(t, "html", p, a)
	if refs := regexp.MustCompile(`(?i)(src|href|action)\s*=\s*"[^"d]`).FindAllString(page, -1); len(refs) > 0 {
		t.Errorf("references %q", refs)
	}
	if i := strings.Index(page, "//"); i >= 0 {
		t.Errorf("an address: %q", page[max(0, i-30):min(len(page), i+30)])
	}
	if strings.Contains(page, "<script") || strings.Contains(page, "@import") || strings.Contains(page, "a<b>") || strings.Contains(page, "<level>") {
		t.Error("something is not escaped, or runs")
	}
	drawings := regexp.MustCompile(`(?s)<svg.*?</svg>`).FindAllString(page, -1)
	if len(drawings) != 2 {
		t.Fatalf("%d drawings", len(drawings))
	}
	for _, d := range drawings {
		x := xml.NewDecoder(strings.NewReader(d))
		for {
			_, err := x.Token()
			if err == io.EOF {
				break
			}
			if err != nil {
				t.Fatalf("%v in %s", err, d)
			}
		}
	}
}

func TestLongLinesGoAroundBoxes(t *testing.T) {
	p, a := example()
	boxes, arrays := addGaps(boxesOf(p, a))
	place(boxes)
	for _, e := range arrays {
		for i := range e.way[:len(e.way)-1] {
			gap := e.way[i]
			for _, b := range boxes {
				if b.step != nil && b.layer == gap.layer && gap.x < b.x+b.width && b.x < gap.x+gap.width {
					t.Errorf("the line %q runs through %s", e.label, b.title)
				}
			}
		}
	}
	if len(arrays[1].way) != 2 {
		t.Errorf("the line that passes a layer has %d points", len(arrays[1].way))
	}
}

func TestMergedSpansKeepTheirTime(t *testing.T) {
	var spans []trace.Span
	for i := range 10000 {
		spans = append(spans, trace.Span{Lane: 1, Category: "tile", Name: "a", Start: float64(i) * 1e-6, Seconds: 1e-6})
	}
	out := merged(spans, 1000/0.01)
	if len(out) > 1000 {
		t.Errorf("%d spans drawn", len(out))
	}
	sum := 0.0
	for _, s := range out {
		sum += s.Seconds
	}
	if sum < 0.0099 || sum > 0.0101 {
		t.Errorf("%g s of 0.01 drawn", sum)
	}
}

func TestWhy(t *testing.T) {
	p, _ := example()
	for _, c := range []struct{ from, to, want, fails string }{
		{"blur", "decibel", "fusing would win if computing were 4.0 times cheaper", ""},
		{"read", "level", "by way of 2 edges", ""},
		{"iq", "blur", "(S1)", ""},
		{"level", "", "computes f32", ""},
		{"iq", "", "is not computed", ""},
		{"probe", "", "is in no kernel", ""},
		{"level", "blur", "", "the other way round"},
		{"nosuch", "blur", "", "nothing in this plan is called nosuch"},
		{"nosuch", "", "", "nothing in this plan is called nosuch"},
	} {
		var b bytes.Buffer
		err := Why(&b, p, []string{"probe"}, c.from, c.to)
		switch {
		case c.fails != "" && (err == nil || !strings.Contains(err.Error(), c.fails)):
			t.Errorf("%s -> %s: %v", c.from, c.to, err)
		case c.fails == "" && (err != nil || !strings.Contains(b.String(), c.want)):
			t.Errorf("%s -> %s: %v, %q", c.from, c.to, err, b.String())
		}
	}
}

func TestTicksAreRound(t *testing.T) {
	for length, want := range map[float64]float64{0.4: 0.05, 1: 0.2, 0.08: 0.01, 100: 20} {
		if got := tickStep(length); got < 0.999*want || got > 1.001*want {
			t.Errorf("a length of %g has ticks every %g, want %g", length, got, want)
		}
	}
}
