package tiff

import (
	"bytes"
	"encoding/binary"
	"math"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"weft/ops/files/element"
	"weft/ops/files/tiff/packing"
	"weft/ops/files/words"
)

// wantFileError opens the bytes as a file.
func wantFileError(t *testing.T, file []byte, want string) {
	t.Helper()
	_, err := New("test.tif", bytes.NewReader(file), int64(len(file)))
	wantError(t, err, want)
}

// change is a sample with a field put in place of its own.
func change(s sample, tag, kind uint16, values ...uint64) []byte {
	m, blocks := s.maker()
	m.remove(tag)
	m.add(tag, kind, values...)
	offsets, counts := s.tags()
	return m.file(offsets, counts, blocks...)
}

// places is a sample with other places of its blocks. count and kind are those of the fields for them.
func places(s sample, offset, bytes uint64) []byte {
	m, blocks := s.maker()
	offsets, counts := s.tags()
	m.add(offsets, 16, offset)
	m.add(counts, 16, bytes)
	start := uint64(len(m.head(0)))
	return append(append(m.head(start), m.directory(start, 0)...), blocks[0]...)
}

func TestWhatIsNotReadIsNamed(t *testing.T) {
	s := sample{element.Uint16, 4, 5, binary.LittleEndian, false, false, 4, 0, None, NoPredictor}
	for name, c := range map[string]struct {
		file []byte
		want string
	}{
		"bands":           {change(s, 277, 3, 2), "BitsPerSample (tag 258) has 1 values, 2 expected"},
		"palette":         {change(s, 262, 3, 3), "holds a picture with a colour table (palette)"},
		"mask":            {change(s, 262, 3, 4), "holds a mask"},
		"CFA":             {change(s, 262, 3, 32803), "PhotometricInterpretation (tag 262) 32803"},
		"complex":         {change(s, 339, 3, 6), "holds complex numbers of 16 bits"},
		"complex ints":    {change(s, 339, 3, 5), "holds complex integers of 16 bits"},
		"untyped":         {change(s, 339, 3, 4), "holds untyped data of 16 bits"},
		"format":          {change(s, 339, 3, 77), "sample format 77"},
		"bits":            {change(s, 258, 3, 1), "holds unsigned integers of 1 bits"},
		"JPEG":            {change(s, 259, 3, 7), "is compressed with JPEG (7)"},
		"LERC":            {change(s, 259, 3, 34887), "is compressed with LERC (34887); read are none, deflate, LZW, PackBits and Zstandard\nhelp: write it again"},
		"unknown":         {change(s, 259, 3, 9999), "is compressed with an unknown method (9999)"},
		"fill order":      {change(s, 266, 3, 2), "FillOrder"},
		"orientation":     {change(s, 274, 3, 4), "does not begin at its top left corner"},
		"predictor":       {change(sample{element.Uint16, 4, 5, binary.LittleEndian, false, false, 4, 0, Deflate, NoPredictor}, 317, 3, 9), "predictor 9"},
		"float predictor": {change(sample{element.Uint16, 4, 5, binary.LittleEndian, false, false, 4, 0, Deflate, NoPredictor}, 317, 3, 3), "floating-point predictor (3) for uint16"},
		"nodata":          {placed(binary.LittleEndian, func(m *maker) { m.text(42113, "none") }), `nodata value that is no number: "none"`},
		"only overview":   {placed(binary.LittleEndian, func(m *maker) { m.add(254, 4, 1) }), "no image of full resolution"},
	} {
		t.Run(name, func(t *testing.T) { wantFileError(t, c.file, c.want) })
	}
}

func TestForeignFiles(t *testing.T) {
	for start, want := range map[string]string{
		"":                                "is empty",
		"II":                              "ends within the TIFF header",
		"II*\x00\x08":                     "ends within the TIFF header",
		"II+\x00\x08\x00\x00\x00":         "ends within the BigTIFF header",
		"MM\x00\x07aaaaaaaaaaaa":          "version 7",
		"MM\x00+\x00\x04\x00\x00aaaaaaaa": "offsets of 4 bytes",
		"\x93NUMPY\x01\x00":               "is an NPY file",
		"\x89PNG\r\n\x1a\n":               "is a PNG picture",
		"ncols 5":                         "is an Esri ASCII grid",
		"hello":                           "is not a TIFF file",
	} {
		wantFileError(t, []byte(start), want)
	}
	dir := t.TempDir()
	_, err := Open(filepath.Join(dir, "no.tif"))
	wantError(t, err, "help: check the spelling")
	folder := filepath.Join(dir, "folder.tif")
	if err := os.Mkdir(folder, 0o700); err != nil {
		t.Fatal(err)
	}
	_, err = Stat(folder)
	wantError(t, err, "is a folder")
}

