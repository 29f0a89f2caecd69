package format

import (
	"strings"

	"weft/lang/syntax"
)

// arrange lays blocks out as lines, and aligns the = of neighbouring definitions of one kind.
func arrange(blocks []*block) []line {
	laid := make([][]line, len(blocks))
	for i, b := range blocks {
		laid[i] = b.lay()
	}
	for i := 0; i < len(blocks); {
		end := i + 1
		for end < len(blocks) && aligned(blocks[i], laid[i]) && sameRun(blocks[i], blocks[end]) && aligned(blocks[end], laid[end]) {
			end++
		}
		alignEquals(laid[i:end])
		i = end
	}
	var out []line
	for _, lines := range laid {
		out = append(out, lines...)
	}
	return out
}

// aligned reports whether a block is a definition on one line.
func aligned(b *block, lines []line) bool {
	return len(lines) == 1 && b.definition() > 0
}

// sameRun reports whether a block goes on with the definitions before it.
func sameRun(first, next *block) bool {
	return !next.blank && first.definition() == next.definition()
}

// definition is the kind of a definition whose = is aligned, or 0.
func (b *block) definition() int {
	switch b.statement.(type) {
	case *syntax.Param:
		return 2
	case *syntax.Assign:
		return 1
	}
	return 0
}

// alignEquals pads what stands before the = of a run of definitions to one width.
func alignEquals(laid [][]line) {
	if len(laid) < 2 {
		return
	}
	width := 0
	for i := range laid {
		head, _, _ := strings.Cut(laid[i][0].text, " = ")
		width = max(width, columns(head))
	}
	for i := range laid {
		head, tail, _ := strings.Cut(laid[i][0].text, " = ")
		laid[i][0].text = head + strings.Repeat(" ", width-columns(head)) + " = " + tail
	}
}
