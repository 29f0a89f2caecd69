package fits

import (
	"bytes"
	"fmt"

	"codeberg.org/astrogo/fitsio"

	"weft/ops"
	"weft/ops/files/element"
	"weft/ops/files/format"
	"weft/ops/files/words"
)

// card is a keyword with its value.
type card struct {
	key   string
	value any
}

// head is a header as it is in files.
func head(cards []card) []byte {
	all := make([]fitsio.Card, len(cards))
	for i, c := range cards {
		all[i] = fitsio.Card{Name: c.key, Value: c.value}
	}
	// Of an HDU with all keywords that a header begins with, fitsio adds none; END is not among those that it gives.
	text := []byte(fitsio.NewHeader(all, fitsio.IMAGE_HDU, 0, nil).Text() + fmt.Sprintf("%-80s", "END"))
	return append(text, bytes.Repeat([]byte{' '}, padding(int64(len(text))))...)
}

// imageCards describe an array of elements of a type.
func imageCards(d element.DType, shape []int, u ops.Unit) []card {
	cards := []card{{"BITPIX", written[d].bitpix}, {"NAXIS", len(shape)}}
	for i := range shape {
		cards = append(cards, card{fmt.Sprintf("NAXIS%d", i+1), shape[len(shape)-1-i]})
	}
	if zero := written[d].zero; zero != 0 {
		cards = append(cards, card{"BSCALE", 1.0}, card{"BZERO", zero})
	}
	return append(cards, unitCards("BUNIT", u)...)
}

// unitCards name a unit where it is one.
func unitCards(key string, u ops.Unit) []card {
	if u.Plain() {
		return nil
	}
	return []card{{key, unitText(u)}}
}

// coder turns elements into those of files, in memory of its own.
func coder(d element.DType) func([]byte) []byte {
	var out []byte
	return func(p []byte) []byte {
		out = append(words.Resized(out, len(p))[:0], p...)
		encode(out, d)
		return out
	}
}

// encode turns elements into those of files, in place.
func encode(p []byte, d element.DType) {
	switch {
	case d == element.Bool:
		for i, v := range p {
			if p[i] = 'F'; v != 0 {
				p[i] = 'T'
			}
		}
	case written[d].zero != 0:
		turn(p, d.Size())
	}
	if !words.HostBigEndian {
		words.Swap(p, d.Word())
	}
}

// coordinates are HDUs with the coordinates of dims, by their names.
func coordinates(dims []ops.Dim) []byte {
	var all []byte
	for _, d := range dims {
		if d.Coords == nil {
			continue
		}
		cards := []card{{"XTENSION", "IMAGE"}}
		cards = append(cards, imageCards(element.Float64, []int{d.Size}, d.Unit)...)
		// These two follow the axes at once.
		cards = append(cards[:4:4], append([]card{{"PCOUNT", 0}, {"GCOUNT", 1}}, cards[4:]...)...)
		if dimName().MatchString(d.Name) { // as headers hold ASCII alone
			cards = append(cards, card{"EXTNAME", d.Name})
		}
		all = append(all, head(cards)...)
		shown := make([]float64, d.Size)
		for i, v := range d.Coords {
			shown[i] = format.Shown(v, d.Unit)
		}
		data := words.Raw(shown)
		encode(data, element.Float64)
		all = append(append(all, data...), make([]byte, padding(int64(len(data))))...)
	}
	return all
}