func TestHostileFiles(t *testing.T) {
	plain := sample{element.Uint16, 4, 5, binary.LittleEndian, false, false, 4, 0, None, NoPredictor}
	packed := sample{element.Float32, 40, 50, binary.BigEndian, true, true, 48, 64, Deflate, NoPredictor}
	const huge = math.MaxUint64 - 3
	for name, c := range map[string]struct {
		file []byte
		want string
	}{
		"no directory":           {[]byte("II*\x00\x00\x00\x00\x00"), "no image of full resolution"},
		"directory beyond":       {[]byte("II*\x00\xff\xff\xff\x7f"), "a directory would take 2 bytes at 2147483647, the file has 8"},
		"directory far beyond":   {[]byte("II+\x00\x08\x00\x00\x00\xff\xff\xff\xff\xff\xff\xff\xff"), "would take 8 bytes at 18446744073709551615"},
		"no fields":              {[]byte("II*\x00\x08\x00\x00\x00\x00\x00\x00\x00\x00\x00"), "claims 0 fields"},
		"many fields":            {[]byte("MM\x00*\x00\x00\x00\x08\xff\xff"), "claims 65535 fields"},
		"missing fields":         {[]byte("MM\x00*\x00\x00\x00\x08\x00\x09"), "a directory would take 112 bytes at 10, the file has 10"},
		"no height":              {change(plain, 257, 3, 0), "0 x 5 elements"},
		"no width":               {change(plain, 256, 3, 0), "4 x 0 elements"},
		"huge height":            {change(plain, 257, 4, math.MaxUint32), "claims a raster of 4294967295 x 5"},
		"huge width":             {change(packed, 256, 16, huge), "has the value 18446744073709551612"},
		"huge raster":            {change(change2(plain, 256, math.MaxInt32), 257, 4, math.MaxInt32), "more bytes than can be addressed"},
		"text as width":          {change(plain, 256, 2, 'a'), "has the type 2, an unsigned integer expected"},
		"unknown type":           {change(plain, 256, 99, 1), "has the unknown type 99"},
		"no strips":              {change(plain, 278, 3, 0), "its blocks are 0 x 5"},
		"no tiles":               {change(packed, 322, 3, 0), "its blocks are 48 x 0"},
		"huge tiles":             {change(packed, 323, 16, 1<<40), "claims blocks of 1099511627776 x 64"},
		"large tiles":            {change(packed, 323, 4, 1<<30), "at most 1073741824 bytes are unpacked at once"},
		"too few blocks":         {change(plain, 278, 3, 1), "StripOffsets (tag 273) has 1 values, 4 expected"},
		"offset beyond":          {places(plain, 5000, 40), "strip 0 would take 40 bytes at 5000"},
		"offset far beyond":      {places(plain, huge, 40), "has the value 18446744073709551612"},
		"offset and count wrap":  {places(plain, 8, math.MaxInt64), "strip 0 would take 9223372036854775807 bytes at 8"},
		"few bytes":              {places(plain, 8, 39), "strip 0 has 39 bytes, 40 expected"},
		"bomb":                   {bomb(1 << 29), "which cannot unpack to 536870912"},
		"no offsets":             {placedWithout(273), "lacks StripOffsets"},
		"no counts":              {withoutCounts(), "lacks StripByteCounts"},
		"cycle of one":           {cycle(1), "form a cycle at"},
		"cycle of three":         {cycle(3), "form a cycle at"},
		"many directories":       {cycle(maxDirectories + 1), "more than 4096 directories"},
		"metadata beyond":        {beyond(42112, 2, 1<<20), "GDAL_METADATA (tag 42112) would take 1048576 bytes"},
		"metadata far too large": {beyond(42112, 2, 1<<31), "at most 16777216 are read"},
		"keys beyond":            {beyond(34735, 3, 1<<20), "GeoKeyDirectory (tag 34735) would take 2097152 bytes"},
	} {
		t.Run(name, func(t *testing.T) { wantFileError(t, c.file, c.want) })
	}
}

