package tiff

import (
	"encoding/binary"
	"fmt"
	"math"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"weft/ops/files/element"
)

// placed is a file of one element with further fields.
func placed(order binary.AppendByteOrder, add func(*maker)) []byte {
	m, blocks := sample{element.Uint8, 1, 1, order, false, false, 1, 0, None, NoPredictor}.maker()
	add(m)
	return m.file(273, 279, blocks...)
}

// keys adds a GeoKeyDirectory of short values: pairs of key and value.
func keys(m *maker, pairs ...uint64) {
	list := []uint64{1, 1, 0, uint64(len(pairs) / 2)}
	for p := range slices.Chunk(pairs, 2) {
		list = append(list, p[0], 0, 1, p[1])
	}
	m.add(34735, 3, list...)
}

func kinds(problems []Problem) []ProblemKind {
	var all []ProblemKind
	for _, p := range problems {
		all = append(all, p.Kind)
	}
	return all
}

func TestGeoreference(t *testing.T) {
	utm := func(m *maker) { keys(m, 1024, 1, 1025, 1, 3072, 25832, 3076, 9001) }
	sin, cos := math.Sincos(math.Pi / 6)
	for _, c := range []struct {
		name     string
		add      func(*maker)
		affine   Affine
		epsg     int
		unit     string
		metres   [2]float64 // pixel size; 0 for none
		problems []ProblemKind
	}{
		{"nothing", func(*maker) {}, Affine{}, 0, "", [2]float64{}, []ProblemKind{Unplaced, NoCRS}},
		{"UTM", func(m *maker) {
			utm(m)
			m.doubles(33550, 2, 2, 0)
			m.doubles(33922, 0, 0, 0, 500000, 5400000, 0)
		}, Affine{500000, 2, 0, 5400000, 0, -2}, 25832, "metre", [2]float64{2, 2}, nil},
		{"tie point within", func(m *maker) {
			utm(m)
			m.doubles(33550, 2, 4, 0)
			m.doubles(33922, 10, 100, 0, 500000, 5400000, 0)
		}, Affine{499980, 2, 0, 5400400, 0, -4}, 25832, "metre", [2]float64{2, 4}, []ProblemKind{NotSquare}},
		{"pixel is point", func(m *maker) {
			keys(m, 1024, 1, 1025, 2, 3072, 25832, 3076, 9001)
			m.doubles(33550, 2, 2, 0)
			m.doubles(33922, 0, 0, 0, 500000, 5400000, 0)
		}, Affine{499999, 2, 0, 5400001, 0, -2}, 25832, "metre", [2]float64{2, 2}, nil},
		{"negative scale", func(m *maker) {
			utm(m)
			m.doubles(33550, 1, -1, 0)
			m.doubles(33922, 0, 0, 0, 5, 6, 0)
		}, Affine{5, 1, 0, 6, 0, -1}, 25832, "metre", [2]float64{1, 1}, nil},
		{"matrix", func(m *maker) {
			utm(m)
			m.doubles(34264, 1, 0, 0, 5, 0, -1, 0, 6, 0, 0, 0, 0, 0, 0, 0, 1)
		}, Affine{5, 1, 0, 6, 0, -1}, 25832, "metre", [2]float64{1, 1}, nil},
		{"rotated", func(m *maker) {
			utm(m)
			m.doubles(34264, 2*cos, 2*sin, 0, 5, 2*sin, -2*cos, 0, 6, 0, 0, 0, 0, 0, 0, 0, 1)
		}, Affine{5, 2 * cos, 2 * sin, 6, 2 * sin, -2 * cos}, 25832, "metre", [2]float64{2, 2}, []ProblemKind{Rotated}},
		{"rotated, pixel is point", func(m *maker) {
			keys(m, 1024, 1, 1025, 2, 3072, 25832, 3076, 9001)
			m.doubles(34264, 0, 2, 0, 10, 2, 0, 0, 20, 0, 0, 0, 0, 0, 0, 0, 1)
		}, Affine{9, 0, 2, 19, 2, 0}, 25832, "metre", [2]float64{2, 2}, []ProblemKind{Rotated}},
		{"south up", func(m *maker) {
			utm(m)
			m.doubles(34264, 1, 0, 0, 5, 0, 1, 0, 6, 0, 0, 0, 0, 0, 0, 0, 1)
		}, Affine{5, 1, 0, 6, 0, 1}, 25832, "metre", [2]float64{1, 1}, []ProblemKind{SouthUp}},
		{"mirrored", func(m *maker) {
			utm(m)
			m.doubles(34264, -1, 0, 0, 5, 0, -1, 0, 6, 0, 0, 0, 0, 0, 0, 0, 1)
		}, Affine{5, -1, 0, 6, 0, -1}, 25832, "metre", [2]float64{1, 1}, []ProblemKind{Mirrored}},
		{"feet", func(m *maker) {
			keys(m, 1024, 1, 3072, 2263, 3076, 9003)
			m.doubles(33550, 3, 3, 0)
			m.doubles(33922, 0, 0, 0, 0, 0, 0)
		}, Affine{0, 3, 0, 0, 0, -3}, 2263, "US survey foot", [2]float64{3 * 1200.0 / 3937, 3 * 1200.0 / 3937}, nil},
		{"unit of its own", func(m *maker) {
			m.add(34735, 3, 1, 1, 0, 3, 1024, 0, 1, 1, 3076, 0, 1, 32767, 3077, 34736, 1, 1)
			m.doubles(34736, 7, 0.5)
			m.doubles(33550, 3, 3, 0)
			m.doubles(33922, 0, 0, 0, 0, 0, 0)
		}, Affine{0, 3, 0, 0, 0, -3}, 0, "unit of 0.5 m", [2]float64{1.5, 1.5}, nil},
		{"no unit, of a system in feet", func(m *maker) {
			keys(m, 1024, 1, 3072, 2263, 4096, 6360)
			m.doubles(33550, 1, 1, 0)
			m.doubles(33922, 0, 0, 0, 0, 0, 0)
		}, Affine{0, 1, 0, 0, 0, -1}, 2263, "US survey foot", [2]float64{1200.0 / 3937, 1200.0 / 3937}, nil},
		{"no unit, of an unknown system", func(m *maker) {
			keys(m, 3072, 31)
			m.doubles(33550, 1, 1, 0)
			m.doubles(33922, 0, 0, 0, 0, 0, 0)
		}, Affine{0, 1, 0, 0, 0, -1}, 31, "", [2]float64{}, []ProblemKind{UnknownUnit}},
		{"an unknown unit", func(m *maker) {
			keys(m, 1024, 1, 3072, 25832, 3076, 9014)
			m.doubles(33550, 1, 1, 0)
			m.doubles(33922, 0, 0, 0, 0, 0, 0)
		}, Affine{0, 1, 0, 0, 0, -1}, 25832, "", [2]float64{}, []ProblemKind{UnknownUnit}},
		{"degrees", func(m *maker) {
			keys(m, 1024, 2, 2048, 4326, 2054, 9102)
			m.doubles(33550, 0.5, 0.5, 0)
			m.doubles(33922, 0, 0, 0, 8, 50, 0)
		}, Affine{8, 0.5, 0, 50, 0, -0.5}, 4326, "degree", [2]float64{}, []ProblemKind{AngularUnit}},
		{"degrees not named", func(m *maker) { keys(m, 2048, 4326) }, Affine{}, 4326, "degree", [2]float64{}, []ProblemKind{Unplaced, AngularUnit}},
		{"spelled out", func(m *maker) { keys(m, 1024, 1, 3072, 32767, 3076, 9001) }, Affine{}, 0, "metre", [2]float64{}, []ProblemKind{Unplaced}},
		{"control points", func(m *maker) {
			utm(m)
			m.doubles(33922, 0, 0, 0, 1, 2, 0, 10, 0, 0, 11, 2, 0, 0, 10, 0, 1, 12, 0)
		}, Affine{}, 25832, "metre", [2]float64{}, []ProblemKind{ControlPoints}},
	} {
		t.Run(c.name, func(t *testing.T) {
			little := open(t, placed(binary.LittleEndian, c.add)).Header().Geo
			g := open(t, placed(binary.BigEndian, c.add)).Header().Geo
			if !reflect.DeepEqual(g, little) {
				t.Errorf("byte orders differ:\n%+v\n%+v", g, little)
			}
			if g.Affine != c.affine || g.CRS.EPSG != c.epsg || g.CRS.Unit.Name != c.unit {
				t.Errorf("got %v, EPSG %d, %q; want %v, %d, %q", g.Affine, g.CRS.EPSG, g.CRS.Unit.Name, c.affine, c.epsg, c.unit)
			}
			x, y := g.PixelSize()
			if x, y = x*g.CRS.Unit.Metres, y*g.CRS.Unit.Metres; !g.Placed {
				x, y = 0, 0
			}
			if math.Abs(x-c.metres[0])+math.Abs(y-c.metres[1]) > 1e-12 {
				t.Errorf("pixels are %v x %v m, want %v", x, y, c.metres)
			}
			if got := kinds(g.Problems()); !slices.Equal(got, c.problems) {
				t.Errorf("problems %v, want %v", g.Problems(), c.problems)
			}
			for _, p := range g.Problems() {
				if p.Reason == "" || p.Help == "" {
					t.Errorf("problem without words: %+v", p)
				}
			}
		})
	}
}

