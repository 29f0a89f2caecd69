package diag

import (
	"strings"
	"testing"
	"time"
	"unicode"
	"unicode/utf8"

	"github.com/rivo/uniseg"

	"weft/ops/problem"
)

// at makes the span of the marked part: the text between « and », which are removed.
func at(t *testing.T, name, marked string) Span {
	t.Helper()
	start := strings.Index(marked, "«")
	end := strings.Index(marked, "»") - len("«")
	if start < 0 || end < start {
		t.Fatalf("no marks in %q", marked)
	}
	return Span{NewSource(name, strings.NewReplacer("«", "", "»", "").Replace(marked)), start, end}
}

func TestNothingSteersTheTerminal(t *testing.T) {
	var l List
	src := NewSource("a\x1b[31m\xff.weft", "b\n")
	l.Report(problem.UnknownName, Span{src, 0, 1}, "read \x1b]0;x\x07 of \u202e").Relate(Span{src, 0, 1}, "in \x9b").Helpf("not \x7f")
	for _, c := range l.String() {
		if c != '\n' && (unicode.IsControl(c) || unicode.Is(unicode.Bidi_Control, c) || c == utf8.RuneError) {
			t.Errorf("%q reaches the terminal: %q", c, l.String())
		}
	}
}

func TestRender(t *testing.T) {
	for _, tt := range []struct{ name, marked, want string }{
		{"plain", "a = 1\nvolume = read(iq) | «beamfrom»(probe)\n", `
f.weft:2:21: error[E0202]: what
  2 | volume = read(iq) | beamfrom(probe)
    |                     ^^^^^^^^
`},
		{"tabs", "\ta\t= «b\tc»", `
f.weft:1:6: error[E0202]: what
  1 |     a   = b c
    |           ^^^
`},
		{"wide and combining characters", "a = \"日本e\u0301\" «+» 2", `
f.weft:1:12: error[E0202]: what
  1 | a = "日本e` + "\u0301" + `" + 2
    |             ^
`},
		{"control characters", "a\x1b[31m «b»\x00", `
f.weft:1:8: error[E0202]: what
  1 | a�[31m b�
    |        ^
`},
		{"invalid UTF-8", "a \xff\xfe «b»", `
f.weft:1:6: error[E0202]: what
  1 | a �� b
    |      ^
`},
		{"CRLF", "a\r\n«bcd»\r\ne", `
f.weft:2:1: error[E0202]: what
  2 | bcd
    | ^^^
`},
		{"end of line", "a = «»\nb", `
f.weft:1:5: error[E0202]: what
  1 | a =
    |     ^
`},
		{"end of file", "a\n«»", `
f.weft:2:1: error[E0202]: what
  2 |
    | ^
`},
		{"empty file", "«»", `
f.weft:1:1: error[E0202]: what
  1 |
    | ^
`},
		{"two lines", "show(«a,\n    b») # end", `
f.weft:1:6: error[E0202]: what
  1 | show(a,
    |      ^^
  2 |     b) # end
    |     ^
`},
		{"many lines", "f«(\n1,\n2,\n)»", `
f.weft:1:2: error[E0202]: what
  1 | f(
    |  ^
...
  4 | )
    | ^
`},
		{"line number of four digits", strings.Repeat("\n", 1233) + "ab«c»", `
f.weft:1234:3: error[E0202]: what
1234 | abc
     |   ^
`},
	} {
		t.Run(tt.name, func(t *testing.T) {
			var l List
			l.Report(problem.UnknownOperator, at(t, "f.weft", tt.marked), "what")
			want := strings.TrimPrefix(tt.want, "\n")
			got := l.String()
			if trimBlanks(got) != want {
				t.Errorf("got\n%s\nwant\n%s", got, want)
			}
		})
	}
}

// trimBlanks removes blanks at line ends, which the table above cannot show.
func trimBlanks(s string) string {
	lines := strings.Split(s, "\n")
	for i := range lines {
		lines[i] = strings.TrimRight(lines[i], " ")
	}
	return strings.Join(lines, "\n")
}

func TestRenderNotesAndHelp(t *testing.T) {
	src := NewSource("f.weft", "c = 1\nc = 2\n")
	var l List
	l.Report(problem.DuplicateName, Span{src, 6, 7}, "`%s` is defined twice", "c").
		Relate(Span{src, 0, 1}, "first definition").
		Relate(Span{}, "and once more on the command line").
		Suggest("d", "e")
	l.Report(problem.PipelineUnreadable, Span{}, "no such file")
	want := "error[E0524]: no such file\n" +
		"f.weft:2:1: error[E0204]: `c` is defined twice\n" +
		"  2 | c = 2\n" +
		"    | ^\n" +
		"f.weft:1:1: note: first definition\n" +
		"note: and once more on the command line\n" +
		"help: did you mean `d` or `e`?\n"
	if got := l.String(); got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
}

func TestLongLinesAreCutAroundTheSpan(t *testing.T) {
	long := strings.Repeat("x", 300)
	for _, marked := range []string{"«a»" + long, long + "«a»" + long, long + "«a»", "«" + long + "»", long + "«bad»" + "日本" + long} {
		span := at(t, "f", marked)
		var b strings.Builder
		l := List{}
		l.Report(problem.UnknownName, span, "what")
		if err := (Renderer{Width: 60}).Write(&b, &l); err != nil {
			t.Fatal(err)
		}
		lines := strings.Split(b.String(), "\n")
		text, carets := []rune(lines[1]), []rune(lines[2])
		if len(text) > len("  1 | ")+62 {
			t.Errorf("line of %d columns: %s", len(text), lines[1])
		}
		if len(carets) > len(text) {
			t.Errorf("carets behind the line:\n%s\n%s", lines[1], lines[2])
		}
		first := strings.Index(lines[2], "^")
		want := []rune(span.Text())[0]
		if text[first] != want {
			t.Errorf("caret under %q, want %q:\n%s\n%s", text[first], want, lines[1], lines[2])
		}
	}
}

func TestColor(t *testing.T) {
	var plain, colored strings.Builder
	l := List{}
	l.Report(problem.UnusedName, at(t, "f", "«a» = 1"), "unused").Helpf("remove it")
	if err := (Renderer{}).Write(&plain, &l); err != nil {
		t.Fatal(err)
	}
	if err := (Renderer{Color: true}).Write(&colored, &l); err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(colored.String(), yellow+"warning[E0211]:"+reset) {
		t.Errorf("no colour in %q", colored.String())
	}
	stripped := strings.NewReplacer(reset, "", bold, "", yellow, "", cyan, "", green, "").Replace(colored.String())
	if stripped != plain.String() {
		t.Errorf("colour changes the text: %q, %q", stripped, plain.String())
	}
}

func TestManyMistakesOnOneLongLineRenderQuickly(t *testing.T) {
	const n = 20_000
	src := NewSource("f", strings.Repeat("é\t日\xff", n))
	var l List
	for i := range 500 {
		at := i * len(src.Text) / 500
		l.Report(problem.UnknownCharacter, Span{src, at, at + 1}, "here")
	}
	start := time.Now()
	text := l.String()
	if took := time.Since(start); took > 5*time.Second {
		t.Errorf("took %v", took)
	}
	for line := range strings.Lines(text) {
		if uniseg.StringWidth(line) > defaultWidth+10 {
			t.Fatalf("line of %d columns", uniseg.StringWidth(line))
		}
	}
}
