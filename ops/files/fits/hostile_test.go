package fits

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"codeberg.org/astrogo/fitsio"

	"weft/kernels/region"
	"weft/ops/files/words"
)

// with is a file with the value of a keyword replaced, where it stands first behind a place.
func with(content []byte, key, value string) []byte {
	out := bytes.Clone(content)
	at := bytes.LastIndex(out, []byte(fmt.Sprintf("%-8s=", key)))
	if at < 0 {
		panic(key)
	}
	copy(out[at+10:at+line], fmt.Sprintf("%-70s", value))
	return out
}

func TestHostileFiles(t *testing.T) {
	tab, _ := table(t, 40)
	good := made(t, tab)
	img := fitsio.NewImage(16, []int{4, 3})
	if err := img.Write(make([]int16, 12)); err != nil {
		t.Fatal(err)
	}
	picture := made(t, img)
	for name, c := range map[string]struct {
		content     []byte
		hdu, member string
		want        string
	}{
		"empty":            {nil, "", "flux", "holds no data"},
		"text":             {[]byte("once upon a time"), "", "flux", "is not a FITS file"},
		"half a header":    {good[:1000], "", "flux", "ends within the header of HDU 0"},
		"cut":              {good[:len(good)-2880], "", "flux", "ends within HDU 1 (COADD), which has 2480 bytes of data: 0 are there"},
		"endless header":   {append(good[:2880:2880], bytes.Repeat([]byte("XTENSION"+strings.Repeat(" ", 72)), mostHeader/line+72)...), "", "flux", "without an end"},
		"wrong HDU":        {good, "COAD", "flux", "holds no HDU COAD"},
		"wrong number":     {good, "7", "flux", "it holds 0, COADD, which have the numbers 0 to 1"},
		"wrong column":     {good, "", "flix", "holds no column flix in HDU 1 (COADD)"},
		"text column":      {good, "", "name", "holds texts; only numbers are read in column name"},
		"no data":          {good, "0", "", "holds no data in HDU 0"},
		"column of image":  {picture, "1", "flux", "holds no columns in HDU 1"},
		"many rows":        {with(good, "NAXIS2", "4611686018427387904"), "", "flux", "larger than any file"},
		"more rows":        {with(good, "NAXIS2", "4000000000"), "", "flux", "ends within HDU 1"},
		"negative rows":    {with(good, "NAXIS2", "-4"), "", "flux", "NAXIS2 is -4"},
		"rows in text":     {with(good, "NAXIS2", "'forty'"), "", "flux", "is forty, which is no whole number"},
		"narrow rows":      {with(good, "NAXIS1", "20"), "", "flux", "lies behind the end of the rows"},
		"wide rows":        {with(with(good, "NAXIS1", "70"), "NAXIS2", "1"), "", "flux", "the columns of HDU 1 (COADD) take 62 bytes, and its rows are 70"},
		"many axes":        {with(good, "NAXIS", "998"), "", "flux", "NAXIS3 is -1"},
		"too many axes":    {with(good, "NAXIS", "100000"), "", "flux", "NAXIS is 100000"},
		"many columns":     {with(good, "TFIELDS", "998"), "", "flux", `TFORM11 of column col11 is ""`},
		"too many columns": {with(good, "TFIELDS", "123456"), "", "flux", "999 are the most"},
		"odd form":         {with(good, "TFORM9", "'99999999999999999E'"), "", "flux", "TFORM9"},
		"lengths":          {with(good, "TFORM10", "'2PE(3)'"), "", "wave", "holds arrays of different lengths"},
		"huge form":        {with(good, "TFORM9", "'999999999999999M'"), "", "flux", "behind the end of the rows"},
		"no scale":         {with(good, "TSCAL1", "0"), "", "flux", "TSCAL1 and TZERO1 are 0 and 0"},
		"scale in text":    {with(good, "TSCAL1", "'one'"), "", "flux", "TSCAL1 is one, which is no number"},
		"half a card":      {with(good, "TTYPE3", "'abc"), "", "flux", "damaged FITS header"},
		"several groups":   {with(good, "GCOUNT", "3"), "", "flux", "GCOUNT is 3"},
		"wrong BITPIX":     {with(picture, "BITPIX", "24"), "1", "", "BITPIX is 24"},
		"huge BITPIX":      {with(picture, "BITPIX", "4611686018427387904"), "1", "", "BITPIX"},
		"huge axes":        {with(with(picture, "NAXIS1", "4294967296"), "NAXIS2", "4294967296"), "1", "", "larger than any file"},
		"another kind":     {bytes.Replace(picture, []byte("'IMAGE   '"), []byte("'DUMP    '"), 1), "1", "", "holds no image and no binary table"},
	} {
		t.Run(name, func(t *testing.T) {
			a, err := opened(t, c.content, c.hdu, c.member)
			if err == nil {
				t.Fatalf("accepted as %v %v", a.dtype, a.shape)
			}
			if !strings.Contains(err.Error(), c.want) {
				t.Errorf("%q does not say %q", err, c.want)
			}
		})
	}
}

