package npy

import (
	"fmt"
	"strings"

	"weft/ops/files/element"
	"weft/ops/files/fileio"
	"weft/ops/files/words"
)

// codes are the NumPy codes of element types, without byte order.
var codes = map[element.DType]string{
	element.Bool: "b1", element.Int8: "i1", element.Int16: "i2", element.Int32: "i4", element.Int64: "i8",
	element.Uint8: "u1", element.Uint16: "u2", element.Uint32: "u4", element.Uint64: "u8",
	element.Float16: "f2", element.Float32: "f4", element.Float64: "f8", element.Complex64: "c8", element.Complex128: "c16",
}

// refusals says why arrays of other kinds are not read, by the letter of their NumPy type.
var refusals = map[byte][2]string{
	'O': {"holds Python objects", "convert it to numbers in Python first, e.g. np.save(path, a.astype('f4'))"},
	'U': {"holds text", "only numbers can be read"},
	'S': {"holds text", "only numbers can be read"},
	'a': {"holds text", "only numbers can be read"},
	'V': {"holds records without a number type", "save each field as an array of its own, e.g. np.savez(path, x=a['x'], y=a['y'])"},
	'M': {"holds dates", "convert them to numbers first, e.g. (a - a[0]) / np.timedelta64(1, 's')"},
	'm': {"holds time differences", "convert them to numbers first, e.g. a / np.timedelta64(1, 's')"},
	'f': {"holds a float of an uncommon width", "convert it first, e.g. a.astype('f8')"},
	'c': {"holds complex numbers of an uncommon width", "convert them first, e.g. a.astype('c16')"},
}

// parseDescr reads NumPy's type string, such as "<f4" or "|b1".
func parseDescr(descr string) (d element.DType, bigEndian bool, err error) {
	bigEndian = words.HostBigEndian
	code := descr
	if code != "" {
		switch code[0] {
		case '<', '>':
			bigEndian = code[0] == '>'
			code = code[1:]
		case '=', '|':
			code = code[1:]
		}
	}
	for d, known := range codes {
		if known == code {
			return d, bigEndian && d.Word() > 1, nil
		}
	}
	refusal, known := [2]string{}, false
	if code != "" {
		refusal, known = refusals[code[0]]
	}
	if !known {
		refusal = [2]string{"has an unknown element type", "readable are " + names()}
	}
	kind := fileio.BadType
	if strings.HasPrefix(code, "O") {
		kind = fileio.Objects
	}
	return 0, false, &Error{Kind: kind, Reason: fmt.Sprintf("%s (NumPy dtype %s)", refusal[0], clip(descr)), Help: refusal[1]}
}

func names() string {
	var all []string
	for _, d := range element.All() {
		all = append(all, d.String())
	}
	return strings.Join(all, ", ")
}

// clip quotes text from a file for an error message, shortened.
func clip(text string) string {
	const most = 60
	if len(text) > most {
		text = text[:most] + "..."
	}
	return fmt.Sprintf("%q", text)
}
