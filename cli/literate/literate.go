// Package literate finds the weft blocks of Markdown files and writes below each what it shows.
package literate

import (
	"crypto/sha256"
	"fmt"
	"net/url"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"sync"

	"weft/cli/page"
)

// Block is a fenced block of a Markdown file that holds a program, and what stands below it.
type Block struct {
	Code  string
	Line  int    // of the file, its first
	Alone bool   // ```weft alone: it knows nothing of the blocks before it
	Wrong bool   // ```weft wrong: it holds a mistake, which is to be shown
	Key   string // tells the block with those that it follows from others
	Shown string // what it shows, in Markdown; empty: nothing, or what stands there is of another Key
	Fresh bool   // what stands there is of this Key

	end, upto int // of the block in the file, and of what stands below it
}

var (
	opening = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile("^(`{3,}|~{3,})[ \t]*([^`\r\n]*?)[ \t]*\r?\n?$") })
	outcome = sync.OnceValue(func() *regexp.Regexp {
		return regexp.MustCompile("\\A\r?\n?```text ([0-9a-f]{8})\r?\n(?:[^`\n][^\n]*\n|\n)*```\r?\n")
	})
	drawn = sync.OnceValue(func() *regexp.Regexp {
		return regexp.MustCompile(`\A\r?\n?!\[[^\]\n]*\]\(([^) \n]*) "([0-9a-f]{8})"\)\r?\n`)
	})
)

// Blocks are the programs of a Markdown file in a folder, in order.
func Blocks(text, folder string) (out []Block, err error) {
	before := sha256.New()
	fence, kind, began := "", "", 0 // the block that is open: how it began, what it holds, where its code begins
	at, line := 0, 0
	for l := range strings.Lines(text) {
		line++
		m := opening().FindStringSubmatch(l)
		at += len(l)
		switch {
		case fence == "" && m != nil:
			fence, kind, began = m[1], m[2], at
			if isWeft(kind) {
				out = append(out, Block{Line: line + 1, Alone: kind == "weft alone", Wrong: kind == "weft wrong"})
				if b := out[len(out)-1]; kind != "weft" && !b.Alone && !b.Wrong {
					return nil, fmt.Errorf("line %d: a block of weft is `weft`, `weft alone` or `weft wrong`, not `%s`", line, kind)
				}
			}
		case fence != "" && m != nil && m[2] == "" && m[1][0] == fence[0] && len(m[1]) >= len(fence):
			if isWeft(kind) {
				b := &out[len(out)-1]
				b.Code, b.end, b.upto = strings.ReplaceAll(text[began:at-len(l)], "\r\n", "\n"), at, at
				made := before
				if b.Alone {
					made = sha256.New()
				}
				fmt.Fprintln(made, b.Code)
				b.Key = fmt.Sprintf("%x", made.Sum(nil))[:8]
				b.below(text, folder)
			}
			fence = ""
		}
	}
	if fence != "" && isWeft(kind) {
		return nil, fmt.Errorf("the block that begins at line %d has no end", out[len(out)-1].Line)
	}
	return out, nil
}

// isWeft reports what a block holds to be a program.
func isWeft(kind string) bool { return kind == "weft" || strings.HasPrefix(kind, "weft ") }

// inLinks writes paths so that a link of Markdown does not end within.
var inLinks = strings.NewReplacer("%", "%25", " ", "%20", "(", "%28", ")", "%29")

// below reads what stands below a block: a text and pictures.
func (b *Block) below(text, folder string) {
	b.Fresh = true
	for {
		rest := text[b.upto:]
		if m := outcome().FindStringSubmatch(rest); m != nil {
			b.Fresh = b.Fresh && m[1] == b.Key
			b.upto += len(m[0])
		} else if m := drawn().FindStringSubmatch(rest); m != nil {
			path, err := url.PathUnescape(m[1])
			if err == nil {
				_, err = os.Stat(filepath.Join(folder, filepath.FromSlash(path)))
			}
			b.Fresh = b.Fresh && m[2] == b.Key && err == nil
			b.upto += len(m[0])
		} else {
			break
		}
	}
	if b.Shown = text[b.end:b.upto]; b.Shown == "" || !b.Fresh {
		b.Shown, b.Fresh = "", false
	}
}

// Written is the text with what blocks show now.
func Written(text string, blocks []Block) string {
	var b strings.Builder
	from := 0
	for _, k := range blocks {
		b.WriteString(text[from:k.end])
		b.WriteString(k.Shown)
		from = k.upto
	}
	b.WriteString(text[from:])
	return b.String()
}

// Show is what a block shows as Markdown: what was printed, and pictures, which are saved as files NAME-1.png and so on, and those that it wrote itself.
func (b *Block) Show(pieces []page.Piece, name string, wrote []string, save func(path string, png []byte) error) error {
	var out strings.Builder
	draw := func(path string) {
		fmt.Fprintf(&out, "\n![%s](%s \"%s\")\n", strings.TrimSuffix(filepath.Base(path), filepath.Ext(path)), inLinks.Replace(filepath.ToSlash(path)), b.Key)
	}
	n := 0
	for _, p := range pieces {
		if p.PNG == nil {
			fmt.Fprintf(&out, "\n```text %s\n%s\n```\n", b.Key, strings.Trim(p.Text, "\n"))
			continue
		}
		n++
		path := fmt.Sprintf("%s-%d.png", name, n)
		if err := save(path, p.PNG); err != nil {
			return err
		}
		draw(path)
	}
	for _, path := range wrote {
		if e := filepath.Ext(path); e == ".png" || e == ".svg" {
			draw(path)
		}
	}
	b.Shown = out.String()
	return nil
}