// FuzzRead feeds arbitrary bytes as FITS. Whatever is accepted can be read, gives the same by rows as at once, and is no larger than the input.
func FuzzRead(f *testing.F) {
	tab, _ := table(f, 3)
	f.Add(made(f, tab))
	img := fitsio.NewImage(16, []int{4, 3})
	if err := img.Write(make([]int16, 12)); err != nil {
		f.Fatal(err)
	}
	f.Add(made(f, img, tab))
	f.Add(with(made(f, tab), "TFORM9", "'1PE(3)'"))
	f.Add(made(f, tab)[:6000])
	f.Fuzz(func(t *testing.T, content []byte) { tryAll(t, content) })
}

// TestDamagedAtRandom does so for files that are right but for some bytes, most of them of headers.
func TestDamagedAtRandom(t *testing.T) {
	tab, _ := table(t, 3)
	img := fitsio.NewImage(16, []int{4, 3})
	if err := img.Write(make([]int16, 12)); err != nil {
		t.Fatal(err)
	}
	whole := made(t, img, tab)
	r := rand.New(rand.NewPCG(1, 2))
	accepted := 0
	for range 1500 {
		content := bytes.Clone(whole)
		for range 1 + r.IntN(8) {
			if r.IntN(3) == 0 {
				content[r.IntN(len(content))] = byte(r.IntN(256))
				continue
			}
			const signs = "0123456789 '-+.EDTFLXBIJKAPQ()/"
			content[r.IntN(len(content)/line)*line+10+r.IntN(20)] = signs[r.IntN(len(signs))]
		}
		if r.IntN(10) == 0 {
			content = content[:r.IntN(len(content))]
		}
		accepted += tryAll(t, content)
	}
	if accepted < 1000 {
		t.Errorf("only %d arrays were accepted", accepted)
	}
}

// tryAll reads what is accepted of a file, and counts it.
func tryAll(t *testing.T, content []byte) (accepted int) {
	in := &file{path: "input", source: bytes.NewReader(content), size: int64(len(content))}
	for h, err := range in.hdus() {
		if err != nil || h.size > in.size-h.start {
			break
		}
		members := []string{""}
		if h.kind == "BINTABLE" {
			columns, err := h.columns()
			if err != nil {
				continue
			}
			members = members[:0]
			for _, c := range columns {
				members = append(members, c.name)
			}
		}
		for _, m := range members {
			if a, err := in.openArray(h, m); err == nil {
				readable(t, a, len(content))
				accepted++
			}
		}
	}
	return accepted
}

func readable(t *testing.T, a *array, most int) {
	all := region.Whole(a.shape...)
	n := int(all.Points()) * a.dtype.Size()
	if n > most {
		t.Fatalf("an array of %d bytes was accepted", n)
	}
	one := words.Bytes(n)
	if err := a.Read(one, a.dtype, 0, all); err != nil {
		t.Fatalf("accepted, but not readable: %v", err)
	}
	if a.shape[0] == 0 || a.shape[0] > 100 {
		return
	}
	var rows []byte
	for i := range a.shape[0] {
		at := all.Along(0, region.Interval{Lo: i, Hi: i + 1})
		part := words.Bytes(int(at.Points()) * a.dtype.Size())
		if err := a.Read(part, a.dtype, 0, at); err != nil {
			t.Fatal(err)
		}
		rows = append(rows, part...)
	}
	if !bytes.Equal(rows, one) {
		t.Fatal("rows differ from the whole")
	}
}
