package tiff

import (
	"encoding/binary"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"weft/ops/files/element"
)

// needs skips a test where GDAL's programs are not installed: they are no part of what is tested.
func needs(t *testing.T, programs ...string) {
	t.Helper()
	for _, p := range programs {
		if _, err := exec.LookPath(p); err != nil {
			t.Skipf("%s is not installed (Debian: gdal-bin, libtiff-tools)", p)
		}
	}
}

func run(t *testing.T, name string, args ...string) string {
	t.Helper()
	cmd := exec.Command(name, args...)
	cmd.Env = append(os.Environ(), "GDAL_PAM_ENABLED=NO")
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("%s %v: %v\n%s", name, args, err, out)
	}
	return string(out)
}

// gdalTypes are GDAL's names of the types. Version 3.6 has no name for Int8.
var gdalTypes = map[element.DType]string{
	element.Uint8: "Byte", element.Uint16: "UInt16", element.Int16: "Int16", element.Uint32: "UInt32", element.Int32: "Int32", element.Float32: "Float32", element.Float64: "Float64",
}

// Files that we write, unpacked by libtiff into plain numbers.
func TestGDALReadsOurs(t *testing.T) {
	needs(t, "gdal_translate")
	dir := t.TempDir()
	path, plain := filepath.Join(dir, "a.tif"), filepath.Join(dir, "a.img")
	n := 0
	for s := range samples {
		if n++; n%41 != 0 || gdalTypes[s.dtype] == "" || !s.compression.Packs() { // a part of them: each runs a program
			continue
		}
		writeSample(t, path, s)
		run(t, "gdal_translate", "-q", "-of", "ENVI", path, plain)
		got, err := os.ReadFile(plain)
		if err != nil {
			t.Fatal(err)
		}
		if string(got) != string(s.want(s.dtype, s.header().Whole())) {
			t.Errorf("%+v: GDAL reads other elements", s)
		}
	}
}

func writeSample(t *testing.T, path string, s sample) {
	t.Helper()
	w, err := Create(path, s.header())
	if err != nil {
		t.Fatal(err)
	}
	if err := w.WriteTile(alignedCopy(s.want(s.dtype, w.Header().Whole())), Layout{DType: s.dtype}, w.Header().Whole()); err != nil {
		t.Fatal(err)
	}
	if err := w.Commit(false); err != nil {
		t.Fatal(err)
	}
}

func TestGDALUnderstandsOurGeoreference(t *testing.T) {
	needs(t, "gdalinfo", "tiffinfo")
	nodata := -9999.0
	place, err := NewGeo(Affine{500000, 2.5, 0, 5400000, 0, -2.5}, CRS{Model: Projected, EPSG: 25832, Unit: epsgUnits[metre]})
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(t.TempDir(), "a.tif")
	for _, big := range []bool{false, true} {
		h := Header{DType: element.Float32, Height: 300, Width: 280, Geo: place.Cropped(2, 4), Nodata: &nodata, Software: "weft 1", Description: "sky view", Scale: 0.5, Offset: 3, Big: big}
		if err := Save(path, h, make([]float32, 300*280)); err != nil {
			t.Fatal(err)
		}
		info := run(t, "gdalinfo", path)
		for _, want := range []string{
			"Size is 280, 300", "Origin = (500010.000000000000000,5399995.000000000000000)", "Pixel Size = (2.500000000000000,-2.500000000000000)",
			`ID["EPSG",25832]`, "NoData Value=-9999", "Block=256x256 Type=Float32", "COMPRESSION=DEFLATE", "TIFFTAG_SOFTWARE=weft 1",
			"TIFFTAG_IMAGEDESCRIPTION=sky view", "Offset: 3,   Scale:0.5",
		} {
			if !strings.Contains(info, want) {
				t.Errorf("gdalinfo does not say %q:\n%s", want, info)
			}
		}
		for _, bad := range []string{"ERROR", "Warning"} {
			if strings.Contains(info, bad) {
				t.Errorf("gdalinfo complains:\n%s", info)
			}
		}
		// tiffinfo does not know GDAL's and GeoTIFF's own fields, and warns of nothing else.
		for line := range strings.Lines(run(t, "tiffinfo", path)) {
			if strings.Contains(line, "rror") || strings.Contains(line, "Warning") && !strings.Contains(line, "Unknown field") {
				t.Errorf("tiffinfo complains: %s", line)
			}
		}
	}
}

