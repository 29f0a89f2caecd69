package doc

import (
	"io"
	"net/http/httptest"
	"path"
	"regexp"
	"strings"
	"testing"
	"testing/fstest"

	"weft/docs"
)

func site(t *testing.T) *Site {
	s, err := Load(docs.Files)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

var (
	target = regexp.MustCompile(`(?:href|src)="([^"]*)"`)
	anchor = regexp.MustCompile(` id="([^"]*)"`)
)

// Whatever a page refers to is there: pages, places in them, and pictures.
func TestLinks(t *testing.T) {
	s := site(t)
	anchors := map[string]bool{}
	for _, p := range s.Pages {
		anchors[p.Name] = true
		for _, a := range anchor.FindAllSubmatch(p.HTML, -1) {
			anchors[p.Name+"#"+string(a[1])] = true
		}
		for _, sec := range p.Sections {
			if !anchors[sec.Link()] {
				t.Errorf("%s: nothing has the anchor of %q", p.Name, sec.Title)
			}
		}
	}
	links := 0
	for _, p := range s.Pages {
		for _, l := range target.FindAllSubmatch(p.HTML, -1) {
			to := string(l[1])
			links++
			switch {
			case to == "" || strings.HasPrefix(to, "https://"):
			case strings.HasPrefix(to, "img/"):
				if _, err := docs.Files.Open(to); err != nil {
					t.Errorf("%s: %v", p.Name, err)
				}
			case strings.HasPrefix(to, "#"):
				to = p.Name + to
				fallthrough
			default:
				if !anchors[to] {
					t.Errorf("%s: there is no %s", p.Name, to)
				}
			}
		}
	}
	if links < 30 {
		t.Errorf("only %d links", links)
	}
}

func TestFind(t *testing.T) {
	s := site(t)
	for query, want := range map[string]string{"cumsum": "operators.md#cumsum", "CITY": "operators.md#simulate-city", "E0704": "errors.md#e0704-result-differs-from-float64"} {
		found := s.Find(query)
		if len(found) == 0 || found[0].Link() != want {
			t.Errorf("%s: %.1v", query, found)
		}
	}
	if f := s.Find("neither here nor thzzere"); len(f) != 0 {
		t.Errorf("%v", f)
	}
	if f := s.Find(""); len(f) != 0 {
		t.Errorf("%v", f)
	}
}

func TestServe(t *testing.T) {
	s := site(t)
	for at, want := range map[string]string{
		"/": "href=\"/tutorial.md\"", "/language.md": `<span class="unit">mm</span>`, "/search?q=median": "/operators.md#median", "/search?q=%3Cb%3Ezz": "&lt;b&gt;zz",
		"/img/" + picture(t): "PNG",
	} {
		w := httptest.NewRecorder()
		s.ServeHTTP(w, httptest.NewRequest("GET", at, nil))
		if body, _ := io.ReadAll(w.Body); w.Code != 200 || !strings.Contains(string(body), want) {
			t.Errorf("%s: %d, and no %s", at, w.Code, want)
		}
	}
	for at, code := range map[string]int{"/none.md": 404, "/../go.mod": 404, "/docs.go": 404} {
		w := httptest.NewRecorder()
		s.ServeHTTP(w, httptest.NewRequest("GET", at, nil))
		if w.Code != code {
			t.Errorf("%s: %d", at, w.Code)
		}
	}
	w := httptest.NewRecorder()
	if s.ServeHTTP(w, httptest.NewRequest("POST", "/", nil)); w.Code != 405 {
		t.Errorf("POST: %d", w.Code)
	}
}

func picture(t *testing.T) string {
	all, err := docs.Files.ReadDir("img")
	if err != nil || len(all) == 0 {
		t.Fatal(err)
	}
	return path.Base(all[0].Name())
}

// What looks like a heading in a block of code is none.
func TestSections(t *testing.T) {
	s, err := Load(fstest.MapFS{"a.md": {Data: []byte("# A\n\nlead of `a`\nline\n\n```weft\n# note\nx = 1\n```\n\n## B c\n\n|a|b|\n|-|-|\n|1|2|\n\nof b\n\n### D\n\n## E\n")}})
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, x := range s.Pages[0].Sections {
		got = append(got, x.Title+"<"+x.Within+":"+x.Lead())
	}
	if all := strings.Join(got, " "); all != "A<:lead of `a` B c<A:of b D<B c: E<A:" {
		t.Errorf("%s", all)
	}
	if _, err := Load(fstest.MapFS{"a.md": {Data: []byte("nothing\n")}}); err == nil {
		t.Error("a page without a title")
	}
}
