package native

import (
	"slices"
	"strings"
)

// ownFile is the name of a file that is preprocessed, by which what is its own is told from what it includes.
const ownFile = "weft-prelude.h"

// item is a declaration, a definition or a directive.
type item struct {
	text  string
	own   bool // of the file itself
	names []string
	uses  []string
}

// directive reports whether an item is a line for the preprocessor or the compiler of this kind.
func (i item) directive(kind string) bool {
	return strings.HasPrefix(i.text, "#"+kind)
}

// lean is a preprocessed C file without those declarations and macros of included files that its own lines do not use, directly or by others.
func lean(text string) string {
	items := itemsOf(text)
	byName := map[string][]int{}
	var due []int
	for n, i := range items {
		for _, name := range i.names {
			byName[name] = append(byName[name], n)
		}
		if i.own || i.directive("pragma") {
			due = append(due, n)
		}
	}
	kept := make([]bool, len(items))
	for _, n := range due {
		kept[n] = true
	}
	for len(due) > 0 {
		n := due[len(due)-1]
		due = due[:len(due)-1]
		for _, name := range items[n].uses {
			for _, m := range byName[name] {
				if !kept[m] {
					kept[m] = true
					due = append(due, m)
				}
			}
			delete(byName, name)
		}
	}
	var out []item
	var open []int // where pragmas that hold until another takes them back stand in out
	for n, i := range items {
		switch {
		case !kept[n]:
			continue
		case i.directive("pragma") && strings.Contains(i.text, "push"):
			open = append(open, len(out))
		case i.directive("pragma") && strings.Contains(i.text, "pop") && len(open) > 0:
			start := open[len(open)-1]
			open = open[:len(open)-1]
			if !slices.ContainsFunc(out[start:], func(i item) bool { return !i.directive("pragma") }) { // they hold for nothing
				out = out[:start]
				continue
			}
		}
		out = append(out, i)
	}
	var b strings.Builder
	for _, i := range out {
		b.WriteString(i.text)
		b.WriteByte('\n')
	}
	return b.String()
}

// itemsOf parts a preprocessed file at what ends declarations and definitions of functions.
func itemsOf(text string) (items []item) {
	var pending strings.Builder
	var place string // the file that lines are from
	depth := 0
	body := false // the outermost braces are those of a function
	flush := func() {
		if s := strings.TrimSpace(pending.String()); s != "" {
			items = append(items, declaration(s, place == ownFile))
		}
		pending.Reset()
	}
	for line := range strings.Lines(text) {
		line = strings.TrimRight(line, "\r\n")
		if strings.HasPrefix(line, "# ") || strings.HasPrefix(line, "#line ") {
			place = fileOf(line)
			continue
		}
		if strings.HasPrefix(line, "#") {
			if !strings.HasPrefix(place, "<") { // others the compiler defines again by itself
				items = append(items, directive(line, place == ownFile))
			}
			continue
		}
		start := 0
		for at := 0; at < len(line); at++ {
			switch line[at] {
			case '"', '\'':
				at = endOfQuote(line, at)
			case '(', '[':
				depth++
			case ')', ']':
				depth--
			case '{':
				if depth++; depth == 1 {
					head := strings.TrimSpace(pending.String() + line[start:at])
					body = strings.HasSuffix(head, ")") && !slices.Contains([]string{"typedef", "struct", "union", "enum"}, firstWord(head))
				}
			case '}':
				if depth--; depth == 0 && body {
					pending.WriteString(line[start : at+1])
					start = at + 1
					flush()
				}
			case ';':
				if depth == 0 {
					pending.WriteString(line[start : at+1])
					start = at + 1
					flush()
				}
			}
		}
		pending.WriteString(line[start:])
		pending.WriteByte('\n')
	}
	flush()
	return items
}

// fileOf is the base name of the file that a line such as `# 12 "/usr/include/math.h" 3 4` names.
func fileOf(line string) string {
	_, name, _ := strings.Cut(line, `"`)
	name, _, _ = strings.Cut(name, `"`)
	return name[strings.LastIndexAny(name, `/\`)+1:]
}

// endOfQuote is where what is quoted from at on ends.
func endOfQuote(line string, at int) int {
	for end := at + 1; end < len(line); end++ {
		switch line[end] {
		case '\\':
			end++
		case line[at]:
			return end
		}
	}
	return len(line)
}

// directive is a line for the preprocessor or the compiler.
func directive(line string, own bool) item {
	i := item{text: line, own: own}
	kind, rest, _ := strings.Cut(line[1:], " ")
	if w := words(rest); len(w) > 0 && (kind == "define" || kind == "undef") {
		i.names, i.uses = w[:1].text(), w[1:].text()
	}
	return i
}

// notNames are words that what is in parentheses behind them belongs to, without being declared.
var notNames = []string{"__attribute__", "__attribute", "__asm__", "__asm", "asm", "__extension__", "__typeof__", "_Alignas", "__declspec"}

// declaration is what ends with a semicolon, or a function. A name too many keeps an item that is not used; one too few would lose it. So
// what declares no function by a name before parentheses goes by every word in it.
func declaration(text string, own bool) item {
	all := words(text)
	i := item{text: text, own: own, uses: all.text()}
	if firstWord(text) != "typedef" {
		for _, w := range all {
			if w.called && w.depth == 0 && !slices.Contains(notNames, w.text) {
				i.names = append(i.names, w.text)
			}
		}
	}
	if i.names == nil {
		i.names = i.uses
	}
	return i
}

// word is an identifier in a text.
type word struct {
	text   string
	depth  int  // of parentheses and braces around it
	called bool // parentheses follow
}

type wordList []word

func (l wordList) text() []string {
	out := make([]string, len(l))
	for i, w := range l {
		out[i] = w.text
	}
	return out
}

func letter(c byte) bool {
	return c == '_' || c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9'
}

// words are the identifiers of a text, and its numbers, which name nothing.
func words(text string) (out wordList) {
	depth := 0
	for at := 0; at < len(text); at++ {
		switch c := text[at]; {
		case c == '"' || c == '\'':
			at = endOfQuote(text, at)
		case c == '(' || c == '{':
			depth++
		case c == ')' || c == '}':
			depth--
		case letter(c):
			end := at
			for end < len(text) && letter(text[end]) {
				end++
			}
			rest := strings.TrimLeft(text[end:], " \n")
			out = append(out, word{text[at:end], depth, strings.HasPrefix(rest, "(")})
			at = end - 1
		}
	}
	return out
}

func firstWord(text string) string {
	if w := words(text); len(w) > 0 {
		return w[0].text
	}
	return ""
}
