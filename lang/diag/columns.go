package diag

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/rivo/uniseg"
)

const (
	tabStop  = 4
	ellipsis = "…"
)

// cell is one user-perceived character of a source line as it is shown.
type cell struct {
	text   string
	column int // display column where it starts
	width  int // display columns it takes
	offset int // byte range in the line
	end    int
}

// cells lays a line out: tabs become spaces up to the next stop, wide characters take two columns, characters
// that would disturb a terminal are replaced.
func cells(line string) []cell {
	var out []cell
	column, offset, state := 0, 0, -1
	for rest := line; rest != ""; {
		cluster, next, width, newState := uniseg.FirstGraphemeClusterInString(rest, state)
		rest, state = next, newState
		first, _ := utf8.DecodeRuneInString(cluster)
		c := cell{text: cluster, column: column, width: width, offset: offset, end: offset + len(cluster)}
		switch {
		case first == '\t':
			c.width = tabStop - column%tabStop
			c.text = strings.Repeat(" ", c.width)
		case first == utf8.RuneError || unicode.IsControl(first):
			c.text, c.width = string(utf8.RuneError), 1
		}
		column += c.width
		offset = c.end
		out = append(out, c)
	}
	return out
}

// mark returns a line as shown within a width, and the columns that the byte range [start, end) takes in it: pad
// columns to the left, then carets, at least one. A range that enters the line from above starts at its first
// character that is not blank.
func mark(line string, start, end, width int) (text string, pad, carets int) {
	if start < 0 {
		start = len(line) - len(strings.TrimLeft(line, " \t"))
	}
	first, last := vicinity(line, start, width)
	cutLeft, cutRight := first > 0, last < len(line)
	line, start, end = line[first:last], start-first, end-first

	cs := cells(line)
	total := columnFrom(cs, len(line))
	from, to := columnOf(cs, start), columnFrom(cs, end)
	left, right := window(from, to, total, width)

	var b strings.Builder
	shift := -left // from a column of the line to a column as shown
	if cutLeft || left > 0 {
		b.WriteString(ellipsis)
		shift++
	}
	for _, c := range cs {
		if c.column >= left && c.column+c.width <= right {
			b.WriteString(c.text)
		}
	}
	if cutRight || right < total {
		b.WriteString(ellipsis)
	}
	return strings.TrimRight(b.String(), " "), from + shift, max(1, min(to, right)-from)
}

// vicinity is the byte range of a line that may come to be shown: laying out a line of a megabyte for each of its
// mistakes would take too long.
func vicinity(line string, start, width int) (first, last int) {
	reach := utf8.UTFMax * width
	first, last = max(0, start-reach), min(len(line), start+2*reach)
	for first > 0 && !utf8.RuneStart(line[first]) && first > start-reach-utf8.UTFMax {
		first--
	}
	for last < len(line) && !utf8.RuneStart(line[last]) && last < start+2*reach+utf8.UTFMax {
		last++
	}
	return first, last
}

// columnOf is the display column of the character that holds a byte offset, or the width of the line behind it.
func columnOf(cs []cell, offset int) int {
	for _, c := range cs {
		if offset < c.end {
			return c.column
		}
	}
	return columnFrom(cs, offset)
}

// columnFrom is the display column of the first character at or behind a byte offset, or the width of the line.
func columnFrom(cs []cell, offset int) int {
	column := 0
	for _, c := range cs {
		if c.offset >= offset {
			return c.column
		}
		column = c.column + c.width
	}
	return column
}

// window chooses the display columns [left, right) of a line of total columns that are shown within width, so
// that the marked columns are seen with some text before them.
func window(from, to, total, width int) (left, right int) {
	if total <= width {
		return 0, total
	}
	const before = 20
	left = max(0, min(from-before, total-width))
	if to <= width-before {
		left = 0
	}
	return left, min(total, left+width)
}
