// Package page is a terminal whose text and pictures are taken apart again: what notebooks and Markdown files show.
package page

import (
	"encoding/base64"
	"io"
	"regexp"
	"strings"
	"sync"

	"weft/ops"
	"weft/ops/files/picture"
)

// Terminal prints to a page of 110 columns.
type Terminal struct{ io.Writer }

// Size is that of the page.
func (Terminal) Size() (columns, rows int) { return 110, 40 }

// Rich says that pictures are welcome.
func (Terminal) Rich() bool { return true }

// To prints to another writer.
func (Terminal) To(w io.Writer) ops.Terminal { return Terminal{w} }

// Caps asks for pictures in iTerm2's protocol, a PNG each.
func (Terminal) Caps() picture.Caps {
	return picture.Caps{Depth: picture.TrueColour, Protocol: picture.ITerm}
}

// Piece is a text or a picture.
type Piece struct {
	Text string `json:"text,omitempty"`
	PNG  []byte `json:"png,omitempty"`
}

var inline = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile("\x1b\\]1337;File=[^:]*:([A-Za-z0-9+/=]+)(?:\x07|\x1b\\\\)\n?")
})

// Pieces are what was printed on a Terminal, in order.
func Pieces(printed string) ([]Piece, error) {
	out := []Piece{}
	text := func(s string) {
		if strings.TrimSpace(s) != "" {
			out = append(out, Piece{Text: s})
		}
	}
	from := 0
	for _, at := range inline().FindAllStringSubmatchIndex(printed, -1) {
		text(printed[from:at[0]])
		png, err := base64.StdEncoding.DecodeString(printed[at[2]:at[3]])
		if err != nil {
			return nil, err
		}
		out, from = append(out, Piece{PNG: png}), at[1]
	}
	text(printed[from:])
	return out, nil
}
