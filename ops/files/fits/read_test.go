package fits

import (
	"encoding/binary"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"testing"

	"codeberg.org/astrogo/fitsio"

	"weft/kernels/region"
	"weft/ops"
	"weft/ops/files/element"
	"weft/ops/files/format"
	"weft/ops/files/words"
)

// What the library writes is read: every kind of column, whole and in parts.
func TestColumnsOfTheLibrary(t *testing.T) {
	tab, rows := table(t, 40)
	content := made(t, tab)
	column := func(name string, get func(row) float64) {
		t.Helper()
		a, err := opened(t, content, "", name)
		if err != nil {
			t.Fatal(err)
		}
		got := whole[float64](t, a)
		for i, r := range rows {
			want := get(r)
			if math.IsNaN(want) {
				if !math.IsNaN(got[i]) {
					t.Errorf("%s[%d] is %v, and missing", name, i, got[i])
				}
			} else if a.scale != 0 {
				if v := a.scale*got[i] + a.offset; v != want {
					t.Errorf("%s[%d] stands for %v, not %v", name, i, v, want)
				}
			} else if got[i] != want {
				t.Errorf("%s[%d] is %v, not %v", name, i, got[i], want)
			}
		}
		for range 20 {
			lo := rand.IntN(len(rows))
			at := region.Whole(a.shape...).Along(0, region.Interval{Lo: lo, Hi: lo + 1 + rand.IntN(len(rows)-lo)})
			if part := values[float64](t, a, at); !reflect.DeepEqual(bitsOf(part), bitsOf(got[at[0].Lo:at[0].Hi])) {
				t.Errorf("%s: rows %v differ from the whole", name, at)
			}
		}
	}
	column("flux", func(r row) float64 { return float64(r.flux) })
	column("deep", func(r row) float64 { return r.deep })
	column("count", func(r row) float64 { return float64(r.count) + 32768 })
	column("short", func(r row) float64 {
		if r.short == -99 {
			return math.NaN()
		}
		return 0.5*float64(r.short) + 10
	})
	column("long", func(r row) float64 { return float64(r.long) })
	column("tiny", func(r row) float64 { return float64(r.tiny) })
	a, err := opened(t, content, "coadd", "vec")
	if err != nil || !slices.Equal(a.shape, []int{40, 3}) {
		t.Fatal(a, err)
	}
	if got, want := values[float32](t, a, region.Region{{Lo: 3, Hi: 5}, {Lo: 0, Hi: 2}}), []float32{3, -1, 4, -1}; !slices.Equal(got, want) {
		t.Errorf("part of vectors: %v", got)
	}
	if a, err = opened(t, content, "1", "wave"); err != nil || whole[complex128](t, a)[7] != 7+1i {
		t.Errorf("complex: %v", err)
	}
	for name, want := range map[string]element.DType{"count": element.Uint16, "short": element.Int16, "good": element.Bool, "tiny": element.Uint8} {
		if a, err := opened(t, content, "", name); err != nil || a.dtype != want {
			t.Errorf("%s: %v, %v", name, a.dtype, err)
		}
	}
}

func bitsOf(v []float64) []uint64 { return words.View[uint64](words.Raw(v)) }

func TestImagesOfTheLibrary(t *testing.T) {
	image := func(bitpix int, data any, cards ...fitsio.Card) *array {
		t.Helper()
		img := fitsio.NewImage(bitpix, []int{4, 3}) // 3 rows of 4
		if err := img.Header().Append(cards...); err != nil {
			t.Fatal(err)
		}
		if err := img.Write(data); err != nil {
			t.Fatal(err)
		}
		a, err := opened(t, made(t, img), "", "")
		if err != nil {
			t.Fatal(err)
		}
		return a
	}
	i16 := []int16{0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, -32768}
	if a := image(16, &i16); !slices.Equal(a.shape, []int{3, 4}) || !slices.Equal(whole[int16](t, a), i16) || a.About().Gaps {
		t.Error("i16")
	}
	a := image(16, &i16, fitsio.Card{Name: "BZERO", Value: 32768}, fitsio.Card{Name: "BSCALE", Value: 1})
	if got := whole[uint16](t, a); a.dtype != element.Uint16 || got[0] != 32768 || got[11] != 0 {
		t.Errorf("u16: %v %v", a.dtype, got)
	}
	a = image(16, &i16, fitsio.Card{Name: "BZERO", Value: 2.5}, fitsio.Card{Name: "BSCALE", Value: 0.5}, fitsio.Card{Name: "BLANK", Value: 3}, fitsio.Card{Name: "BUNIT", Value: "Angstrom"})
	if about := a.About(); about.Scale != 0.5 || about.Offset != 2.5 || !about.Gaps || about.Unit.String() != "angstrom" {
		t.Errorf("scaled: %+v", about)
	}
	if got := values[float32](t, a, region.Region{{Lo: 0, Hi: 2}, {Lo: 2, Hi: 4}}); got[0] != 2 || got[1] == got[1] || got[2] != 6 {
		t.Errorf("blank: %v", got)
	}
	if got := values[int16](t, a, region.Region{{Lo: 0, Hi: 1}, {Lo: 3, Hi: 4}}); got[0] != 3 {
		t.Errorf("blank as it is stored: %v", got)
	}
	f64 := []float64{0, 1, 2, 3, 4, 5, 6, 7, 8, 9, math.NaN(), math.Inf(1)}
	if got := whole[float64](t, image(-64, &f64)); !slices.Equal(bitsOf(got), bitsOf(f64)) {
		t.Errorf("f64: %v", got)
	}
	u8, i32, i64 := make([]uint8, 12), make([]int32, 12), make([]int64, 12)
	u8[5], i32[5], i64[5] = 200, math.MinInt32, math.MinInt64
	for bitpix, data := range map[int]any{8: &u8, 32: &i32, 64: &i64} {
		if got, want := whole[float64](t, image(bitpix, data))[5], map[int]float64{8: 200, 32: math.MinInt32, 64: math.MinInt64}[bitpix]; got != want {
			t.Errorf("BITPIX %d: %v", bitpix, got)
		}
	}
	f32 := make([]float32, 12)
	f32[1] = -1.25
	if got := whole[float32](t, image(-32, &f32)); got[1] != -1.25 {
		t.Errorf("f32: %v", got)
	}
}

