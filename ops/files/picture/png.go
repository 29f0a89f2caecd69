package picture

import (
	"bytes"
	"encoding/binary"
	"hash/crc32"
	"image"
	"io"

	"github.com/klauspost/compress/zlib"
)

// What is subtracted from the bytes of a row of a PNG, by the number that stands before it.
const (
	nothing = iota
	byLeft
	byAbove
	byMean
	byPlane
	allFilters
)

const (
	pixelBytes = 3
	looked     = 8 // one pixel of so many is looked at to choose a filter
)

// encodePNG writes an image of which nothing shines through.
func encodePNG(w io.Writer, m *image.RGBA) error {
	size := m.Rect.Size()
	data := &chunk{kind: "IDAT"}
	z, err := zlib.NewWriterLevel(data, zlib.BestSpeed)
	if err != nil {
		return err
	}
	// Rows begin with a pixel that is black, to the left of the first.
	row, above := make([]byte, pixelBytes*(size.X+1)), make([]byte, pixelBytes*(size.X+1))
	out := make([]byte, 1+pixelBytes*size.X)
	for y := range size.Y {
		to := row[pixelBytes:]
		for from := m.Pix[m.PixOffset(m.Rect.Min.X, m.Rect.Min.Y+y):]; len(to) > 0; from, to = from[4:], to[pixelBytes:] {
			to[0], to[1], to[2] = from[0], from[1], from[2]
		}
		out[0] = filterFor(row, above)
		filter(out[0], out[1:], row, above)
		if _, err := z.Write(out); err != nil {
			return err
		}
		row, above = above, row
	}
	if err := z.Close(); err != nil {
		return err
	}
	head := binary.BigEndian.AppendUint32(nil, uint32(size.X))
	head = binary.BigEndian.AppendUint32(head, uint32(size.Y))
	head = append(head, 8, 2, 0, 0, 0) // bytes of red, green and blue, and nothing that is to be chosen
	file := []byte("\x89PNG\r\n\x1a\n")
	for _, c := range []*chunk{{"IHDR", head}, data, {"IEND", nil}} {
		file = c.appended(file)
	}
	_, err = w.Write(file)
	return err
}

// chunk is a part of a PNG.
type chunk struct {
	kind string
	data []byte
}

func (c *chunk) Write(p []byte) (int, error) {
	c.data = append(c.data, p...)
	return len(p), nil
}

func (c *chunk) appended(to []byte) []byte {
	to = binary.BigEndian.AppendUint32(to, uint32(len(c.data)))
	summed := len(to)
	to = append(append(to, c.kind...), c.data...)
	return binary.BigEndian.AppendUint32(to, crc32.ChecksumIEEE(to[summed:]))
}

// filterFor is the filter that leaves the least of some pixels of a row: trying all on every one takes longer than compressing what they leave.
func filterFor(row, above []byte) (best byte) {
	if bytes.Equal(row, above) {
		return byAbove
	}
	var sums [allFilters]int
	for i := 0; i+2*pixelBytes <= len(row); i += looked * pixelBytes {
		for j := i; j < i+pixelBytes; j++ {
			here, left, up, corner := row[j+pixelBytes], row[j], above[j+pixelBytes], above[j]
			sums[nothing] += far(here)
			sums[byLeft] += far(here - left)
			sums[byAbove] += far(here - up)
			sums[byMean] += far(here - mean(left, up))
			sums[byPlane] += far(here - inPlane(left, up, corner))
		}
	}
	for k, sum := range sums {
		if sum < sums[best] {
			best = byte(k)
		}
	}
	return best
}

func far(v byte) int { return int(min(v, -v)) }

// filter makes what a filter leaves of a row.
func filter(k byte, out, row, above []byte) {
	here, left, up, corner := row[pixelBytes:][:len(out)], row[:len(out)], above[pixelBytes:][:len(out)], above[:len(out)]
	switch k {
	case nothing:
		copy(out, here)
	case byLeft:
		for i := range out {
			out[i] = here[i] - left[i]
		}
	case byAbove:
		for i := range out {
			out[i] = here[i] - up[i]
		}
	case byMean:
		for i := range out {
			out[i] = here[i] - mean(left[i], up[i])
		}
	case byPlane:
		for i := range out {
			out[i] = here[i] - inPlane(left[i], up[i], corner[i])
		}
	}
}

func mean(a, b byte) byte { return byte((int(a) + int(b)) / 2) }

// inPlane is the one of three bytes that is nearest to what they would have beside them in a plane.
func inPlane(left, up, corner byte) byte {
	along, down := int(up)-int(corner), int(left)-int(corner)
	toLeft, toUp, toCorner := max(along, -along), max(down, -down), max(along+down, -along-down)
	switch {
	case toLeft <= toUp && toLeft <= toCorner:
		return left
	case toUp <= toCorner:
		return up
	}
	return corner
}
