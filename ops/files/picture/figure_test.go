package picture

import (
	"bytes"
	"encoding/base64"
	"encoding/xml"
	"image"
	"image/color"
	"image/png"
	"io"
	"maps"
	"math"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// steps is an image whose element (r, c) is its place in C order.
func steps(rows, cols int) Image {
	v := make([]float32, rows*cols)
	for i := range v {
		v[i] = float32(i)
	}
	return NewImage(v, rows, cols)
}

// projections is a figure as of a 64 x 64 x 128 volume.
func projections() Figure {
	x, y, z := Axis{"x", "mm", -10, 10}, Axis{"y", "mm", -10, 10}, Axis{"z", "mm", 20, 40}
	along := func(rows, cols int, vertical, horizontal Axis) Image {
		m := steps(rows, cols)
		for i := range m.Values {
			m.Values[i] = -60 * float32(i%cols*(i/cols)) / float32(rows*cols)
		}
		m.Y, m.X = vertical, horizontal
		m.Title = horizontal.Name + vertical.Name
		return m
	}
	return Figure{
		Panels: []Image{along(128, 64, z, x), along(128, 64, z, y), along(64, 64, y, x)},
		Scale:  Scale{Lo: -60, Hi: 0, Label: "dB"},
	}
}

func decode(t *testing.T, f Figure) image.Image {
	t.Helper()
	var out bytes.Buffer
	if err := EncodePNG(&out, f); err != nil {
		t.Fatal(err)
	}
	img, err := png.Decode(&out)
	if err != nil {
		t.Fatal(err)
	}
	return img
}

func place(t *testing.T, f Figure) layout {
	t.Helper()
	f, err := f.resolve()
	if err != nil {
		t.Fatal(err)
	}
	return arrange(&f, panelLimits(len(f.Panels)))
}

func at(img image.Image, x, y int) color.RGBA {
	return color.RGBAModel.Convert(img.At(x, y)).(color.RGBA)
}

// Every pixel of a small array is a square of one colour, a whole number of dots wide, in the colour of its value.
func TestPixelsBecomeSquares(t *testing.T) {
	m := steps(3, 5)
	m.Values[7] = float32(math.NaN())
	m.Values[8] = float32(math.Inf(1))
	m.Values[9] = float32(math.Inf(-1))
	f := Figure{Panels: []Image{m}, Scale: Scale{Map: "gray", Lo: 0, Hi: 14}}
	img, l := decode(t, f), place(t, f)
	if img.Bounds().Size() != l.size {
		t.Errorf("the image has the size %v, the layout %v", img.Bounds().Size(), l.size)
	}
	a := l.panels[0].array
	side := a.Dx() / 5
	if a.Dx() != 5*side || a.Dy() != 3*side || side < 100 {
		t.Fatalf("5 x 3 pixels are drawn on %v dots", a.Size())
	}
	level := func(v float64) color.RGBA { y := uint8(v/14*255 + 0.5); return color.RGBA{y, y, y, 255} }
	for i := range 15 {
		want := level(float64(i))
		switch i {
		case 7:
			want = blue
		case 8:
			want = level(14)
		case 9:
			want = level(0)
		}
		r, c := i/5, i%5
		corners := image.Rect(a.Min.X+c*side, a.Min.Y+r*side, a.Min.X+(c+1)*side-1, a.Min.Y+(r+1)*side-1)
		for _, p := range []image.Point{corners.Min, corners.Max, corners.Min.Add(corners.Max).Div(2)} {
			if got := at(img, p.X, p.Y); got != want {
				t.Errorf("pixel %d at %v is %v, want %v", i, p, got, want)
			}
		}
	}
	if got := at(img, a.Min.X-1, a.Min.Y+5); got != ink {
		t.Errorf("the frame is %v", got)
	}
	if got := at(img, 0, 0); got != (color.RGBA{255, 255, 255, 255}) {
		t.Errorf("the ground is %v", got)
	}
	middle := (l.swatch.Min.X + l.swatch.Max.X) / 2
	if got := at(img, middle, (l.swatch.Min.Y+l.swatch.Max.Y)/2); got != blue {
		t.Errorf("the key of missing data is %v", got)
	}
	if top, bottom := at(img, middle, l.bar.Min.Y), at(img, middle, l.bar.Max.Y-1); top != level(14) || bottom != level(0) {
		t.Errorf("the colour bar goes from %v below to %v above", bottom, top)
	}
}

func TestTransposedAndStrided(t *testing.T) {
	m := steps(2, 3).Transposed()
	if m.Rows != 3 || m.Cols != 2 || m.At(2, 1) != 5 || m.At(1, 0) != 1 {
		t.Errorf("transposed: %+v", m)
	}
}

// Three panels in millimetres share one scale, equal in both directions.
func TestEqualScale(t *testing.T) {
	f := projections()
	l := place(t, f)
	for i, p := range l.panels {
		w, h := shapeOf(&f.Panels[i]).width, shapeOf(&f.Panels[i]).height
		first := shapeOf(&f.Panels[0])
		perUnit := float64(l.panels[0].array.Dx()) / first.width
		if math.Abs(float64(p.array.Dx())-w*perUnit) > 1 || math.Abs(float64(p.array.Dy())-h*perUnit) > 1 {
			t.Errorf("panel %d: %v dots for %.1f x %.1f mm, the first has %.2f dots a mm", i, p.array.Size(), w, h, perUnit)
		}
		if !p.array.In(image.Rectangle{Max: l.size}) || i > 0 && p.array.Min.X <= l.panels[i-1].array.Max.X {
			t.Errorf("panel %d at %v overlaps or leaves the figure of %v", i, p.array, l.size)
		}
	}
}

// Data larger than the figure is averaged, not dropped: a single bright pixel in 2000 x 2000 still shows.
func TestLargeImagesAreAveraged(t *testing.T) {
	m := NewImage(make([]float32, 2000*2000), 2000, 2000)
	m.Values[777*2000+1234] = 1
	sum := 0.0
	for r := range 500 {
		for c := range 500 {
			sum += m.sample(r, 500, c, 500)
		}
	}
	if math.Abs(sum-1.0/16) > 1e-9 {
		t.Errorf("the mean over dots of 4 x 4 pixels adds up to %v, want 1/16", sum)
	}
	l := place(t, Figure{Panels: []Image{m}})
	if size := l.panels[0].array.Size(); size.X > 840 || size.Y > 640 {
		t.Errorf("2000 x 2000 pixels take %v dots", size)
	}
}

func TestDeterministic(t *testing.T) {
	var one, two bytes.Buffer
	if err := EncodePNG(&one, projections()); err != nil {
		t.Fatal(err)
	}
	if err := EncodePNG(&two, projections()); err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(one.Bytes(), two.Bytes()) {
		t.Error("the same figure gave other bytes")
	}
}

func TestFigureErrors(t *testing.T) {
	good := steps(2, 2)
	with := func(change func(*Figure)) Figure {
		f := Figure{Panels: []Image{good}}
		change(&f)
		return f
	}
	for _, c := range []struct {
		name string
		f    Figure
		want string
	}{
		{"no panels", Figure{}, "at least one image"},
		{"empty", with(func(f *Figure) { f.Panels[0] = NewImage(nil, 0, 3) }), "0 x 3 has nothing to draw"},
		{"too few values", with(func(f *Figure) { f.Panels[0].Rows = 3 }), "image 1 of the figure: an array of 3 x 2 needs 6 values, there are 4"},
		{"negative stride", with(func(f *Figure) { f.Panels[0].RowStride = -1 }), "negative"},
		{"endless axis", with(func(f *Figure) { f.Panels[0].X = Axis{"x", "mm", 0, math.Inf(1)} }), `axis "x" goes from 0 to +Inf`},
		{"map", with(func(f *Figure) { f.Map = "jet" }), `no colour map "jet"; there are gray, `},
		{"range", with(func(f *Figure) { f.Lo, f.Hi = 1, -1 }), "from 1 to -1"},
		{"range of NaN", with(func(f *Figure) { f.Lo = math.NaN() }), "from NaN to 0"},
	} {
		t.Run(c.name, func(t *testing.T) {
			path := filepath.Join(t.TempDir(), "a.png")
			err := writeFile(path, c.f, EncodePNG)
			if err == nil || !strings.Contains(err.Error(), c.want) || !strings.Contains(err.Error(), path) {
				t.Errorf("got %v, want %q and the path", err, c.want)
			}
			if _, err := os.Stat(path); err == nil {
				t.Error("a file was left")
			}
		})
	}
}

// TestSVG: letters are letters, and the array is there in full.
func TestSVG(t *testing.T) {
	f := projections()
	f.Title = "three < four"
	var b bytes.Buffer
	if err := EncodeSVG(&b, f); err != nil {
		t.Fatal(err)
	}
	var said []string
	var images []image.Image
	for d := xml.NewDecoder(bytes.NewReader(b.Bytes())); ; {
		token, err := d.Token()
		if err == io.EOF {
			break
		}
		if err != nil {
			t.Fatal(err)
		}
		switch token := token.(type) {
		case xml.CharData:
			if text := strings.TrimSpace(string(token)); text != "" {
				said = append(said, text)
			}
		case xml.StartElement:
			for _, a := range token.Attr {
				if _, code, found := strings.Cut(a.Value, ";base64,"); found {
					img, err := png.Decode(base64.NewDecoder(base64.StdEncoding, strings.NewReader(code)))
					if err != nil {
						t.Fatal(err)
					}
					images = append(images, img)
				}
			}
		}
	}
	for _, want := range []string{"three < four", f.Panels[0].Title, f.Panels[0].X.label("column")} {
		if !slices.Contains(said, want) {
			t.Errorf("%q is not among %q", want, said)
		}
	}
	if len(images) != len(f.Panels)+1 {
		t.Fatalf("%d images, want those of %d arrays and of the bar", len(images), len(f.Panels))
	}
	r, c, l, err := f.arranged(panelLimits(len(f.Panels)))
	if err != nil {
		t.Fatal(err)
	}
	for i, p := range l.panels {
		size := images[i].Bounds().Size()
		if want := p.array.Size().Mul(2); size != want {
			t.Fatalf("image %d has %v dots, want %v", i, size, want)
		}
		m := &r.Panels[i]
		for y := 0; y < size.Y; y += 7 {
			for x := 0; x < size.X; x += 5 {
				if got, want := color.RGBAModel.Convert(images[i].At(x, y)), c.of(m.sample(y, size.Y, x, size.X)); got != want {
					t.Fatalf("image %d, dot %d, %d: %v, want %v", i, x, y, got, want)
				}
			}
		}
	}
}

func TestPNG(t *testing.T) {
	path := filepath.Join(t.TempDir(), "a.png")
	if err := writeFile(path, projections(), EncodePNG); err != nil {
		t.Fatal(err)
	}
	file, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	if _, err := png.Decode(file); err != nil {
		t.Error(err)
	}
}

// Values without a range: all equal, or none.
func TestRangeOfTheData(t *testing.T) {
	nan := float32(math.NaN())
	for _, c := range []struct {
		values []float32
		lo, hi float64
	}{
		{[]float32{1, 3, nan, float32(math.Inf(1))}, 1, 3},
		{[]float32{4, 4}, 2, 6},
		{[]float32{0, 0}, -0.5, 0.5},
		{[]float32{nan, nan}, 0, 1},
	} {
		s, err := Scale{}.resolve([]Image{NewImage(c.values, 1, len(c.values))})
		if err != nil || s.Lo != c.lo || s.Hi != c.hi {
			t.Errorf("%v: from %v to %v, %v", c.values, s.Lo, s.Hi, err)
		}
	}
}

// A map of two values has the two colours beside it, not all that lie between.
func TestBinaryMaps(t *testing.T) {
	m := steps(3, 5)
	for i := range m.Values {
		m.Values[i] = float32(i % 2)
	}
	m.Values[3] = float32(math.NaN())
	f := Figure{Panels: []Image{m}, Scale: Scale{Map: "gray"}}
	img, l := decode(t, f), place(t, f)
	seen := map[color.RGBA]int{}
	for y := l.bar.Min.Y; y < l.bar.Max.Y; y++ {
		seen[at(img, (l.bar.Min.X+l.bar.Max.X)/2, y)]++
	}
	black, white := seen[color.RGBA{0, 0, 0, 255}], seen[color.RGBA{255, 255, 255, 255}]
	if len(seen) != 2 || abs(black-white) > 1 {
		t.Errorf("the bar has %v", seen)
	}
	if len(l.barTicks) != 2 || l.barTicks[0].label != "0" || l.barTicks[1].label != "1" {
		t.Errorf("labels %v", l.barTicks)
	}
	var out bytes.Buffer
	if err := Terminal(&out, m, Scale{}, 60, 20, Caps{}); err != nil || !strings.Contains(out.String(), "[  ] 0  [@@] 1") {
		t.Errorf("in a terminal: %v\n%s", err, out.String())
	}
	m.Values[4] = 0.5
	if l := place(t, f); len(l.barTicks) <= 2 {
		t.Errorf("three values have the labels %v", l.barTicks)
	}
}

// A map of few whole numbers has a key for each, alike far apart in colour, and shows no value that it does not have.
func TestMapsOfKinds(t *testing.T) {
	kinds := []float32{0, 1, 2, 50}
	m := steps(1900, 1700) // more pixels than dots
	for i := range m.Values {
		m.Values[i] = kinds[(i/1700/3+i%1700/7)%4]
	}
	f := Figure{Panels: []Image{m}, Scale: Scale{Map: "gray"}}
	img, l := decode(t, f), place(t, f)
	want := map[color.RGBA]bool{}
	for _, y := range []uint8{0, 85, 170, 255} {
		want[color.RGBA{y, y, y, 255}] = true
	}
	for _, r := range []image.Rectangle{l.bar, l.panels[0].array} {
		seen := map[color.RGBA]bool{}
		for y := r.Min.Y; y < r.Max.Y; y++ {
			for x := r.Min.X; x < r.Max.X; x++ {
				seen[at(img, x, y)] = true
			}
		}
		if !maps.Equal(seen, want) {
			t.Errorf("colours %v in %v", seen, r)
		}
	}
	var labels []string
	for _, k := range l.barTicks {
		labels = append(labels, k.label)
		y := l.bar.Min.Y + along(k.at, l.barTicks[3].at+l.barTicks[0].at, 0, l.bar.Dy()) // the ticks lie evenly about the middle
		if c, i := at(img, l.bar.Min.X+3, y), len(labels)-1; c.R != uint8(85*i) {
			t.Errorf("beside %q the bar is %v", k.label, c)
		}
	}
	if got := strings.Join(labels, " "); got != "0 1 2 50" {
		t.Errorf("labels %s", got)
	}
	for i := range m.Values { // too many for keys
		m.Values[i] = float32(i % (mostKeys + 1))
	}
	if f := place(t, Figure{Panels: []Image{m}}); len(f.barTicks) == mostKeys+1 {
		t.Error("thirteen values have keys")
	}
}

// Colours change at steps and nowhere between them; a value at a step is above it.
func TestSteps(t *testing.T) {
	nan, inf := float32(math.NaN()), float32(math.Inf(1))
	m := NewImage([]float32{-inf, 8.99, 9, 25, 26, 100, inf, nan}, 2, 4)
	f := Figure{Panels: []Image{m}, Scale: Scale{Map: "gray", Steps: []float64{9, 26, 90}}}
	resolved, err := f.resolve()
	if err != nil {
		t.Fatal(err)
	}
	c, err := resolved.colours()
	if err != nil {
		t.Fatal(err)
	}
	for i, want := range []uint8{0, 0, 85, 85, 170, 255, 255} {
		if got := c.of(float64(m.Values[i])); got != (color.RGBA{want, want, want, 255}) {
			t.Errorf("%v is drawn in %v", m.Values[i], got)
		}
	}
	img, l := decode(t, f), place(t, f)
	for i := range 4 { // bands of one height, the least below
		y := l.bar.Max.Y - l.bar.Dy()*(2*i+1)/8
		if got := at(img, l.bar.Min.X+3, y); got.R != uint8(85*i) {
			t.Errorf("band %d is %v", i, got)
		}
	}
	var labels []string
	for _, k := range l.barTicks {
		labels = append(labels, k.label)
	}
	if got := strings.Join(labels, " "); got != "9 26 90" {
		t.Errorf("labels %s", got)
	}
	var out bytes.Buffer
	if err := Terminal(&out, m, Scale{Steps: []float64{9, 26, 90}}, 60, 20, Caps{}); err != nil || !regexp.MustCompile(`\[  \] 9 \[--\] 26 \[\*\*\] 90 \[@@\]`).MatchString(out.String()) {
		t.Errorf("in a terminal: %v\n%s", err, out.String())
	}
}

func BenchmarkThreePanels(b *testing.B) {
	f := projections()
	for b.Loop() {
		var out bytes.Buffer
		if err := EncodePNG(&out, f); err != nil {
			b.Fatal(err)
		}
	}
}
