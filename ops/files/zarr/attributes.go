package zarr

import (
	"bytes"
	"encoding/base64"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"math"
	"slices"
	"strconv"

	"weft/ops/files/cf"
	"weft/ops/files/element"
	"weft/ops/files/fileio"
	"weft/ops/files/format"
	"weft/ops/files/units"
	"weft/ops/files/words"
	"weft/ops/problem"
)

// attributes are what a description says beside the format, by their names.
type attributes map[string]json.RawMessage

// set notes a text.
func (a attributes) set(name, text string) {
	raw, err := json.Marshal(text)
	if err != nil {
		panic("zarr: a text is always JSON: " + err.Error())
	}
	a[name] = raw
}

// text is that of an attribute, if it is one.
func (a attributes) text(name string) (s string, is bool) {
	is = json.Unmarshal(a[name], &s) == nil
	return s, is
}

// values are those of an attribute: of a list all, of what is not there or null none.
func (a attributes) values(name string) []json.RawMessage {
	raw := a[name]
	var all []json.RawMessage
	switch {
	case len(raw) == 0 || string(raw) == "null":
		return nil
	case json.Unmarshal(raw, &all) == nil:
		return all
	}
	return []json.RawMessage{raw}
}

// Attributes by which elements stand for other numbers, after the CF conventions, sections 2.5.1 and 8.1, at cfconventions.org, and xarray's way of
// keeping them in Zarr stores of version 3.
const (
	scaleFactor = "scale_factor"
	addOffset   = "add_offset"
	unsigned    = "_Unsigned"
)

// missingNames are attributes of elements that are missing.
var missingNames = []string{"_FillValue", "missing_value"}

// mostMissing bounds the values of elements that are missing: each element is compared with all of them.
const mostMissing = 64

// signs are the types of whole numbers of the same size and the other sign.
var signs = map[element.DType]element.DType{
	element.Int8: element.Uint8, element.Int16: element.Uint16, element.Int32: element.Uint32, element.Int64: element.Uint64,
	element.Uint8: element.Int8, element.Uint16: element.Int16, element.Uint32: element.Int32, element.Uint64: element.Int64,
}

// meaning reads what elements stand for.
func (d *description) meaning(l *layout) error {
	stored := l.dtype
	if c := stored.Class(); c == element.Complex || c == element.Truth {
		for _, name := range append([]string{scaleFactor, addOffset}, missingNames...) {
			if len(d.Attributes.values(name)) > 0 {
				return &fileio.Error{Kind: fileio.BadType, Reason: fmt.Sprintf("has the attribute %s, which is not applied to elements that are %s", name, stored),
					Help: "write the numbers that they stand for, without it"}
			}
		}
		return nil
	}
	for _, raw := range d.Attributes.values(unsigned) {
		is, err := strconv.ParseBool(string(bytes.Trim(raw, `"`)))
		if err != nil {
			return broken("the attribute %s is %.60s", unsigned, raw)
		}
		if c := stored.Class(); is && c == element.Signed || !is && c == element.Unsigned {
			l.dtype = signs[stored]
		}
	}
	scale, err := d.Attributes.number(scaleFactor, 1)
	if err != nil {
		return err
	}
	offset, err := d.Attributes.number(addOffset, 0)
	switch {
	case err != nil:
		return err
	case scale == 0:
		return broken("the attribute %s is 0", scaleFactor)
	case scale != 1 || offset != 0:
		l.scale, l.offset = scale, offset
	}
	for _, name := range missingNames {
		all := d.Attributes.values(name)
		if len(all) > mostMissing {
			return broken("the attribute %s is %.60s..., and up to %d values are read", name, d.Attributes[name], mostMissing)
		}
		for _, raw := range all {
			if err := l.miss(name, raw, stored); err != nil {
				return err
			}
		}
	}
	valid, doubts := cf.Valid(d.Attributes.numbers)
	l.missing.Valid, l.doubts = valid, append(l.doubts, doubts...)
	return nil
}

// numbers are those of an attribute: none, of one that has something else among them.
func (a attributes) numbers(name string) (out []float64, has bool) {
	raw := a.values(name)
	for _, one := range raw {
		var v float64
		if json.Unmarshal(one, &v) != nil {
			return nil, true
		}
		out = append(out, v)
	}
	return out, len(raw) > 0
}

