package files

import (
	"encoding/binary"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"weft/kernels/ir"
	"weft/ops"
)

// fitsOf writes a file of these parts: cards one after the other, and big-endian numbers.
func fitsOf(t *testing.T, parts ...any) string {
	t.Helper()
	var all []byte
	for _, p := range parts {
		fill := byte(0)
		if cards, head := p.([]string); head {
			fill = ' '
			for _, c := range append(cards, "END") {
				all = append(all, c+strings.Repeat(" ", 80-len(c))...)
			}
		} else {
			var err error
			if all, err = binary.Append(all, binary.BigEndian, p); err != nil {
				t.Fatal(err)
			}
		}
		for len(all)%2880 != 0 {
			all = append(all, fill)
		}
	}
	path := filepath.Join(t.TempDir(), "a.fits")
	if err := os.WriteFile(path, all, 0o644); err != nil {
		t.Fatal(err)
	}
	return path
}

func imageOf(t *testing.T, bitpix string, data any, cards ...string) string {
	return fitsOf(t, append([]string{"SIMPLE  = T", "BITPIX  = " + bitpix, "NAXIS   = 1", "NAXIS1  = 3"}, cards...), data)
}

// Whole numbers keep their digits where some are missing or all are scaled, and marks that no element can have mark none.
func TestWholeNumbersOfFITS(t *testing.T) {
	nan := math.NaN()
	table := fitsOf(t, []string{"SIMPLE  = T", "BITPIX  = 8", "NAXIS   = 0"},
		[]string{"XTENSION= 'BINTABLE'", "BITPIX  = 8", "NAXIS   = 2", "NAXIS1  = 7", "NAXIS2  = 1", "PCOUNT  = 0", "GCOUNT  = 1", "TFIELDS = 4",
			"TTYPE1  = 'wide'", "TFORM1  = 'J'", "TNULL1  = -1", "TTYPE2  = 'narrow'", "TFORM2  = 'B'", "TNULL2  = 256", "TTYPE3  = 'twice'", "TFORM3  = 'B'", "TTYPE4  = 'twice'", "TFORM4  = 'B'"},
		[]byte{1, 0, 0, 1, 0, 7, 8})
	for _, c := range []struct {
		path, member string
		elem         ops.ElemType
		want         []float64
		warned       string
	}{
		{imageOf(t, "8", []uint8{0, 1, 255}, "BLANK   = -32768"), "", ops.ElemType{Base: ir.U8}, []float64{0, 1, 255}, "BLANK is -32768"},
		{imageOf(t, "8", []uint8{0, 1, 255}, "BLANK   = 255"), "", ops.F32, []float64{0, 1, nan}, ""},
		{imageOf(t, "16", []int16{0, 1, -1}, "BLANK   = 65535"), "", ops.ElemType{Base: ir.I16}, []float64{0, 1, -1}, "BLANK is 65535"},
		{imageOf(t, "16", []int16{0, 1, -1}, "BLANK   = -1"), "", ops.F32, []float64{0, 1, nan}, ""},
		{imageOf(t, "32", []int32{16777217, 1, -5}, "BLANK   = -5"), "", ops.F64, []float64{16777217, 1, nan}, ""},
		{imageOf(t, "32", []int32{16777217, 1, -5}, "BSCALE  = 0.5"), "", ops.F64, []float64{8388608.5, 0.5, -2.5}, ""},
		{imageOf(t, "64", []int64{math.MinInt64, math.MinInt64 + 7, -1}, "BZERO   = 9223372036854775808", "BSCALE  = 1"), "", ops.I64, []float64{0, 7, math.MaxInt64}, ""},
		{table, "wide", ops.F64, []float64{16777217}, ""},
		{table, "narrow", ops.ElemType{Base: ir.U8}, []float64{0}, "TNULL2 is 256"},
		{table, "twice", ops.ElemType{Base: ir.U8}, []float64{7}, "several columns twice"},
	} {
		args := map[string]ops.Value{"path": ops.Text(c.path)}
		if c.member != "" {
			args["member"] = ops.Text(c.member)
		}
		got, note := readBack(t, args)
		if got.Type.Elem != c.elem {
			t.Errorf("%s %v: read as %s, not %s", c.member, c.want, got.Type.Elem, c.elem)
		}
		for i, want := range c.want {
			if v := got.Float(i); v != want && !(v != v && want != want) {
				t.Errorf("%s %v: element %d is %v", c.member, c.want, i, v)
			}
		}
		var told []string
		for _, err := range note.Warnings {
			told = append(told, err.Message)
		}
		if text := strings.Join(told, "; "); c.warned == "" && text != "" || !strings.Contains(text, c.warned) {
			t.Errorf("%s %v: warned %q", c.member, c.want, text)
		}
	}
}
