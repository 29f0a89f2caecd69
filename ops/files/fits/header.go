package fits

import (
	"bytes"
	"fmt"
	"math"
	"math/big"
	"regexp"
	"strings"
	"sync"

	"codeberg.org/astrogo/fitsio"

	"weft/ops/files/fileio"
)

const (
	block = 2880 // bytes: headers and data are multiples of it
	line  = 80   // bytes of a card

	mostHeader = 16 << 20
)

// matters are the keywords that are read; others may say what they like.
var matters = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`^(SIMPLE|XTENSION|BITPIX|NAXIS[0-9]*|[PG]COUNT|GROUPS|EXTNAME|TFIELDS|BSCALE|BZERO|BLANK|BUNIT|ZIMAGE|C(TYPE|UNIT|RVAL|RPIX|DELT)[0-9]+|(CD|PC)[0-9]+_[0-9]+|DC-FLAG|T(TYPE|FORM|UNIT|SCAL|ZERO|NULL|DIM)[0-9]+)$`)
})

// bare is the header of an HDU without data, and inPlace what the keywords of the file are called behind it: fitsio reads the data that they tell of.
const bare = "SIMPLE  =                    T" + "BITPIX  =                    8" + "NAXIS   =                    0"

var inPlace = map[string]string{"SIMPLE": "X-SIMPLE", "XTENSION": "X-TENSIO", "BITPIX": "X-BITPIX", "NAXIS": "X-NAXIS"}

// header is what the cards of an HDU say, by keyword.
type header map[string]fitsio.Value

// parse reads the cards that matter.
func parse(cards []byte) (h header, err error) {
	defer func() {
		if r := recover(); r != nil { // fitsio expects that each value is of the type that the standard asks for
			err = damaged("%v", r)
		}
	}()
	var text bytes.Buffer
	kept := 0
	put := func(card string) { fmt.Fprintf(&text, "%-80s", card) }
	for i := range 3 {
		put(bare[30*i : 30*i+30])
		kept++
	}
	before := false // whether the card before was kept
	for ; len(cards) >= line; cards = cards[line:] {
		key := strings.TrimRight(string(cards[:8]), " ")
		if key == "CONTINUE" && before {
			text.Write(cards[:line])
			continue
		}
		if before = matters().MatchString(key); !before {
			continue
		}
		if other, ok := inPlace[key]; ok {
			put(fmt.Sprintf("%-8s", other) + string(cards[8:line]))
		} else {
			text.Write(cards[:line])
		}
		kept++
	}
	put("END")
	text.Write(bytes.Repeat([]byte{' '}, padding(int64(text.Len()))))
	unit, err := fitsio.NewDecoder(&text).DecodeHDU()
	if err != nil {
		return nil, damaged("%v", err)
	}
	h = header{}
	for i := range kept {
		c := unit.Header().Card(i)
		if _, twice := h[c.Name]; !twice && c.Value != nil {
			h[c.Name] = c.Value
		}
	}
	return h, nil
}

func damaged(format string, args ...any) error {
	text := strings.TrimPrefix(fmt.Sprintf(format, args...), "fitsio: ")
	return &fileio.Error{Kind: fileio.BadHeader, Reason: "has a damaged FITS header: " + text, Help: "copy or write the file again"}
}

// whole is a whole number; other where it is absent.
func (h header) whole(key string, other int64) (int64, error) {
	switch v := h[key].(type) {
	case nil:
		return other, nil
	case int:
		return int64(v), nil
	case float64:
		if v == math.Trunc(v) && math.Abs(v) < 1<<53 {
			return int64(v), nil
		}
	}
	return 0, damaged("%s is %v, which is no whole number", strings.TrimPrefix(key, "X-"), h[key])
}

// count is a whole number that counts something.
func (h header) count(key string, other int64) (int64, error) {
	n, err := h.whole(key, other)
	if err == nil && n < 0 {
		err = damaged("%s is %d", strings.TrimPrefix(key, "X-"), n)
	}
	return n, err
}

// real is a number; other where it is absent.
func (h header) real(key string, other float64) (float64, error) {
	switch v := h[key].(type) {
	case nil:
		return other, nil
	case int:
		return float64(v), nil
	case float64:
		return v, nil
	case big.Int: // 2^63 of unsigned numbers of 64 bits
		f, _ := new(big.Float).SetInt(&v).Float64()
		return f, nil
	}
	return 0, damaged("%s is %v, which is no number", key, h[key])
}

// text is what stands in quotes, without blanks around it.
func (h header) text(key string) string {
	s, _ := h[key].(string)
	return strings.TrimSpace(s)
}

// padding is the bytes that complete a block.
func padding(size int64) int { return int((block - size%block) % block) }