func TestUnitsAreWrittenByTheirStandardNames(t *testing.T) {
	for own, want := range map[string]string{"ohm": "Ohm", "kohm m": "kOhm m", "day": "d", "m/year": "m/a", "au": "AU", "µs": "us", "1/µm^2": "1/um**2", "percent": "%", "angstrom": "Angstrom", "1e-17 erg/s": "1e-17 erg/s"} {
		if got := unitText(ops.MustUnit(own)); got != want {
			t.Errorf("%s is written %s, not %s", own, got, want)
		}
		if u, ok := unitOf(want); !ok || !u.Same(ops.MustUnit(own)) || math.Abs(u.SI()/ops.MustUnit(own).SI()-1) > 1e-12 {
			t.Errorf("%s is read as %v", want, u)
		}
	}
}

func TestUnits(t *testing.T) {
	for text, want := range map[string]string{
		"Angstrom": "angstrom", "km/s": "km/s", "km s-1": "km/s", "km s**-1": "km/s", "km.s^-1": "km/s", "10**(-17) erg/(s cm2 Angstrom)": "1e-17 erg s^-1 cm^-2 angstrom^-1",
		"1E-17 erg/s/cm^2/Ang": "1e-17 erg/s/cm^2/angstrom", "10^-17 erg/s/cm2/Angstrom": "1e-17 erg s^-1 cm^-2 angstrom^-1", "deg": "deg", "adu": "", "electron/s": "1/s", "Jy": "Jy", "Ohm": "ohm", "V/Ohm": "A", "kOhm": "kohm", "d": "day", "m/a": "m/year", "km yr-1": "km/year", "AU": "au", "m/(s/kg)": "m kg/s",
		"10**+34 (s2 cm4 Angstrom2) / erg2": "1e34 s^2 cm^4 angstrom^2 erg^-2",
	} {
		u, ok := unitOf(text)
		w := ops.MustUnit(want)
		if !ok || !u.Same(w) || math.Abs(u.SI()/w.SI()-1) > 1e-12 {
			t.Errorf("%s is %v with %v, %v", text, u, u.SI(), ok)
		}
		again, ok := unitOf(unitText(u))
		if !ok || !again.Same(u) || math.Abs(again.SI()/u.SI()-1) > 1e-12 {
			t.Errorf("%s is written %s, which is %v with %v", text, unitText(u), again, again.SI())
		}
	}
	for _, text := range []string{"nanomaggy", "log10(m)", "mag", "m)", "(m", "m/", "1e999 m", "0 m", "10**99999 m", "m**99", "@"} {
		if u, ok := unitOf(text); ok {
			t.Errorf("%s is %v", text, u)
		}
	}
}

// The spectrum of the Sloan survey holds what others read of it.
func TestSpectrum(t *testing.T) {
	path := fixture(t, "fit/spec-0266-51602-0031.fits")
	golden := filepath.Join(filepath.Dir(path), "golden")
	for _, name := range []string{"flux", "loglam", "ivar", "and_mask", "or_mask", "wdisp", "sky", "model"} {
		in, err := openFile(path, format.Choice{"hdu": "COADD", "member": name})
		if err != nil {
			t.Fatal(err)
		}
		raw, err := os.ReadFile(filepath.Join(golden, "sdss_"+name+".bin"))
		if err != nil {
			t.Fatal(err)
		}
		got := words.Bytes(len(raw))
		if err := in.Read(got, in.About().DType, 0, region.Whole(in.About().Shape...)); err != nil {
			t.Fatal(err)
		}
		if !slices.Equal(in.About().Shape, []int{3842}) || binary.NativeEndian.Uint16([]byte{1, 0}) == 1 && !slices.Equal(got, raw) {
			t.Errorf("%s differs", name)
		}
		if err := in.Close(); err != nil {
			t.Fatal(err)
		}
	}
	parts, err := list(path, format.Choice{"hdu": "2"})
	if err != nil || len(parts) != 126 || parts[0].Not == "" || parts[6].Not != "" || len(parts[58].Dims) != 2 {
		t.Errorf("%d columns, %v", len(parts), err)
	}
}