// number is that of an attribute of one, perhaps as a list.
func (a attributes) number(name string, otherwise float64) (v float64, err error) {
	all := a.values(name)
	if len(all) == 0 {
		return otherwise, nil
	}
	if len(all) > 1 || json.Unmarshal(all[0], &v) != nil {
		return 0, broken("the attribute %s is %.60s, and one number is right", name, a[name])
	}
	return v, nil
}

// miss takes a value of elements that are missing.
func (l *layout) miss(name string, raw json.RawMessage, stored element.DType) error {
	for _, as := range []element.DType{l.dtype, stored} {
		if word, ok := missingWord(as, raw); ok {
			l.missing.Words = append(l.missing.Words, word)
			if zero := bytes.Trim(word, "\x00"); l.dtype.Float() && len(zero) == 0 { // there are two
				l.missing.Words = append(l.missing.Words, negative(word))
			}
			return nil
		}
	}
	var v float64
	if json.Unmarshal(raw, &v) != nil || l.dtype.Float() {
		return broken("the attribute %s is %.60s, of elements that are %s", name, raw, l.dtype)
	}
	l.doubts = append(l.doubts, problem.Wrong(problem.BadHeader, "path", "", "the attribute %s is %.60s, which no %s element is: none is missing", name, raw, l.dtype))
	return nil
}

// missingWord is a number in the machine's order of bytes: as a value that fills chunks is written, for whole numbers also with a point, and
// for floats as xarray writes them, the bytes of a double in base64.
func missingWord(d element.DType, raw json.RawMessage) ([]byte, bool) {
	if word, ok := fillWord(d, raw); ok {
		return word, true
	}
	var text string
	var v float64
	if d.Float() && json.Unmarshal(raw, &text) == nil {
		b, err := base64.StdEncoding.DecodeString(text)
		if err != nil || len(b) != 8 {
			return nil, false
		}
		return wordOf(floatBits(math.Float64frombits(binary.LittleEndian.Uint64(b)), d.Size()), d.Size()), true
	}
	if json.Unmarshal(raw, &v) != nil || v != math.Trunc(v) {
		return nil, false
	}
	return fillWord(d, json.RawMessage(strconv.FormatFloat(v, 'f', -1, 64)))
}

// negative is a word with its sign set.
func negative(word []byte) []byte {
	word = slices.Clone(word)
	if words.HostBigEndian {
		word[0] |= 0x80
	} else {
		word[len(word)-1] |= 0x80
	}
	return word
}

// longestUnit is the length of the longest text that is looked at for a unit.
const longestUnit = 256

// inUnit reads the unit.
func (d *description) inUnit(l *layout) error {
	if len(d.Attributes.values("units")) == 0 {
		return nil
	}
	text, is := d.Attributes.text("units")
	if !is {
		text = string(d.Attributes["units"]) // 1
	}
	if len(text) > longestUnit {
		l.doubts = append(l.doubts, units.Unknown(text))
		return nil
	}
	u, known := units.Read(text)
	if !known {
		l.doubts = append(l.doubts, units.Unknown(text))
	}
	if !u.Plain() || u.SI() != 1 {
		l.unit = u
	}
	return nil
}

// named takes the names of dims: those that no program could say give way to the ones of arrays without names.
func (d *description) named(l *layout) error {
	if d.Names == nil || len(d.Shape) == 0 {
		return nil
	}
	if len(d.Names) != len(d.Shape) {
		return broken("%d names of dimensions, of an array of %d", len(d.Names), len(d.Shape))
	}
	for i, given := range d.Names {
		name := fmt.Sprintf("axis%d", i)
		switch {
		case given == nil:
		case !format.IsDimName(*given):
			l.doubt("%.60q is no name of a dimension that a program could use: it is %s here", *given, name)
		case slices.ContainsFunc(d.Names[:i], func(other *string) bool { return other != nil && *other == *given }):
			l.doubt("two dimensions are named %.60s: the second is %s here", *given, name)
		default:
			name = *given
		}
		l.names = append(l.names, name)
	}
	for i, name := range l.names {
		if slices.Contains(l.names[:i], name) {
			l.doubt("the names of dimensions %v are not told apart from those of dimensions without one: they are axis0, axis1 and so on here", l.names)
			l.names = nil
			break
		}
	}
	return nil
}

func (l *layout) doubt(text string, of ...any) {
	l.doubts = append(l.doubts, problem.Wrong(problem.BadHeader, "path", "`dims` names them", text, of...))
}
