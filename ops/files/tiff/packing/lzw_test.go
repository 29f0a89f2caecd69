package packing

import (
	"bytes"
	"io"
	"math/rand/v2"
	"strings"
	"testing"

	"golang.org/x/image/tiff/lzw"
)

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
	if got := new(packerLZW).pack(nil, plain); !bytes.Equal(got, packed) {
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
	var packer packerLZW
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
