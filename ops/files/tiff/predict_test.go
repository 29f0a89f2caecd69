package tiff

import (
	"bytes"
	"errors"
	"strings"
	"testing"

	"weft/ops/files/element"
	"weft/ops/files/words"
)

// wantError checks that err is an *Error that names the file and says what is wanted.
func wantError(t *testing.T, err error, want string) {
	t.Helper()
	var e *Error
	if !errors.As(err, &e) || !strings.HasSuffix(e.Path, ".tif") || !strings.Contains(e.Error(), want) {
		t.Errorf("got %v, want an error about the file with %q", err, want)
	}
}

// Bytes worked out by hand from TIFF 6.0 section 14 and technical note 3.
func TestPredictorsOnKnownBytes(t *testing.T) {
	for _, c := range []struct {
		name      string
		header    Header
		predicted []byte
		elements  []byte // little-endian
	}{
		{"uint8", Header{DType: element.Uint8, Predictor: Horizontal}, []byte{10, 255, 2, 250}, []byte{10, 9, 11, 5}},
		{"uint16", Header{DType: element.Uint16, Predictor: Horizontal}, []byte{0xff, 0, 1, 0, 0, 0xff}, []byte{0xff, 0, 0, 1, 0, 0}},
		{"uint16 big-endian", Header{DType: element.Uint16, Predictor: Horizontal, BigEndian: true}, []byte{0, 0xff, 0, 1, 0xff, 0}, []byte{0xff, 0, 0, 1, 0, 0}},
		{"int32", Header{DType: element.Int32, Predictor: Horizontal}, []byte{5, 0, 0, 0, 0xfa, 0xff, 0xff, 0xff}, []byte{5, 0, 0, 0, 0xff, 0xff, 0xff, 0xff}},
		// 1.0 is 3f 80 00 00, 2.5 is 40 20 00 00: planes 3f 40 | 80 20 | 00 00 | 00 00.
		{"float32", Header{DType: element.Float32, Predictor: FloatingPoint}, []byte{0x3f, 1, 0x40, 0xa0, 0xe0, 0, 0, 0}, []byte{0, 0, 0x80, 0x3f, 0, 0, 0x20, 0x40}},
		{"float32 big-endian", Header{DType: element.Float32, Predictor: FloatingPoint, BigEndian: true}, []byte{0x3f, 1, 0x40, 0xa0, 0xe0, 0, 0, 0}, []byte{0, 0, 0x80, 0x3f, 0, 0, 0x20, 0x40}},
		// -2.0 is c0 and zeros.
		{"float64", Header{DType: element.Float64, Predictor: FloatingPoint}, []byte{0xc0, 0x40, 0, 0, 0, 0, 0, 0}, []byte{0, 0, 0, 0, 0, 0, 0, 0xc0}},
	} {
		t.Run(c.name, func(t *testing.T) {
			size := c.header.DType.Size()
			native := bytes.Clone(c.elements)
			if words.HostBigEndian {
				words.Swap(native, size)
			}
			b := words.Bytes(2 * len(native)) // two equal rows
			copy(b[copy(b, c.predicted):], c.predicted)
			c.header.unpredict(b, len(native)/size)
			if want := append(bytes.Clone(native), native...); !bytes.Equal(b, want) {
				t.Errorf("unpredict gave % x, want % x", b, want)
			}
			c.header.predict(b, len(native)/size)
			if want := append(bytes.Clone(c.predicted), c.predicted...); !bytes.Equal(b, want) {
				t.Errorf("predict gave % x, want % x", b, want)
			}
		})
	}
}
