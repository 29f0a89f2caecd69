package tiff

import (
	"bytes"
	"errors"
	"io"
	"math/rand/v2"
	"strings"
	"testing"

	"golang.org/x/image/tiff/lzw"

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

// The example of TIFF 6.0 section 13: bytes 7 7 7 8 8 7 7 6 6 give the codes 256 7 258 8 8 258 6 6 257.
func TestLZWOnKnownBytes(t *testing.T) {
	plain := []byte{7, 7, 7, 8, 8, 7, 7, 6, 6}
	codes := []int{256, 7, 258, 8, 8, 258, 6, 6, 257}
	var bits strings.Builder
	for _, c := range codes {
		for k := 8; k >= 0; k-- {
			bits.WriteByte('0' + byte(c>>k&1))
		}
	}
	bits.WriteString(strings.Repeat("0", 7))
	var packed []byte
	for i := 0; i+8 <= bits.Len(); i += 8 {
		var b byte
		for _, c := range bits.String()[i : i+8] {
			b = b<<1 | byte(c-'0')
		}
		packed = append(packed, b)
	}
	if got := new(lzwPacker).pack(nil, plain); !bytes.Equal(got, packed) {
		t.Errorf("packed % x, want % x", got, packed)
	}
	got := make([]byte, len(plain))
	if err := unpackLZW(got, packed, false); err != nil || !bytes.Equal(got, plain) {
		t.Errorf("unpacked % x (%v), want % x", got, err, plain)
	}
}

// Data of several textures, past every change of width and past full tables, against another decoder.
func TestLZWAgainstAnotherDecoder(t *testing.T) {
	rng := rand.New(rand.NewPCG(5, 6))
	var packer lzwPacker
	for _, n := range []int{0, 1, 2, 255, 256, 3837, 3838, 3839, 3840, 5000, 100000} {
		for _, values := range []int{1, 2, 5, 256} {
			plain := make([]byte, n)
			for i := range plain {
				plain[i] = byte(rng.IntN(values))
			}
			packed := packer.pack(nil, plain)
			other, err := io.ReadAll(lzw.NewReader(bytes.NewReader(packed), lzw.MSB, 8))
			if err != nil || !bytes.Equal(other, plain) {
				t.Fatalf("%d bytes of %d values: the other decoder gives %d bytes (%v)", n, values, len(other), err)
			}
			got := make([]byte, n)
			if err := unpackLZW(got, packed, false); err != nil || !bytes.Equal(got, plain) {
				t.Fatalf("%d bytes of %d values: wrong bytes (%v)", n, values, err)
			}
			if n > 0 {
				if err := unpackLZW(make([]byte, n+1), packed, false); err == nil {
					t.Errorf("%d bytes of %d values: one byte more was found", n, values)
				}
			}
		}
	}
}
