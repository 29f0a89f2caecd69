package doc

import (
	"bytes"
	"embed"
	"html"
	"html/template"
	"io"
	"net/http"
	"slices"
	"strings"
	"sync"

	"github.com/gomarkdown/markdown/ast"

	"weft/lang/check"
	"weft/lang/diag"
	"weft/lang/syntax"
)

//go:embed page.html
var source embed.FS

var page = sync.OnceValue(func() *template.Template { return template.Must(template.ParseFS(source, "page.html")) })

// view is what the frame of every page shows.
type view struct {
	Title, Query, Here string
	Pages              []Page
	Body               template.HTML // of our own pages alone
	Sections           []Section
	Found              []Section
	Searched           bool
}

const mostFound = 60

// ServeHTTP answers with a page, a picture of one, or what was found.
func (s *Site) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if r.Method != http.MethodGet && r.Method != http.MethodHead {
		http.Error(w, "only GET and HEAD are answered", http.StatusMethodNotAllowed)
		return
	}
	w.Header().Set("Content-Security-Policy", "default-src 'none'; img-src 'self'; style-src 'unsafe-inline'; form-action 'self'")
	v := view{Pages: s.Pages, Title: "weft"}
	name := strings.TrimPrefix(r.URL.Path, "/")
	p, ok := s.Page(name)
	switch {
	case strings.HasPrefix(name, "img/"):
		http.FileServerFS(s.files).ServeHTTP(w, r)
		return
	case name == "":
		v.Here = "/"
	case name == "search":
		v.Query, v.Searched = r.FormValue("q"), true
		v.Found = s.Find(v.Query)
		v.Found = v.Found[:min(len(v.Found), mostFound)]
	case ok:
		v.Title, v.Here, v.Body = p.Title, name, template.HTML(p.HTML)
		v.Sections = contents(p)
	default:
		w.WriteHeader(http.StatusNotFound)
		v.Title, v.Searched, v.Query = "no such page", true, name
	}
	var b bytes.Buffer
	if err := page().Execute(&b, v); err != nil {
		http.Error(w, err.Error(), http.StatusInternalServerError)
		return
	}
	w.Header().Set("Content-Type", "text/html; charset=utf-8")
	_, _ = w.Write(b.Bytes()) // the browser may be gone
}

// longest is how many sections a table of contents lists before it keeps to the upper levels.
const longest = 60

// contents are the sections that a page lists.
func contents(p Page) []Section {
	out := slices.DeleteFunc(slices.Clone(p.Sections), func(s Section) bool { return s.Level == 1 })
	if len(out) > longest {
		out = slices.DeleteFunc(out, func(s Section) bool { return s.Level > 2 })
	}
	return out
}

// program writes blocks of weft with colours; all else is written as ever.
func program(w io.Writer, n ast.Node, _ bool) (ast.WalkStatus, bool) {
	block, ok := n.(*ast.CodeBlock)
	if !ok {
		return ast.GoToNext, false
	}
	if language, _, _ := strings.Cut(string(block.Info), " "); language != "weft" {
		return ast.GoToNext, false
	}
	_, _ = io.WriteString(w, "<pre><code>"+coloured(string(block.Literal))+"</code></pre>\n") // to memory
	return ast.GoToNext, true
}

// classes are those of the style sheet, by kinds of tokens.
var classes = map[syntax.Kind]string{
	syntax.Comment: "comment", syntax.Keyword: "keyword", syntax.Numeral: "number", syntax.Text: "text",
	syntax.UnitWord: "unit", syntax.UnitJoin: "unit", syntax.UnitPower: "unit",
}

// coloured writes a program as HTML.
func coloured(code string) string {
	var b strings.Builder
	at := 0
	for _, t := range syntax.Scan(diag.NewSource("", code), check.Units(), new(diag.List)) {
		class, ok := classes[t.Kind]
		if !ok || t.Start < at {
			continue
		}
		b.WriteString(html.EscapeString(code[at:t.Start]) + `<span class="` + class + `">` + html.EscapeString(t.Text) + "</span>")
		at = t.End()
	}
	return b.String() + html.EscapeString(code[at:])
}