// Files that GDAL writes in every way it can.
func TestWeReadGDALs(t *testing.T) {
	needs(t, "gdal_translate", "gdaladdo")
	dir := t.TempDir()
	source, path := filepath.Join(dir, "source.tif"), filepath.Join(dir, "a.tif")
	n := 0
	for _, d := range allDTypes() {
		if gdalTypes[d] == "" {
			continue
		}
		s := sample{d, 83, 71, binary.LittleEndian, false, false, 83, 0, None, NoPredictor}
		writeSample(t, source, s)
		for _, compression := range []string{"NONE", "DEFLATE", "LZW", "PACKBITS", "ZSTD"} {
			for predictor := 1; predictor <= 3; predictor++ {
				if predictor == 3 && !d.Float() || predictor > 1 && (compression == "NONE" || compression == "PACKBITS") {
					continue
				}
				// libtiff 4.5 misreads the big-endian files that it writes itself with predictor 3.
				order := []string{"BIG", "LITTLE", "BIG"}[n%3]
				if predictor == 3 {
					order = "LITTLE"
				}
				options := []string{
					"COMPRESS=" + compression, fmt.Sprint("PREDICTOR=", predictor),
					[]string{"TILED=YES", "BLOCKYSIZE=7"}[n%2], []string{"BLOCKXSIZE=32", "BIGTIFF=YES"}[n/2%2],
					"ENDIANNESS=" + order,
				}
				if n%2 == 0 {
					options = append(options, "BLOCKYSIZE=48")
				}
				n++
				args := []string{"-q", "-a_srs", "EPSG:3857", "-a_ullr", "100", "830", "810", "0", "-a_nodata", "77"}
				for _, o := range options {
					args = append(args, "-co", o)
				}
				run(t, "gdal_translate", append(args, source, path)...)
				if n%4 == 0 {
					run(t, "gdaladdo", "-q", path, "2", "4")
				}
				f, err := Open(path)
				if err != nil {
					t.Fatalf("%v %v: %v", d, options, err)
				}
				h := f.Header()
				if h.DType != d || h.Geo.CRS.EPSG != 3857 || h.Geo.Affine != (Affine{100, 10, 0, 830, 0, -10}) || *h.Nodata != 77 || len(h.Geo.Problems()) != 0 ||
					n%4 == 0 && h.Ignored != (Ignored{Overviews: 2}) {
					t.Errorf("%v %v: header %+v, problems %v", d, options, h, h.Geo.Problems())
				}
				checkTile(t, f, s, h.Whole(), Layout{DType: d})
				if err := f.Close(); err != nil {
					t.Error(err)
				}
			}
		}
	}
}

// What GDAL writes for pictures is refused by its name.
func TestGDALsPicturesAreRefused(t *testing.T) {
	needs(t, "gdal_translate")
	dir := t.TempDir()
	source, path := filepath.Join(dir, "source.tif"), filepath.Join(dir, "a.tif")
	writeSample(t, source, sample{element.Uint8, 20, 20, binary.LittleEndian, false, false, 20, 0, None, NoPredictor})
	for want, args := range map[string][]string{
		"holds an RGB picture of 3 bands":   {"-b", "1", "-b", "1", "-b", "1", "-colorinterp", "red,green,blue"},
		"holds 2 bands":                     {"-b", "1", "-b", "1"},
		"holds complex numbers of 64 bits":  {"-ot", "CFloat32"},
		"holds unsigned integers of 4 bits": {"-scale", "0", "255", "0", "15", "-co", "NBITS=4"},
		"is compressed with LERC":           {"-co", "COMPRESS=LERC"},
	} {
		run(t, "gdal_translate", append(append([]string{"-q"}, args...), source, path)...)
		_, err := Stat(path)
		wantError(t, err, want)
	}
}
