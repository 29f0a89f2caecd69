package ops

import "testing"

func TestDescription(t *testing.T) {
	s := &Spec{
		Name: "beamform", Doc: "Delay and sum.", Long: "A paragraph.", Returns: "a volume.", Error: ErrorRule{Metric: Peak, Tolerance: 1e-5},
		Params: []Param{
			In("input", "IQ data", "sample", "element"),
			Obj("probe", "where the elements are", "probe"),
			Num("fc", "Hz", "centre frequency").Above0(),
			Num("c", "m/s", "speed of sound").Or(Quantity(1540, "m/s")).AtLeast(100),
			Choose("interpolation", "between samples", "linear", "cubic").Or(Symbol("linear")),
			Count("threads", "how many").Opt(),
			Names("over", "dims").Opt(),
			{Name: "more", Doc: "further arrays", Accept: KArray, Rest: true, Optional: true},
		},
		Examples: []Example{{Title: "One shot", Code: "a | beamform(p)\n| show"}},
	}
	const signature = "beamform(input, probe, fc: number [Hz], c: number [m/s] = 1540 m/s, interpolation: linear|cubic = linear, threads?: integer, over?: name|list, ...more?)"
	if got := Signature(s); got != signature {
		t.Errorf("signature\n%s\nwant\n%s", got, signature)
	}
	want := "## beamform\n\nDelay and sum.\n\n    " + signature + `

- ` + "`input`" + `: IQ data (with dims sample, element)
- ` + "`probe`" + `: where the elements are
- ` + "`fc`" + `: centre frequency (in Hz or a unit like it; above 0)
- ` + "`c`" + `: speed of sound (in m/s or a unit like it; at least 100 m s^-1; by default 1540 m/s)
- ` + "`interpolation`" + `: between samples (one of linear, cubic; by default linear)
- ` + "`threads`" + `: how many (whole; above 0; may be left out)
- ` + "`over`" + `: dims (may be left out)
- ` + "`more`" + `: further arrays (may be left out)

Returns a volume.

A paragraph.

Tolerance: 1e-05 of the largest magnitude of the result.

One shot:

    a | beamform(p)
    | show
`
	if got := Doc(s); got != want {
		t.Errorf("documentation\n%s\nwant\n%s", got, want)
	}
}
