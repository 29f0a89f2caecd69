// Package picture draws two-dimensional arrays: as PNG figures with axes and a colour bar, and in a terminal.
//
// Row 0 is at the top and column 0 at the left. Every pixel of an array is drawn as a rectangle of its own; nothing
// is smoothed. Where an array has more pixels than the figure, each dot shows the mean of those it covers.
package picture

import (
	"fmt"
	"math"
	"slices"
)

// Axis gives coordinates to the rows or columns of an Image. First and Last are the coordinates of the centres of
// the first and the last pixel; those between are evenly spaced, and Last may be below First. With First equal to
// Last the axis counts pixels from 0.
type Axis struct {
	Name        string // such as "x", or ""
	Unit        string // such as "mm", or ""
	First, Last float64
}

// Image is an array of Rows x Cols. Element (r, c) is Values[r*RowStride+c*ColStride]. NaN means no data.
type Image struct {
	Values     []float32
	Rows, Cols int
	RowStride  int // elements from row to row
	ColStride  int // elements from column to column
	X, Y       Axis
	Title      string
	Behind     *Image // of as many pixels, shown in gray where this one has no data; nil: nothing is
	kinds      bool   // a dot of several pixels shows what most of them are, not their mean
}

// NewImage is values in C order as an image, without coordinates.
func NewImage(values []float32, rows, cols int) Image {
	return Image{Values: values, Rows: rows, Cols: cols, RowStride: cols, ColStride: 1}
}

// Transposed exchanges rows and columns, with their axes.
func (m Image) Transposed() Image {
	m.Rows, m.Cols = m.Cols, m.Rows
	m.RowStride, m.ColStride = m.ColStride, m.RowStride
	m.X, m.Y = m.Y, m.X
	if m.Behind != nil {
		behind := m.Behind.Transposed()
		m.Behind = &behind
	}
	return m
}

// At is the element in row r and column c.
func (m *Image) At(r, c int) float32 { return m.Values[r*m.RowStride+c*m.ColStride] }

// check says what makes m no picture.
func (m *Image) check() error {
	if m.Rows < 1 || m.Cols < 1 {
		return fmt.Errorf("an array of %d x %d has nothing to draw", m.Rows, m.Cols)
	}
	if m.RowStride < 0 || m.ColStride < 0 {
		return fmt.Errorf("strides of %d and %d elements are negative", m.RowStride, m.ColStride)
	}
	if last := (m.Rows-1)*m.RowStride + (m.Cols-1)*m.ColStride; last >= len(m.Values) {
		return fmt.Errorf("an array of %d x %d needs %d values, there are %d", m.Rows, m.Cols, last+1, len(m.Values))
	}
	if b := m.Behind; b != nil && (b.Rows != m.Rows || b.Cols != m.Cols) {
		return fmt.Errorf("an array of %d x %d is behind one of %d x %d", b.Rows, b.Cols, m.Rows, m.Cols)
	}
	for _, a := range []Axis{m.X, m.Y} {
		if span := a.Last - a.First; math.IsNaN(span) || math.IsInf(span, 0) {
			return fmt.Errorf("the axis %q goes from %v to %v", a.Name, a.First, a.Last)
		}
	}
	return nil
}

// counted says whether the axis counts pixels.
func (a Axis) counted() bool { return a.First == a.Last }

// edges are the coordinates of the outer edges of n pixels.
func (a Axis) edges(n int) (lo, hi float64) {
	if a.counted() {
		return -0.5, float64(n) - 0.5
	}
	half := 0.5
	if n > 1 {
		half = (a.Last - a.First) / float64(n-1) / 2
	}
	return a.First - half, a.Last + half
}

// label is the text beside the axis.
func (a Axis) label(fallback string) string {
	name := a.Name
	if name == "" && a.counted() {
		name = fallback
	}
	switch {
	case a.Unit == "" || a.counted():
		return name
	case name == "":
		return a.Unit
	}
	return name + " (" + a.Unit + ")"
}

// Scale says how values become colours, alike for all panels of a figure.
type Scale struct {
	Map    string    // a name from Maps; "" is DefaultMap(Label)
	Lo, Hi float64   // values outside take the colour of the end; both 0: the least and the greatest value drawn
	Label  string    // of the colour bar: a unit such as "dB", or a quantity with its unit
	Steps  []float64 // values in ascending order at which the colour changes, and nowhere else; nil: everywhere
	few    []float64 // all the values there are, from the least to the greatest; nil: too many for a key
}

