// Package doc reads the pages of the documentation as sections, finds some of them by words, and serves them to browsers.
package doc

import (
	"bytes"
	"cmp"
	"fmt"
	"io/fs"
	"slices"
	"strings"

	"github.com/gomarkdown/markdown/ast"
	"github.com/gomarkdown/markdown/html"
	"github.com/gomarkdown/markdown/parser"

	"github.com/gomarkdown/markdown"
)

// Section is what stands below a heading, up to the next one.
type Section struct {
	Page    string         // file of the page
	Title   string         // the heading
	Anchor  string         // how links name it
	Level   int            // 1 for the title of a page
	Text    string         // Markdown, with the heading
	Within  string         // the heading above, of a lower level
	words   map[string]int // how often each is in the text
	heading []string       // words of the title
}

// Link names the section from any page.
func (s Section) Link() string {
	if s.Level == 1 {
		return s.Page
	}
	return s.Page + "#" + s.Anchor
}

// Page is a file.
type Page struct {
	Name     string
	Title    string
	HTML     []byte
	Sections []Section
}

// Site is all pages.
type Site struct {
	Pages []Page
	files fs.FS
}

// order is how pages are listed; others come behind, by name.
var order = []string{"tutorial.md", "language.md", "operators.md", "ultrasound.md", "cities.md", "radiotherapy.md", "spectra.md", "matrices.md", "planning.md", "precision.md", "measuring.md", "fields.md", "prediction.md", "editors.md", "serve.md", "errors.md", "grammar.md"}

// Load reads the Markdown files of a folder.
func Load(files fs.FS) (*Site, error) {
	names, err := fs.Glob(files, "*.md")
	if err != nil {
		return nil, err
	}
	place := func(name string) int {
		if i := slices.Index(order, name); i >= 0 {
			return i
		}
		return len(order)
	}
	slices.SortStableFunc(names, func(a, b string) int { return cmp.Compare(place(a), place(b)) })
	s := &Site{files: files}
	for _, name := range names {
		source, err := fs.ReadFile(files, name)
		if err != nil {
			return nil, err
		}
		p, err := read(name, source)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", name, err)
		}
		s.Pages = append(s.Pages, p)
	}
	return s, nil
}

// read takes one page apart.
func read(name string, source []byte) (Page, error) {
	p := Page{Name: name, Title: name}
	starts := headings(source)
	tree := markdown.Parse(source, parser.NewWithExtensions(parser.CommonExtensions|parser.AutoHeadingIDs))
	var above []string
	ast.WalkFunc(tree, func(n ast.Node, entering bool) ast.WalkStatus {
		switch n := n.(type) {
		case *ast.Link:
			if entering && bytes.HasPrefix(n.Destination, []byte("../")) {
				n.Destination = nil // files beside the documentation are not served
			}
		case *ast.Heading:
			if !entering || len(p.Sections) >= len(starts)-1 {
				break
			}
			i := len(p.Sections)
			text := strings.TrimSpace(string(source[starts[i]:starts[i+1]]))
			line, _, _ := strings.Cut(text, "\n")
			title := strings.NewReplacer("`", "", `\`, "").Replace(strings.TrimSpace(strings.TrimLeft(line, "#")))
			above = append(above[:min(len(above), n.Level-1)], title)
			s := Section{Page: name, Title: title, Anchor: n.HeadingID, Level: n.Level, Text: text}
			if len(above) > 1 {
				s.Within = above[len(above)-2]
			}
			s.index()
			p.Sections = append(p.Sections, s)
			if n.Level == 1 {
				p.Title = title
			}
		}
		return ast.GoToNext
	})
	if len(p.Sections) != len(starts)-1 || len(p.Sections) == 0 {
		return p, fmt.Errorf("%d headings, and %d sections", len(starts)-1, len(p.Sections))
	}
	p.HTML = markdown.Render(tree, html.NewRenderer(html.RendererOptions{RenderNodeHook: program}))
	return p, nil
}

// headings are the places where lines with # begin that no block of code holds, and the end of the text.
func headings(source []byte) []int {
	var out []int
	fenced := false
	at := 0
	for line := range bytes.Lines(source) {
		if bytes.HasPrefix(line, []byte("```")) {
			fenced = !fenced
		}
		if !fenced && bytes.HasPrefix(line, []byte("#")) {
			out = append(out, at)
		}
		at += len(line)
	}
	return append(out, len(source))
}

// Page finds a page by its file.
func (s *Site) Page(name string) (Page, bool) {
	i := slices.IndexFunc(s.Pages, func(p Page) bool { return p.Name == name })
	if i < 0 {
		return Page{}, false
	}
	return s.Pages[i], true
}