// What is not understood is carried from file to file, between byte orders too.
func TestGeoreferenceIsCarried(t *testing.T) {
	dir := t.TempDir()
	for _, order := range []binary.AppendByteOrder{binary.LittleEndian, binary.BigEndian} {
		g := open(t, placed(order, func(m *maker) {
			m.add(34735, 3, 1, 1, 1, 4, 1024, 0, 1, 1, 2059, 34736, 2, 1, 3073, 34737, 8, 3, 60000, 0, 1, 17)
			m.doubles(34736, 7, 6378137, 298.257)
			m.text(34737, "xy|My grid|")
			m.doubles(33550, 1, 1, 0.25)
			m.doubles(33922, 0, 0, 0, 5, 6, 7)
		})).Header().Geo
		if g.CRS.Citation != "My grid" {
			t.Errorf("citation %q", g.CRS.Citation)
		}
		for i, n := range []int{24, 48, 0, 40, 24, 12} {
			if len(g.fields[i].data) != n {
				t.Errorf("%v has %d bytes, want %d", geoTags[i].tag, len(g.fields[i].data), n)
			}
		}
		for _, big := range []bool{false, true} {
			path := filepath.Join(dir, "a.tif")
			if err := Save(path, Header{DType: element.Uint8, Height: 1, Width: 1, Geo: g, BigEndian: big}, []uint8{3}); err != nil {
				t.Fatal(err)
			}
			h, err := Stat(path)
			if err != nil {
				t.Fatal(err)
			}
			if !reflect.DeepEqual(h.Geo, g) {
				t.Errorf("carried as\n%+v, want\n%+v", h.Geo, g)
			}
		}
	}
}

