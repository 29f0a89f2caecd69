package units

import (
	"testing"

	"weft/ops"
)

// Units are written as CF has them, and mean the same when they are read.
func TestCF(t *testing.T) {
	for text, want := range map[string]string{"m": "m", "W/m^2": "W m-2", "1/s": "s-1", "kg m^-3": "kg m-3", "deg": "degree", "degC": "degC", "mm/h": "mm h-1", "ftUS": "US_survey_foot", "g/cm^3": "g cm-3", "percent": "percent",
		"dB": "dB", "J/kg K": "J kg-1 K", "1e-17 erg/s": "1e-17 erg s-1", "µm": "um", "arcsec": "arc_second", "MHz": "MHz", "1/m/s": "m-1 s-1", "m^2/s^2": "m2 s-2"} {
		u := ops.MustUnit(text)
		got := CF(u)
		back, known := Read(got)
		if got != want || !known || !back.Same(u) || back.SI() != u.SI() || back.Offset != u.Offset {
			t.Errorf("%s is %q, read as %v, want %q", text, got, back, want)
		}
	}
	if got := CF(ops.Unit{}); got != "1" {
		t.Errorf("plain numbers are in %q", got)
	}
	if u, known := Read("1"); !known || !u.Plain() || u.SI() != 1 {
		t.Errorf("1 is %v", u)
	}
	odd := ops.Unit{Symbol: "Clarke's foot", Dims: ops.MustUnit("m").Dims, Scale: 0.3047972654}
	if got := CF(odd); got != odd.Symbol {
		t.Errorf("%s is %q", odd, got)
	}
}