// resolve fills in what the scale leaves open, from the images that it is for.
func (s Scale) resolve(images []Image) (Scale, error) {
	if s.Map == "" {
		s.Map = DefaultMap(s.Label)
	}
	if _, err := findMap(s.Map); err != nil {
		return s, err
	}
	switch {
	case s.Steps != nil:
		spread := max(s.Steps[len(s.Steps)-1]-s.Steps[0], 1) / float64(len(s.Steps))
		s.Lo, s.Hi = s.Steps[0]-spread, s.Steps[len(s.Steps)-1]+spread
	case s.Lo == 0 && s.Hi == 0:
		s.Lo, s.Hi = extrema(images)
		s.few = fewValues(images)
	}
	if span := s.Hi - s.Lo; !(span > 0) || math.IsInf(span, 0) {
		return s, fmt.Errorf("colours cannot range from %v to %v: the first must be below the second", s.Lo, s.Hi)
	}
	return s, nil
}

// mostKeys is how many values have a key each, in place of a colour bar.
const mostKeys = 12

// fewValues are the values of images that have only two, or a few whole numbers; otherwise nil.
func fewValues(images []Image) (few []float64) {
	whole := true
	for i := range images {
		m := &images[i]
		if m.has(func(v float32) bool {
			if v != v {
				return false
			}
			at, known := slices.BinarySearch(few, float64(v))
			if !known {
				few = slices.Insert(few, at, float64(v))
				whole = whole && v == float32(math.Trunc(float64(v)))
			}
			return len(few) > mostKeys || len(few) > 2 && !whole || math.IsInf(float64(v), 0)
		}) {
			return nil
		}
	}
	if len(few) < 2 {
		return nil
	}
	return few
}

// extrema are the least and greatest finite values, spread where they are equal.
func extrema(images []Image) (lo, hi float64) {
	lo, hi = math.Inf(1), math.Inf(-1)
	for i := range images {
		m := &images[i]
		for r := range m.Rows {
			for c := range m.Cols {
				if v := float64(m.At(r, c)); !math.IsNaN(v) && !math.IsInf(v, 0) {
					lo, hi = min(lo, v), max(hi, v)
				}
			}
		}
	}
	switch {
	case lo > hi: // no finite value at all
		return 0, 1
	case lo == hi:
		spread := max(math.Abs(lo)/2, 0.5)
		return lo - spread, hi + spread
	}
	return lo, hi
}

// text writes a value beside the colour bar.
func (s Scale) text(v float64) string {
	return round(v, math.Pow(10, math.Floor(math.Log10((s.Hi-s.Lo)/1000))))
}

// hasNaN says whether any value is missing, and what is behind it.
func hasNaN(images []Image) bool {
	return slices.ContainsFunc(images, func(m Image) bool { return m.gap() })
}

func (m *Image) gap() bool {
	for r := range m.Rows {
		for c := range m.Cols {
			if v := m.At(r, c); v != v && (m.Behind == nil || math.IsNaN(float64(m.Behind.At(r, c)))) {
				return true
			}
		}
	}
	return false
}

// has says whether any value is such.
func (m *Image) has(such func(v float32) bool) bool {
	for r := range m.Rows {
		for c := range m.Cols {
			if such(m.At(r, c)) {
				return true
			}
		}
	}
	return false
}

// behind are the colours of what is behind images.
func behind(images []Image) (*colours, error) {
	var all []Image
	for _, m := range images {
		if m.Behind != nil {
			all = append(all, *m.Behind)
		}
	}
	if len(all) == 0 {
		return nil, nil
	}
	s, err := Scale{Map: "gray"}.resolve(all)
	if err != nil {
		return nil, err
	}
	s.few = nil
	return s.colours()
}

// sample is the value for one of n dots that share the pixels from edge to edge in each direction: the pixel at the
// dot's middle or, where several pixels share a dot, the mean of those that have data, or what most of them are.
func (m *Image) sample(dotRow, dotRows, dotCol, dotCols int) float64 {
	r0, r1 := covered(dotRow, dotRows, m.Rows)
	c0, c1 := covered(dotCol, dotCols, m.Cols)
	if r1-r0 == 1 && c1-c0 == 1 {
		return float64(m.At(r0, c0))
	}
	if m.kinds {
		return m.most(r0, r1, c0, c1)
	}
	sum, n := 0.0, 0
	for r := r0; r < r1; r++ {
		for c := c0; c < c1; c++ {
			if v := m.At(r, c); v == v {
				sum += float64(v)
				n++
			}
		}
	}
	return sum / float64(n) // NaN where none has data
}

// most is the most frequent value of a rectangle of pixels, NaN where none has data.
func (m *Image) most(r0, r1, c0, c1 int) float64 {
	most, times := float32(math.NaN()), 0
	seen := make(map[float32]int, mostKeys)
	for r := r0; r < r1; r++ {
		for c := c0; c < c1; c++ {
			v := m.At(r, c)
			if v != v {
				continue
			}
			if seen[v]++; seen[v] > times {
				most, times = v, seen[v]
			}
		}
	}
	return float64(most)
}

// covered is the range of n pixels that dot i of dots shows.
func covered(i, dots, n int) (lo, hi int) {
	if dots >= n {
		at := (2*i + 1) * n / (2 * dots)
		return at, at + 1
	}
	lo = i * n / dots
	return lo, max(lo+1, (i+1)*n/dots)
}