func TestNewGeo(t *testing.T) {
	path := filepath.Join(t.TempDir(), "a.tif")
	for _, c := range []struct {
		affine Affine
		crs    CRS
	}{
		{Affine{500000, 2.5, 0, 5400000, 0, -2.5}, CRS{Model: Projected, EPSG: 25832, Unit: epsgUnits[metre], Citation: "ETRS89 / UTM 32N"}},
		{Affine{8, 0.25, 0, 50, 0, -0.25}, CRS{Model: Geographic, EPSG: 4326, Unit: epsgUnits[degree]}},
		{Affine{5, 1, 0.5, 6, 0.5, -1}, CRS{Model: Projected, Unit: Unit{userDefined, "unit of 0.9 m", 0.9, false}, Vertical: epsgUnits[9002]}},
		{Affine{5, 1, 0, 6, 0, 1}, CRS{}},
	} {
		g, err := NewGeo(c.affine, c.crs)
		if err != nil {
			t.Fatal(err)
		}
		if g.Affine != c.affine || g.CRS != c.crs || !g.Placed {
			t.Errorf("got %+v, want %+v", g, c)
		}
		if err := Save(path, Header{DType: element.Uint8, Height: 1, Width: 1, Geo: g}, []uint8{3}); err != nil {
			t.Fatal(err)
		}
		if h, err := Stat(path); err != nil || !reflect.DeepEqual(h.Geo, g) {
			t.Errorf("read back as %+v (%v), want %+v", h.Geo, err, g)
		}
	}
	for want, c := range map[string]CRS{"no EPSG code": {EPSG: 70000}, "citation": {Citation: strings.Repeat("x", 1<<16)}} {
		if _, err := NewGeo(Affine{0, 1, 0, 0, 0, -1}, c); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: got %v", want, err)
		}
	}
	if _, err := NewGeo(Affine{}, CRS{}); err == nil {
		t.Error("pixels without area were taken")
	}
}

func TestCropped(t *testing.T) {
	for _, pixel := range []int{1, 2} {
		g := open(t, placed(binary.LittleEndian, func(m *maker) {
			keys(m, 1024, 1, 1025, uint64(pixel), 3072, 25832, 3076, 9001)
			m.doubles(33550, 2, 2, 0)
			m.doubles(33922, 0, 0, 0, 100, 200, 0)
		})).Header().Geo
		want := g.Affine
		want[0] += 2 * 7
		want[3] -= 2 * 5
		got := g.Cropped(5, 7)
		if got.Affine != want {
			t.Errorf("got %v, want %v", got.Affine, want)
		}
		if again, err := parseGeo(got.fields); err != nil || !reflect.DeepEqual(again, got) {
			t.Errorf("read back as %+v (%v), want %+v", again, err, got)
		}
	}
	if got := (Geo{}).Cropped(1, 2); got.Placed {
		t.Error("a crop of no place has a place")
	}
}

