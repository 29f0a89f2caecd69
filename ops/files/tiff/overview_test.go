package tiff

import (
	"fmt"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"weft/ops/files/element"
	"weft/ops/files/tiff/cache"
	"weft/ops/files/words"
)

// images opens every image of a file, in the order of its directories, with where those are.
func images(t *testing.T, path string) (files []*File, directories []int64) {
	t.Helper()
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	c, at, err := openContainer(strings.NewReader(string(data)), int64(len(data)))
	for err == nil && at != 0 {
		var d directory
		directories = append(directories, at)
		if d, at, err = c.directory(at); err == nil {
			f := &File{source: c, name: path, cache: cache.New(DefaultCache)}
			f.pools()
			if f.header, err = readHeader(d, 0); err == nil {
				f.table, err = readTable(d, &f.header)
			}
			files = append(files, f)
		}
	}
	if err != nil {
		t.Fatal(err)
	}
	return files, directories
}

// ramp has a value an element, and gaps.
func ramp(height, width int) []float32 {
	values := make([]float32, height*width)
	for i := range values {
		y, x := i/width, i%width
		values[i] = float32(64 * (y%97 + x%89))
		if (y/2+x/3)%5 == 0 {
			values[i] = float32(math.NaN())
		}
	}
	return values
}

// halved is the definition of a reduced copy.
func halved(values []float32, height, width int, mean bool) (out []float32, h, w int) {
	h, w = (height+1)/2, (width+1)/2
	for y := range h {
		for x := range w {
			sum, n := 0.0, 0.0
			for _, at := range [][2]int{{2 * y, 2 * x}, {2 * y, 2*x + 1}, {2*y + 1, 2 * x}, {2*y + 1, 2*x + 1}} {
				if at[0] < height && at[1] < width && (mean || n == 0) {
					if v := float64(values[at[0]*width+at[1]]); v == v {
						sum, n = sum+v, n+1
					}
				}
			}
			out = append(out, float32(sum/n))
		}
	}
	return out, h, w
}

func TestReducedCopies(t *testing.T) {
	for _, c := range []struct {
		dtype         element.DType
		height, width int
		nodata        float64
		big           bool
		copies        int
	}{
		{element.Float32, 1100, 901, math.NaN(), false, 2},
		{element.Float32, 701, 300, -9999, true, 1},
		{element.Float64, 513, 2100, -9999, false, 3},
		{element.Uint16, 900, 1300, 0, false, 2},
		{element.Float32, 512, 512, math.NaN(), false, 0},
	} {
		t.Run(fmt.Sprintf("%v %d x %d", c.dtype, c.height, c.width), func(t *testing.T) {
			path := filepath.Join(t.TempDir(), "a.tif")
			values := ramp(c.height, c.width)
			mean := c.dtype.Float()
			if !mean {
				for i, v := range values {
					if v != v {
						values[i] = 7
					}
				}
			}
			h := Header{DType: c.dtype, Height: c.height, Width: c.width, Nodata: &c.nodata, Big: c.big, Description: "the raster's own"}
			w, err := Create(path, h)
			if err != nil {
				t.Fatal(err)
			}
			// From the south up, so that blocks come out of order.
			for y := (c.height - 1) / 100 * 100; y >= 0; y -= 100 {
				r := Rect{y, min(y+100, c.height), 0, c.width}
				part := values[r.Y0*c.width : r.Y1*c.width]
				src, from := words.Raw(part), Layout{DType: element.Float32, NodataAsNaN: true}
				if !mean {
					whole := make([]uint16, len(part))
					for i, v := range part {
						whole[i] = uint16(v)
					}
					src, from = words.Raw(whole), Layout{DType: element.Uint16}
				}
				if err := w.WriteTile(src, from, r); err != nil {
					t.Fatal(err)
				}
			}
			if err := w.Commit(false); err != nil {
				t.Fatal(err)
			}
			files, directories := images(t, path)
			if len(files) != c.copies+1 {
				t.Fatalf("%d images", len(files))
			}
			checkCloudOptimized(t, files, directories)
			height, width := c.height, c.width
			for i, f := range files {
				if i > 0 {
					values, height, width = halved(values, height, width, mean)
				}
				if f.header.Height != height || f.header.Width != width || (f.header.Description != "") != (i == 0) || f.header.Big != c.big {
					t.Fatalf("image %d: %+v", i, f.header)
				}
				got := make([]float32, height*width)
				if err := f.Read(words.Raw(got), Layout{DType: element.Float32, NodataAsNaN: mean}); err != nil {
					t.Fatal(err)
				}
				for j, v := range got {
					if math.Abs(float64(v-values[j])) > 1e-6*float64(values[j]) || (v != v) != (values[j] != values[j]) { // float64 is not rounded from copy to copy
						t.Fatalf("image %d, element %d: %v, want %v", i, j, v, values[j])
					}
				}
			}
		})
	}
}

// checkCloudOptimized holds a file to what readers over a network rely on: directories before all elements, the largest image first, and the
// elements of the smallest image first, each block behind the one before.
func checkCloudOptimized(t *testing.T, files []*File, directories []int64) {
	t.Helper()
	last := directories[len(directories)-1]
	for i := 1; i < len(directories); i++ {
		if directories[i] <= directories[i-1] {
			t.Errorf("directories at %v", directories)
		}
	}
	for i := len(files) - 1; i >= 0; i-- {
		for j, p := range files[i].table {
			if p.offset <= last {
				t.Fatalf("block %d of image %d lies at %d, not behind %d", j, i, p.offset, last)
			}
			last = p.offset
		}
	}
}

// The same elements give the same bytes, in whatever order they were written.
func TestOrderOfWritingLeavesNoTrace(t *testing.T) {
	dir := t.TempDir()
	values := ramp(600, 700)
	var files []string
	for i, step := range []int{600, 37} {
		path := filepath.Join(dir, fmt.Sprint(i))
		w, err := Create(path, Header{DType: element.Float32, Height: 600, Width: 700})
		if err != nil {
			t.Fatal(err)
		}
		for y := (600 - 1) / step * step; y >= 0; y -= step {
			r := Rect{y, min(y+step, 600), 0, 700}
			if err := w.WriteTile(words.Raw(values[r.Y0*700:r.Y1*700]), Layout{DType: element.Float32}, r); err != nil {
				t.Fatal(err)
			}
		}
		if err := w.Commit(false); err != nil {
			t.Fatal(err)
		}
		data, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		files = append(files, string(data))
	}
	if files[0] != files[1] {
		t.Error("the bytes differ")
	}
}
