package repl

import (
	"strings"

	"weft/lang/check"
	"weft/lang/diag"
	"weft/lang/syntax"
)

// colors are the ANSI colours of kinds of tokens.
var colors = map[syntax.Kind]string{
	syntax.Comment: "\x1b[90m", syntax.Keyword: "\x1b[35m", syntax.Numeral: "\x1b[36m", syntax.Text: "\x1b[32m",
	syntax.UnitWord: "\x1b[33m", syntax.UnitJoin: "\x1b[33m", syntax.UnitPower: "\x1b[33m", syntax.Illegal: "\x1b[31m",
}

// highlight colours a text by its tokens.
func highlight(text string) string {
	var b strings.Builder
	at := 0
	for _, t := range syntax.Scan(diag.NewSource("", text), check.Units(), new(diag.List)) {
		color, ok := colors[t.Kind]
		if !ok || t.Start < at {
			continue
		}
		b.WriteString(text[at:t.Start] + color + t.Text + "\x1b[0m")
		at = t.End()
	}
	return b.String() + text[at:]
}