func TestScaleAndOffset(t *testing.T) {
	const head = `<GDALMetadata><Item name="STATISTICS_MEAN" sample="0">7</Item>`
	for _, c := range []struct {
		text          string
		scale, offset float64
		err           string
	}{
		{head + `<Item name="SCALE" sample="0" role="scale">0.01</Item><Item name="OFFSET" sample="0" role="offset">-5</Item></GDALMetadata>`, 0.01, -5, ""},
		{head + `<Item name="OFFSET" sample="0" role="offset">3</Item></GDALMetadata>`, 1, 3, ""},
		{head + `<Item name="SCALE" sample="1" role="scale">0.01</Item></GDALMetadata>`, 0, 0, ""},
		{head + `</GDALMetadata>`, 0, 0, ""},
		{head + `<Item role="scale">few</Item></GDALMetadata>`, 0, 0, `scale that is no number: "few"`},
		{"<GDAL", 0, 0, "is no XML"},
	} {
		file := placed(binary.LittleEndian, func(m *maker) { m.text(42112, c.text) })
		if c.err != "" {
			wantFileError(t, file, c.err)
			continue
		}
		h := open(t, file).Header()
		if h.Scale != c.scale || h.Offset != c.offset {
			t.Errorf("%s: scale %v, offset %v", c.text, h.Scale, h.Offset)
		}
		path := filepath.Join(t.TempDir(), "a.tif")
		if err := Save(path, Header{DType: element.Uint8, Height: 1, Width: 1, Scale: h.Scale, Offset: h.Offset}, []uint8{3}); err != nil {
			t.Fatal(err)
		}
		if again, err := Stat(path); err != nil || again.Scale != c.scale || again.Offset != c.offset {
			t.Errorf("read back as %+v (%v)", again, err)
		}
	}
}

func TestDamagedGeoreferences(t *testing.T) {
	inf := math.Inf(1)
	for i, c := range []struct {
		add  func(*maker)
		want string
	}{
		{func(m *maker) { m.add(34735, 3, 1, 1, 0) }, "too few for its keys"},
		{func(m *maker) { m.add(34735, 3, 1, 1, 0, 9, 1024, 0, 1, 1) }, "too few for its keys"},
		{func(m *maker) { m.add(34735, 3, 2, 1, 0, 0) }, "has version 2"},
		{func(m *maker) { m.add(34735, 4, 1, 1, 0, 0) }, "has the type 4, 3 expected"},
		{func(m *maker) { m.add(34735, 3, 1, 1, 0, 1, 3077, 34736, 1, 0) }, "GeoDoubleParams (tag 34736) has 0 values"},
		{func(m *maker) { m.add(34735, 3, 1, 1, 0, 1, 1026, 34737, 5, 65535) }, "GeoAsciiParams (tag 34737) has 0 characters"},
		{func(m *maker) { m.add(34735, 3, 1, 1, 0, 1, 1024, 34735, 1, 8) }, "values beyond its end"},
		{func(m *maker) { m.doubles(33550, 1); m.doubles(33922, 0, 0, 0, 0, 0, 0) }, "has 1 values, 2 expected"},
		{func(m *maker) { m.doubles(33550, 1, 1, 0); m.doubles(33922, 0, 0, 0, 0, 0) }, "has 5 values, 6 expected"},
		{func(m *maker) { m.doubles(34264, 1, 0, 0, 0) }, "has 4 values, 16 expected"},
		{func(m *maker) { m.doubles(33550, 0, 1, 0); m.doubles(33922, 0, 0, 0, 0, 0, 0) }, "pixels without area"},
		{func(m *maker) { m.doubles(33550, 1, 1, 0); m.doubles(33922, 0, 0, 0, inf, 0, 0) }, "that is no number"},
		{func(m *maker) { m.doubles(33550, 1, math.NaN(), 0); m.doubles(33922, 0, 0, 0, 0, 0, 0) }, "that is no number"},
	} {
		t.Run(fmt.Sprint(i), func(t *testing.T) { wantFileError(t, placed(binary.BigEndian, c.add), c.want) })
	}
}
