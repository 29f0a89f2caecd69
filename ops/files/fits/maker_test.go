package fits

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"codeberg.org/astrogo/fitsio"

	"weft/kernels/region"
	"weft/ops/files/element"
	"weft/ops/files/fileio"
	"weft/ops/files/words"
)

// made is a file that the library writes: an empty first HDU, and those given.
func made(t testing.TB, hdus ...fitsio.HDU) []byte {
	t.Helper()
	var out bytes.Buffer
	f, err := fitsio.Create(&out)
	check := func(err error) {
		if err != nil {
			t.Fatal(err)
		}
	}
	check(err)
	primary, err := fitsio.NewPrimaryHDU(fitsio.NewHeader(nil, fitsio.IMAGE_HDU, 8, nil))
	check(err)
	check(f.Write(primary))
	for _, h := range hdus {
		check(f.Write(h))
	}
	check(f.Close())
	return out.Bytes()
}

// row is one of the table of the tests.
type row struct {
	flux  float32
	deep  float64
	count int16
	short int16 // with a null
	long  int64
	tiny  uint8
	good  bool
	name  string
	vec   [3]float32
	wave  complex128
}

func table(t testing.TB, rows int) (*fitsio.Table, []row) {
	t.Helper()
	columns := []fitsio.Column{
		{Name: "flux", Format: "E", Unit: "10**(-17) erg/(s cm2 Angstrom)", Bscale: 1}, {Name: "deep", Format: "D", Unit: "km/s", Bscale: 1},
		{Name: "count", Format: "I", Bscale: 1, Bzero: 32768}, {Name: "short", Format: "I", Bscale: 0.5, Bzero: 10, Null: "-99"}, {Name: "long", Format: "K", Bscale: 1},
		{Name: "tiny", Format: "B", Bscale: 1}, {Name: "good", Format: "L", Bscale: 1}, {Name: "name", Format: "8A", Bscale: 1},
		{Name: "vec", Format: "3E", Bscale: 1}, {Name: "wave", Format: "M", Bscale: 1},
	}
	tab, err := fitsio.NewTable("COADD", columns, fitsio.BINARY_TBL)
	if err != nil {
		t.Fatal(err)
	}
	tab.Header().Get("TNULL4").Value = -99 // the library gives it as a text
	var all []row
	for i := range rows {
		r := row{float32(i) * 1.5, float64(i) / 3, int16(i - 5), int16(i * 7), int64(i) << 40, uint8(i), i%3 == 0, fmt.Sprintf("star %d", i), [3]float32{float32(i), -1, 2}, complex(float64(i), 1)}
		if i == 2 {
			r.short = -99
		}
		if err := tab.Write(&r.flux, &r.deep, &r.count, &r.short, &r.long, &r.tiny, &r.good, &r.name, &r.vec, &r.wave); err != nil {
			t.Fatal(err)
		}
		all = append(all, r)
	}
	return tab, all
}

// opened is an array of a file of these bytes.
func opened(t testing.TB, content []byte, hdu, member string) (*array, error) {
	t.Helper()
	f := &file{path: "test.fits", source: bytes.NewReader(content), size: int64(len(content)), close: func() error { return nil }}
	h, err := f.choose(hdu)
	if err != nil {
		return nil, err
	}
	a, err := f.openArray(h, member)
	if err != nil {
		return nil, fileio.Wrap("test.fits", fileio.CannotRead, err)
	}
	return a, nil
}

// values reads a part of an array.
func values[T element.Go](t testing.TB, a *array, at region.Region) []T {
	t.Helper()
	out := make([]T, at.Points())
	if err := a.Read(words.Raw(out), element.Of[T](), 0, at); err != nil {
		t.Fatal(err)
	}
	return out
}

func whole[T element.Go](t testing.TB, a *array) []T {
	t.Helper()
	return values[T](t, a, region.Whole(a.shape...))
}

// fixture is a file that is beside the checkout.
func fixture(t *testing.T, name string) string {
	t.Helper()
	dir := os.Getenv("WEFT_FIXTURES")
	if dir == "" {
		dir = filepath.Join("..", "..", "..", "..", "shared", "data")
	}
	path := filepath.Join(dir, name)
	if _, err := os.Stat(path); err != nil {
		t.Skipf("no fixtures: set WEFT_FIXTURES (%v)", err)
	}
	return path
}
