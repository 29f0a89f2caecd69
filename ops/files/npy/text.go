package npy

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"io"
	"strconv"
	"strings"
	"unicode/utf8"

	"weft/ops/files/element"
)

// mostText is the size of the largest text that is read, with its header.
const mostText = 1 << 16

// text reads a member that is a single text of NumPy, of bytes (S) or of characters of four bytes (U); false: it is none, or too long.
func (a *Archive) text(name string) (string, bool) {
	member := a.members[name]
	if member == nil || member.UncompressedSize64 > mostText {
		return "", false
	}
	r, err := member.Open()
	if err != nil {
		return "", false
	}
	defer r.Close()
	file, err := io.ReadAll(r)
	if err != nil || len(file) < len(magic)+4 || file[6] != 1 {
		return "", false
	}
	at := len(magic) + 4 + int(binary.LittleEndian.Uint16(file[8:]))
	if at > len(file) {
		return "", false
	}
	f, err := parseLiteral(string(file[len(magic)+4 : at]))
	if err != nil || f.structured != "" || len(f.shape) > 0 {
		return "", false
	}
	code := strings.TrimLeft(f.descr, "<>=|")
	if code == "" {
		return "", false
	}
	width, err := strconv.Atoi(code[1:])
	var out []byte
	switch data := file[at:]; {
	case err != nil:
		return "", false
	case code[0] == 'S' && len(data) == width:
		out = data
	case code[0] == 'U' && len(data)/4 == width && len(data)%4 == 0:
		var order binary.ByteOrder = binary.LittleEndian
		if f.descr[0] == '>' {
			order = binary.BigEndian
		}
		for i := range width {
			out = utf8.AppendRune(out, rune(order.Uint32(data[4*i:])))
		}
	default:
		return "", false
	}
	out = bytes.TrimRight(out, "\x00")
	return string(out), utf8.Valid(out)
}

// AddText writes a text, as an array of NumPy that is a single string of bytes.
func (w *ArchiveWriter) AddText(name, text string) error {
	stored, err := w.create(name, encodeHeader(fmt.Sprintf("|S%d", max(1, len(text))), element.Shape{}))
	if err != nil {
		return err
	}
	if text == "" {
		text = "\x00"
	}
	if _, err := io.WriteString(stored, text); err != nil {
		return w.fail(err)
	}
	return nil
}
