package netcdf

import (
	"encoding/binary"
	"math"
	"slices"
	"strings"

	"weft/ops/files/cf"
	"weft/ops/files/element"
	"weft/ops/files/tile"
	"weft/ops/files/units"
	"weft/ops/files/words"
	"weft/ops/problem"
)

// Attributes of what elements stand for, after the CF conventions, sections 2.5.1 and 8.1.
const (
	fillValue   = "_FillValue"
	scaleFactor = "scale_factor"
	addOffset   = "add_offset"
	unsigned    = "_Unsigned"
)

// missingNames are attributes of elements that are missing.
var missingNames = []string{fillValue, "missing_value"}

// mostMissing bounds them: each element is compared with all.
const mostMissing = 64

// signs are the types of whole numbers of the same size and the other sign.
var signs = map[element.DType]element.DType{
	element.Int8: element.Uint8, element.Int16: element.Uint16, element.Int32: element.Uint32, element.Int64: element.Uint64,
	element.Uint8: element.Int8, element.Uint16: element.Int16, element.Uint32: element.Int32, element.Uint64: element.Int64,
}

// meaning is what the elements of a variable stand for.
type meaning struct {
	dtype         element.DType
	scale, offset float64 // a scale of 0: for themselves
	missing       tile.Missing
	nan           bool     // NaN is missing
	nodata        *float64 // the one number that is
	doubts        []problem.Problem
}

// meaning reads it.
func (v *variable) meaning() (m meaning, err error) {
	m.dtype = v.dtype
	if c := v.dtype.Class(); c == element.Complex || c == element.Truth {
		return m, nil
	}
	if says := strings.ToLower(v.attrs[unsigned].text); says == "true" && v.dtype.Class() == element.Signed || says == "false" && v.dtype.Class() == element.Unsigned {
		m.dtype = signs[v.dtype]
	}
	scale, hasScale, err := v.number(scaleFactor, 1)
	if err != nil {
		return m, err
	}
	offset, hasOffset, err := v.number(addOffset, 0)
	switch {
	case err != nil:
		return m, err
	case hasScale && (scale == 0 || math.IsInf(scale, 0) || math.IsNaN(scale)) || hasOffset && (math.IsInf(offset, 0) || math.IsNaN(offset)):
		return m, damage("elements of %.60q stand for %v times themselves and %v", v.name, scale, offset)
	case scale != 1 || offset != 0:
		m.scale, m.offset = scale, offset
	}
	for _, name := range missingNames {
		m.miss(v, name)
	}
	if len(m.missing.Words) > mostMissing {
		return m, damage("%d values of %.60q are marked as missing, and up to %d are read", len(m.missing.Words), v.name, mostMissing)
	}
	m.bound(v)
	return m, nil
}

// bound takes the limits of elements that are valid. In floats, of whole numbers with a scale, they are limits of what these stand for.
func (m *meaning) bound(v *variable) {
	scaled := false
	valid, doubts := cf.Valid(func(name string) ([]float64, bool) {
		a, has := v.attrs[name]
		scaled = scaled || m.scale != 0 && a.dtype.Float() && !v.dtype.Float()
		if a.dtype == v.dtype {
			a.dtype = m.dtype // perhaps of the other sign
		}
		return a.numbers(), has
	})
	m.doubts, m.missing.Valid = append(m.doubts, doubts...), valid
	if at := valid; at != nil && scaled {
		for i, n := range at {
			at[i] = (n - m.offset) / m.scale
		}
		if m.scale < 0 {
			at[0], at[1] = at[1], at[0]
		}
	}
}

// number is that of an attribute of one.
func (v *variable) number(name string, otherwise float64) (n float64, has bool, err error) {
	a, has := v.attrs[name]
	if !has {
		return otherwise, false, nil
	}
	all := a.numbers()
	if len(all) != 1 {
		return 0, true, damage("the attribute %s of %.60q is not one number", name, v.name)
	}
	return all[0], true, nil
}

// miss takes the values of an attribute.
func (m *meaning) miss(v *variable, name string) {
	a, has := v.attrs[name]
	if !has {
		return
	}
	var all [][]byte
	if a.dtype == m.dtype || a.dtype == v.dtype { // as they are: also whole numbers beyond those of float64
		all = slices.Collect(slices.Chunk(a.raw, a.dtype.Size()))
	} else {
		for _, n := range a.numbers() {
			word := wordOf(m.dtype, n)
			if word == nil {
				m.doubt("the attribute %s of %.60s is %v, which no %s element is: none is missing", name, v.name, n, m.dtype)
				continue
			}
			all = append(all, word)
		}
	}
	if len(all) == 0 && (a.is || a.dtype == 0) {
		m.doubt("the attribute %s of %.60s is no number: nothing is missing", name, v.name)
	}
	for _, word := range all {
		n := (value{dtype: m.dtype, raw: word}).numbers()[0]
		switch {
		case math.IsNaN(n):
			m.nan = true
			continue
		case slices.ContainsFunc(m.missing.Words, func(other []byte) bool { return string(other) == string(word) }):
			continue
		}
		if m.nodata = &n; len(m.missing.Words) > 0 {
			m.nodata = nil
		}
		if m.missing.Words = append(m.missing.Words, word); n == 0 && m.dtype.Float() { // there are two
			m.missing.Words = append(m.missing.Words, wordOf(m.dtype, math.Copysign(0, -1)))
		}
	}
}

func (m *meaning) doubt(text string, of ...any) {
	m.doubts = append(m.doubts, problem.Wrong(problem.BadHeader, "path", "", text, of...))
}

// wordOf is a number as an element in memory; nil: none is such.
func wordOf(d element.DType, v float64) []byte {
	if d.Float() {
		convert, err := element.Converter(element.Float64, d)
		if err != nil {
			return nil
		}
		out := words.Bytes(d.Size())
		if convert(out, words.Raw([]float64{v})) >= 0 {
			return nil
		}
		return out
	}
	size := d.Size()
	lo, hi := 0.0, math.Ldexp(1, 8*size)
	if d.Class() == element.Signed {
		lo, hi = -hi/2, hi/2
	}
	if v != math.Trunc(v) || v < lo || v >= hi {
		return nil
	}
	bits := uint64(v)
	if v < 0 {
		bits = uint64(int64(v))
	}
	all := binary.NativeEndian.AppendUint64(nil, bits)
	if words.HostBigEndian {
		return all[8-size:]
	}
	return all[:size]
}

// longestUnit is the length of the longest text that is looked at for a unit.
const longestUnit = 256

// unit is what a variable says of its unit; known is false for one that has no meaning here.
func (v *variable) unit() (text string, known bool) {
	a := v.attrs["units"]
	if !a.is || len(a.text) > longestUnit {
		return a.text, !a.is
	}
	_, known = units.Read(a.text)
	return a.text, known || a.text == ""
}