// change2 is a sample that is as wide as it is told.
func change2(s sample, _ uint16, width int) sample {
	s.width, s.height, s.blockH = width, 0, 1
	return s
}

// bomb is a small file whose one block claims to unpack to many bytes.
func bomb(bytes int) []byte {
	m, _ := sample{element.Uint8, 1, 1, binary.LittleEndian, false, true, 16, 16, Deflate, NoPredictor}.maker()
	m.remove(322)
	m.remove(323)
	m.add(322, 4, uint64(bytes/1024))
	m.add(323, 4, 1024)
	return m.file(324, 325, compressed(Deflate, make([]byte, 100000)))
}

// placedWithout is a file with no field for the places of its blocks but their sizes.
func placedWithout(uint16) []byte {
	m, _ := sample{element.Uint8, 1, 1, binary.LittleEndian, false, false, 1, 0, None, NoPredictor}.maker()
	m.add(279, 4, 1)
	return append(m.head(8), m.directory(8, 0)...)
}

func withoutCounts() []byte {
	m, _ := sample{element.Uint8, 1, 1, binary.LittleEndian, false, false, 1, 0, Deflate, NoPredictor}.maker()
	m.add(273, 4, 8)
	return append(m.head(8), m.directory(8, 0)...)
}

// cycle is a file with n directories, the last of which leads to the first.
func cycle(n int) []byte {
	m, _ := sample{element.Uint8, 1, 1, binary.LittleEndian, false, false, 1, 0, None, NoPredictor}.maker()
	m.add(273, 4, 8)
	m.add(279, 4, 1)
	size := uint64(len(m.directory(8, 0)))
	file := m.head(8)
	for i := range n {
		at := uint64(len(file))
		next := at + size
		if i == n-1 {
			next = 8
		}
		file = append(file, m.directory(at, next)...)
	}
	return file
}

// beyond is a file with a field whose values would be behind its end.
func beyond(tag, kind uint16, count uint64) []byte {
	return placed(binary.LittleEndian, func(m *maker) {
		m.fields = append(m.fields, made{tag, kind, count, m.num(4, 1<<20)})
	})
}

// Files that open but whose blocks are damaged: reading names the file, again and again.
func TestDamagedBlocks(t *testing.T) {
	for _, c := range []Compression{Deflate, LZW, packing.PackBits, packing.Zstandard} {
		s := sample{element.Float32, 16, 16, binary.LittleEndian, false, true, 16, 16, c, NoPredictor}
		m, blocks := s.maker()
		good := blocks[0]
		for name, block := range map[string][]byte{
			"cut off": good[:len(good)/2],
			"garbage": bytes.Repeat([]byte{0xa5}, 200),
			"short":   compressed(c, make([]byte, 1000)),
			"one":     {0x80},
			"long":    compressed(c, make([]byte, 1025)),
			"longer":  compressed(c, make([]byte, 4096)),
		} {
			f := open(t, (&maker{order: m.order, fields: m.fields}).file(324, 325, block))
			for range 2 {
				err := f.Read(words.Bytes(1024), Layout{DType: element.Float32})
				wantError(t, err, "is damaged: the block of rows 0 to 16, columns 0 to 16 at")
				if err != nil && name == "short" && !strings.Contains(err.Error(), "its bytes unpack to 1000, 1024 expected") {
					t.Errorf("%v %s: %v", c, name, err)
				}
				if err != nil && strings.HasPrefix(name, "long") && !strings.Contains(err.Error(), "its bytes unpack to more than the 1024 expected") {
					t.Errorf("%v %s: %v", c, name, err)
				}
			}
		}
	}
	s := sample{element.Uint8, 16, 16, binary.LittleEndian, false, true, 16, 16, Deflate, NoPredictor}
	m, blocks := s.maker()
	blocks[0][len(blocks[0])-1] ^= 1
	wantError(t, open(t, m.file(324, 325, blocks...)).Read(words.Bytes(256), Layout{DType: element.Uint8}), "checksum")
	m, _ = sample{element.Uint8, 16, 16, binary.LittleEndian, false, true, 16, 16, LZW, NoPredictor}.maker()
	old := open(t, m.file(324, 325, append([]byte{0, 1}, make([]byte, 100)...)))
	wantError(t, old.Read(words.Bytes(256), Layout{DType: element.Uint8}), "LZW of TIFF before 5.0")
}

