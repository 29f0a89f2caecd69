package ops

import (
	"math"
	"testing"
)

func TestNamedUnits(t *testing.T) {
	tests := []struct {
		name string
		like string // a product of the same dimensions
		si   float64
	}{
		{"m", "m", 1}, {"mm", "m", 1e-3}, {"um", "m", 1e-6}, {"µm", "m", 1e-6}, {"km", "m", 1e3}, {"Mm", "m", 1e6}, {"cm", "m", 1e-2},
		{"min", "s", 60}, // a minute, not a milli-inch
		{"day", "s", 86400}, {"year", "day", 31557600}, {"kpc", "m", 3.0856775814913673e19}, {"mbar", "Pa", 100}, {"ohm", "V/A", 1}, {"mmol", "mol", 1e-3},
		{"ms", "s", 1e-3}, {"h", "s", 3600},
		{"g", "kg", 1e-3}, {"kg", "kg", 1}, {"mg", "kg", 1e-6},
		{"Hz", "1/s", 1}, {"MHz", "1/s", 1e6}, {"GHz", "1/s", 1e9},
		{"Gy", "J/kg", 1}, {"mGy", "J/kg", 1e-3}, {"cGy", "J/kg", 1e-2},
		{"Pa", "kg/m/s^2", 1}, {"MPa", "N/m^2", 1e6}, {"V", "W/A", 1}, {"J", "N m", 1},
		{"deg", "rad", math.Pi / 180}, {"mrad", "rad", 1e-3}, {"arcsec", "deg", math.Pi / 180 / 3600},
		{"MBq", "1/s", 1e6}, {"mCi", "1/s", 3.7e7}, {"mSv", "J/kg", 1e-3}, {"mT", "V s/m^2", 1e-3}, {"nC", "A s", 1e-9}, {"pF", "C/V", 1e-12}, {"uH", "ohm s", 1e-6},
		{"mL", "cm^3", 1e-6}, {"dL", "m^3", 1e-4}, {"hPa", "Pa", 100}, {"mmHg", "Pa", 133.322387415}, {"atm", "Pa", 101325}, {"Myr", "s", 31557600e6},
		{"AU", "m", 149597870700}, {"kly", "m", 9460730472580800e3}, {"mas", "rad", math.Pi / 180 / 3.6e6}, {"sr", "rad^2", 1}, {"lx", "lm/m^2", 1},
		{"lm", "cd sr", 1}, {"kDa", "kg", 1.66053906892e-24}, {"ppm", "percent", 1e-6},
		{"degC", "K", 1}, {"angstrom", "m", 1e-10}, {"percent", "m/m", 0.01}, {"dB", "dB", 1},
	}
	for _, tt := range tests {
		u, ok := NamedUnit(tt.name)
		switch {
		case !ok:
			t.Errorf("%s is not a unit", tt.name)
		case !u.Same(MustUnit(tt.like)):
			t.Errorf("%s is not like %s", tt.name, tt.like)
		case math.Abs(u.SI()-tt.si) > 1e-15*tt.si:
			t.Errorf("1 %s is %g in SI units, want %g", tt.name, u.SI(), tt.si)
		case u.String() != tt.name:
			t.Errorf("%s is written %s", tt.name, u)
		}
	}
	for _, name := range []string{"", "mmin", "mhz", "mmm", "kdB", "inch", "ks", "mdeg", "kkg"} {
		if IsUnit(name) {
			t.Errorf("%q is a unit", name)
		}
	}
}

func TestParseUnit(t *testing.T) {
	for text, si := range map[string]float64{
		"m/s": 1, "km/h": 1 / 3.6, "mm/us": 1e3, "g/cm^3": 1e3, "kg m^-3": 1, "1/ms": 1e3, "kg*m/s^2": 1, "mm^2": 1e-6, "m/s/s": 1, "J/kg/K": 1,
	} {
		u, err := ParseUnit(text)
		if err != nil || math.Abs(u.SI()-si) > 1e-12*si {
			t.Errorf("1 %s is %g, %v, want %g", text, u.SI(), err, si)
		}
		if text != "" && u.String() != text {
			t.Errorf("%s is written %s", text, u)
		}
	}
	if u := MustUnit("degC"); u.Offset != 273.15 {
		t.Errorf("degC has offset %g", u.Offset)
	}
	for _, text := range []string{"m/", "/s", "m//s", "m^x", "m^2.5", "m^99", "furlong", "m/s^"} {
		if u, err := ParseUnit(text); err == nil {
			t.Errorf("%q is read as %v", text, u)
		}
	}
}

func TestUnitAlgebra(t *testing.T) {
	for _, tt := range []struct {
		got  Unit
		want string // the same dimensions
		text string
	}{
		{MustUnit("m/s").Times(MustUnit("s")), "m", "m"},
		{MustUnit("mm").Times(Unit{}), "m", "mm"},
		{Unit{}.Times(MustUnit("MHz")), "1/s", "MHz"},
		{MustUnit("mm").Times(MustUnit("m").Power(-1)), "percent", ""},
		{MustUnit("mm").Power(2), "m^2", "mm^2"},
		{MustUnit("m/s").Power(2), "m^2/s^2", "m^2 s^-2"},
		{MustUnit("mm").Power(2).Power(2), "m^4", "m^4"},
		{MustUnit("m").Power(0), "percent", ""},
		{MustUnit("N").Times(MustUnit("m")), "J", "J"},
		{MustUnit("kPa").Coherent(), "Pa", "Pa"},
	} {
		if !tt.got.Same(MustUnit(tt.want)) || tt.got.String() != tt.text {
			t.Errorf("got %q (%v), want %q like %s", tt.got, tt.got.Dims, tt.text, tt.want)
		}
	}
	if r, ok := MustUnit("m^2/s^2").Root(); !ok || !r.Same(MustUnit("m/s")) {
		t.Errorf("the root of m^2/s^2 is %v, %v", r, ok)
	}
	if _, ok := MustUnit("m").Root(); ok {
		t.Error("m has a square root")
	}
	if MustUnit("dB").Same(Unit{}) || MustUnit("dB").Times(MustUnit("dB")).Same(MustUnit("dB")) {
		t.Error("dB is like a plain number, or like its square")
	}
	if MustUnit("rad").Same(Unit{}) {
		t.Error("an angle is a plain number")
	}
	for _, pair := range [][2]string{{"MBq", "kHz"}, {"Ci", "Hz"}, {"mGy", "Sv"}} {
		if a, b := MustUnit(pair[0]), MustUnit(pair[1]); a.Same(b) || !a.Same(a.Coherent()) || !b.Same(b.Coherent()) {
			t.Errorf("%s and %s", a, b)
		}
	}
	if !MustUnit("mCi").Same(MustUnit("kBq")) || !MustUnit("Bq/s").Same(MustUnit("Hz/s")) {
		t.Error("decays are not decays, or products are of something")
	}
}

func TestNumberText(t *testing.T) {
	for want, n := range map[string]Number{
		"5 MHz":   Quantity(5, "MHz"),
		"20 degC": Quantity(20, "degC"),
		"0.3 mm":  Quantity(0.3, "mm"),
		"32":      Integer(32),
		"60 dB":   Quantity(60, "dB"),
	} {
		if n.String() != want {
			t.Errorf("%v is written %s, want %s", n.V, n, want)
		}
	}
	if v := Quantity(20, "degC").V; math.Abs(v-293.15) > 1e-12 {
		t.Errorf("20 degC is %v K", v)
	}
}
