package fits

import (
	"math"
	"os"
	"path/filepath"
	"testing"

	"codeberg.org/astrogo/fitsio"

	"weft/ops"
	"weft/ops/files/format"
)

// Coordinates of spectra are where their headers say: by steps, by factors, by powers of ten; in the unit that is told, and not where axes are turned.
func TestLinearAxes(t *testing.T) {
	type cards map[string]any
	for name, c := range map[string]struct {
		cards cards
		want  [3]float64 // in metres; 0: none
	}{
		"steps":      {cards{"CTYPE1": "WAVE", "CUNIT1": "Angstrom", "CRVAL1": 5000.0, "CRPIX1": 1.0, "CDELT1": 2.0}, [3]float64{5000e-10, 5002e-10, 5004e-10}},
		"a matrix":   {cards{"CTYPE1": "WAVE", "CUNIT1": "nm", "CRVAL1": 500, "CRPIX1": 2, "CD1_1": 0.5, "CDELT1": 7.0}, [3]float64{499.5e-9, 500e-9, 500.5e-9}},
		"factors":    {cards{"CTYPE1": "WAVE-LOG", "CUNIT1": "m", "CRVAL1": 4.0, "CRPIX1": 1.0, "CDELT1": 1.0}, [3]float64{4, 4 * math.Exp(0.25), 4 * math.Exp(0.5)}},
		"powers":     {cards{"CTYPE1": "LINEAR", "CUNIT1": "m", "CRVAL1": 3.0, "CRPIX1": 1.0, "CDELT1": 0.5, "DC-FLAG": 1}, [3]float64{1000, math.Pow(10, 3.5), 10000}},
		"turned":     {cards{"CTYPE1": "WAVE", "CRVAL1": 4.0, "CD1_1": 1.0, "CD1_2": 0.5}, [3]float64{}},
		"no place":   {cards{"CTYPE1": "WAVE", "CDELT1": 4.0}, [3]float64{}},
		"no step":    {cards{"CTYPE1": "WAVE", "CRVAL1": 4.0, "CDELT1": 0.0}, [3]float64{}},
		"other unit": {cards{"CTYPE1": "WAVE", "CRVAL1": 4.0, "CDELT1": 1.0, "CUNIT1": "furlong"}, [3]float64{}},
		"a text":     {cards{"CTYPE1": "WAVE", "CRVAL1": "four", "CDELT1": 1.0}, [3]float64{}},
	} {
		t.Run(name, func(t *testing.T) {
			image := fitsio.NewImage(-32, []int{3})
			for key, v := range c.cards {
				if err := image.Header().Append(fitsio.Card{Name: key, Value: v}); err != nil {
					t.Fatal(err)
				}
			}
			if err := image.Write([]float32{1, 2, 3}); err != nil {
				t.Fatal(err)
			}
			path := filepath.Join(t.TempDir(), "a.fits")
			if err := os.WriteFile(path, made(t, image), 0o600); err != nil {
				t.Fatal(err)
			}
			in, err := openFile(path, format.Choice{})
			if err != nil {
				t.Fatal(err)
			}
			defer in.Close()
			dims := []ops.Dim{{Name: "x", Size: 3}}
			if _, err := in.(format.Placer).Place(&ops.Call{}, dims); err != nil {
				t.Fatal(err)
			}
			got := dims[0].Coords
			if (got == nil) != (c.want == [3]float64{}) {
				t.Fatalf("%v, want %v", got, c.want)
			}
			for i, v := range got {
				if math.Abs(v/c.want[i]-1) > 1e-12 {
					t.Errorf("%v, want %v", got, c.want)
				}
			}
		})
	}
}