// Some writers fill up the last strip to the height of the others; no further.
func TestPaddedStrips(t *testing.T) {
	for _, c := range []Compression{Deflate, LZW, packing.PackBits, packing.Zstandard} {
		for rows, want := range map[int]string{4: "", 16: "", 17: "unpack to more"} {
			if rows == 17 && (c == LZW || c == packing.PackBits) {
				continue // what is behind the block is not unpacked
			}
			m, blocks := sample{element.Uint8, 20, 16, binary.LittleEndian, false, false, 16, 16, c, NoPredictor}.maker()
			blocks[1] = compressed(c, bytes.Repeat([]byte{7}, rows*16))
			got := words.Bytes(20 * 16)
			err := open(t, m.file(273, 279, blocks...)).Read(got, Layout{DType: element.Uint8})
			if want != "" {
				wantError(t, err, want)
			} else if err != nil || got[20*16-1] != 7 {
				t.Errorf("%v, %d rows: %v", c, rows, err)
			}
		}
	}
}

// A file that shrinks after it was opened.
func TestShortenedFile(t *testing.T) {
	for _, c := range []Compression{None, Deflate, LZW, packing.PackBits, packing.Zstandard} {
		s := sample{element.Float32, 160, 160, binary.LittleEndian, false, true, 160, 160, c, NoPredictor}
		path := filepath.Join(t.TempDir(), "a.tif")
		file := s.file()
		if err := os.WriteFile(path, file, 0o600); err != nil {
			t.Fatal(err)
		}
		f, err := Open(path)
		if err != nil {
			t.Fatal(err)
		}
		if err := os.Truncate(path, int64(len(file)-300)); err != nil {
			t.Fatal(err)
		}
		err = f.Read(words.Bytes(160*160*4), Layout{DType: element.Float32})
		wantError(t, err, "a.tif")
		if err := f.Close(); err != nil {
			t.Error(err)
		}
	}
}

// Opening takes memory for what the file has, not for what it claims.
func TestClaimsTakeNoMemory(t *testing.T) {
	sparse := placedSparse()
	files := [][]byte{sparse, bomb(1 << 29), beyond(42112, 2, 16<<20), places(sample{element.Uint16, 4, 5, binary.LittleEndian, false, false, 4, 0, None, NoPredictor}, 8, 1<<40)}
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	for _, file := range files {
		f, err := New("test.tif", bytes.NewReader(file), int64(len(file)))
		if err == nil && f.header.Bytes() < 1<<50 {
			t.Errorf("%+v was taken", f.header)
		}
	}
	runtime.ReadMemStats(&after)
	if n := after.TotalAlloc - before.TotalAlloc; n > 4<<20 {
		t.Errorf("%d bytes were allocated", n)
	}
	f := open(t, sparse)
	one := make([]float32, 4)
	if err := f.ReadTile(words.Raw(one), Layout{DType: element.Float32}, Rect{1 << 20, 1<<20 + 2, 7, 9}); err != nil || one[3] != 0 {
		t.Errorf("got %v (%v)", one, err)
	}
	path := filepath.Join(t.TempDir(), "a.tif")
	if err := os.WriteFile(path, sparse, 0o600); err != nil {
		t.Fatal(err)
	}
	_, _, err := Load[float32](path)
	wantError(t, err, "bytes are not in the file\nhelp: read the part that is there by tiles")
}

// placedSparse is a file of 400 bytes that holds nothing of a raster of 2^58 bytes.
func placedSparse() []byte {
	m, _ := sample{element.Float32, 0, 1 << 28, binary.LittleEndian, false, false, 1 << 28, 0, None, NoPredictor}.maker()
	m.remove(257)
	m.add(257, 4, 1<<28)
	m.add(273, 4, 0)
	m.add(279, 4, 0)
	return append(m.head(8), m.directory(8, 0)...)
}
