package lsp

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/creachadair/jrpc2"
	"github.com/creachadair/jrpc2/channel"

	"weft/lang/diag"
	"weft/runtime/report"
	"weft/runtime/session"
)

// predicted stands for a planner.
func predicted(_ context.Context, p *session.Program) ([]report.Line, error) {
	return []report.Line{{Line: 1, Says: fmt.Sprintf("%d sinks", len(p.Sinks))}}, nil
}

// A text is planned when it is opened and saved; the editor is told to ask for hints again.
func TestPredictions(t *testing.T) {
	e := newEditor(t)
	ends := func() (at []position, says []string) {
		var hints []inlayHint
		e.ask("textDocument/inlayHint", json.RawMessage(`{"textDocument": {"uri": "`+uri+`"}, "range": {"start": {"line": 0, "character": 0}, "end": {"line": 9, "character": 0}}}`), &hints)
		for _, h := range hints {
			if h.Kind == 0 {
				at, says = append(at, h.Position), append(says, h.Label)
			}
		}
		return at, says
	}
	told := func() {
		t.Helper()
		select {
		case m := <-e.asked:
			if m != "workspace/inlayHint/refresh" {
				t.Error(m)
			}
		case <-time.After(20 * time.Second):
			t.Fatal("the text is not planned")
		}
	}
	e.open("show(1)\n")
	told()
	if at, says := ends(); !slices.Equal(says, []string{"1 sinks"}) || at[0] != (position{0, 7}) {
		t.Error(at, says)
	}
	e.tell("textDocument/didChange", json.RawMessage(`{"textDocument": {"uri": "`+uri+`"}, "contentChanges": [{"text": "show(1)\nshow(2)\n"}]}`))
	e.diagnostics()
	if _, says := ends(); len(says) > 0 { // lines may have moved
		t.Error(says)
	}
	e.tell("textDocument/didSave", json.RawMessage(`{"textDocument": {"uri": "`+uri+`"}}`))
	told()
	if _, says := ends(); !slices.Equal(says, []string{"2 sinks"}) {
		t.Error(says)
	}
}

// editor is a client of a server.
type editor struct {
	*jrpc2.Client
	t     *testing.T
	found chan published
	asked chan string // of the editor
	ended chan error
}

func newEditor(t *testing.T) *editor {
	toServer, fromClient := io.Pipe()
	toClient, fromServer := io.Pipe()
	e := &editor{t: t, found: make(chan published, 1000), asked: make(chan string, 1000), ended: make(chan error, 1)}
	go func() { e.ended <- Serve(toServer, fromServer, predicted) }()
	e.Client = jrpc2.NewClient(channel.LSP(toClient, fromClient), &jrpc2.ClientOptions{OnCallback: func(_ context.Context, r *jrpc2.Request) (any, error) {
		e.asked <- r.Method()
		return nil, nil
	}, OnNotify: func(r *jrpc2.Request) {
		var p published
		if err := r.UnmarshalParams(&p); err != nil {
			t.Error(err)
		}
		e.found <- p
	}})
	e.ask("initialize", json.RawMessage(`{"capabilities": {"workspace": {"inlayHint": {"refreshSupport": true}}}}`), nil)
	e.tell("initialized", map[string]any{})
	return e
}

func (e *editor) ask(method string, params, into any) {
	e.t.Helper()
	r, err := e.Call(context.Background(), method, params)
	if err == nil && into != nil {
		err = r.UnmarshalResult(into)
	}
	if err != nil {
		e.t.Fatalf("%s: %v", method, err)
	}
}

func (e *editor) tell(method string, params any) {
	e.t.Helper()
	if err := e.Notify(context.Background(), method, params); err != nil {
		e.t.Fatalf("%s: %v", method, err)
	}
}

const uri = "file:///tmp/pipeline.weft"

func (e *editor) open(text string) []diagnostic {
	e.t.Helper()
	e.tell("textDocument/didOpen", map[string]any{"textDocument": map[string]any{"uri": uri, "text": text, "languageId": "weft", "version": 1}})
	return e.diagnostics()
}

func (e *editor) diagnostics() []diagnostic {
	e.t.Helper()
	select {
	case p := <-e.found:
		return p.Diagnostics
	case <-time.After(20 * time.Second):
		e.t.Fatal("no diagnostics")
		return nil
	}
}

// where is a request about the place of a text that ‸ marks, and the text without it.
func where(marked string) (string, map[string]any) {
	before, after, _ := strings.Cut(marked, "‸")
	s := diag.NewSource("", before+after)
	return before + after, map[string]any{"textDocument": map[string]any{"uri": uri}, "position": positionOf(s, len(before))}
}

func (e *editor) close() {
	e.t.Helper()
	e.ask("shutdown", nil, nil)
	e.tell("exit", nil)
	select {
	case err := <-e.ended:
		if err != nil {
			e.t.Error(err)
		}
	case <-time.After(20 * time.Second):
		e.t.Error("the server goes on after exit")
	}
}

const program = `use signal
x = axis(x, 0 mm .. 9 mm in 10)
## The square of é and 𝛼.
fn square(a, scale = 1) { b = a * scale
    b ^ 2 }
y = square(x)
show(sum(y, over: x))
`

func TestWhatNamesAre(t *testing.T) {
	e := newEditor(t)
	defer e.close()
	if found := e.open(program); len(found) != 1 || found[0].Severity != 2 { // nothing uses signal
		t.Fatalf("%+v", found)
	}
	for marked, want := range map[string]string{
		strings.Replace(program, "y = sq", "y‸ = sq", 1):                    "y: f32 [x: 10] mm^2",
		strings.Replace(program, "sum(y", "sum(‸y", 1):                      "y: f32 [x: 10] mm^2",
		strings.Replace(program, "= square(x)", "= squ‸are(x)", 1):          "fn square(a, scale = 1)\n```\nThe square of é and 𝛼.",
		strings.Replace(program, "show(sum", "show(su‸m", 1):                "Sum of",
		strings.Replace(program, "b = a * scale", "b = ‸a * scale", 1):      "`a`, a parameter",
		program + "z = signal.demo‸dulate":                                  "",
		strings.Replace(program, "over: x))", "over: x))\n# 𝛼 ‸comment", 1): "",
	} {
		_, place := where(marked)
		var h *hover
		e.ask("textDocument/hover", place, &h)
		switch {
		case want == "" && h != nil && marked[len(marked)-1] == '\n':
			t.Errorf("%q is told for a comment", h.Contents.Value)
		case want != "" && (h == nil || !strings.Contains(h.Contents.Value, want)):
			t.Errorf("%+v is told, not %q", h, want)
		}
	}
	_, place := where(strings.Replace(program, "sum(y", "sum(‸y", 1))
	var at location
	if e.ask("textDocument/definition", place, &at); at.URI != uri || at.Range.Start != (position{5, 0}) {
		t.Errorf("defined at %+v", at)
	}
	var hints []inlayHint
	e.ask("textDocument/inlayHint", map[string]any{"textDocument": map[string]any{"uri": uri}, "range": textRange{End: position{100, 0}}}, &hints)
	hints = slices.DeleteFunc(hints, func(h inlayHint) bool { return h.Kind != 1 }) // what lines take is told apart
	if len(hints) != 2 || hints[1].Label != ": f32 [x: 10] mm^2" || hints[1].Position != (position{5, 1}) {
		t.Errorf("hints %+v", hints)
	}
	var symbols []symbol
	e.ask("textDocument/documentSymbol", map[string]any{"textDocument": map[string]any{"uri": uri}}, &symbols)
	var names []string
	for _, s := range symbols {
		names = append(names, s.Name)
	}
	if !slices.Equal(names, []string{"signal", "x", "square", "y"}) {
		t.Errorf("symbols %v", names)
	}
	var colours semanticTokens
	if e.ask("textDocument/semanticTokens/full", map[string]any{"textDocument": map[string]any{"uri": uri}}, &colours); len(colours.Data)%5 != 0 || len(colours.Data) < 5*30 {
		t.Errorf("%d numbers", len(colours.Data))
	}
}

func TestWhatMayCome(t *testing.T) {
	e := newEditor(t)
	defer e.close()
	for marked, want := range map[string]string{
		program + "show(qua‸": "quantile", program + "z = 3 M‸": "MHz", program + "z = y[‸": "x:", program + "z = histogram(y, ed‸": "edges:",
		program + "z = signal.dem‸": "signal.demodulate", program + "use ur‸": "urban", program + "z = squ‸": "square",
	} {
		text, place := where(marked)
		e.open(text)
		var out []completion
		e.ask("textDocument/completion", place, &out)
		i := slices.IndexFunc(out, func(c completion) bool { return c.Label == want })
		if i < 0 {
			t.Errorf("%s is not offered at the end of %q", want, text[len(program):])
			continue
		}
		if s := diag.NewSource("", text); !strings.HasSuffix(edited(s, out[i].Edit.Range, out[i].Edit.NewText), want) {
			t.Errorf("%+v of %q", out[i].Edit, text[len(program):])
		}
	}
	text, place := where(program + "histogram(y, ‸")
	e.open(text)
	var help signatureHelp
	if e.ask("textDocument/signatureHelp", place, &help); help.ActiveParameter != 1 || help.Signatures[0].Parameters[1].Label != "edges" {
		t.Errorf("%+v", help)
	}
}

func TestNamesAreChanged(t *testing.T) {
	e := newEditor(t)
	defer e.close()
	rename := func(marked, to string) (string, error) {
		text, place := where(marked)
		e.open(text)
		place["newName"] = to
		r, err := e.Call(t.Context(), "textDocument/rename", place)
		if err != nil {
			return "", err
		}
		var edit workspaceEdit
		if err := r.UnmarshalResult(&edit); err != nil {
			t.Fatal(err)
		}
		for _, c := range slices.Backward(edit.Changes[uri]) {
			text = edited(diag.NewSource("", text), c.Range, c.NewText)
		}
		return text, nil
	}
	for _, c := range []struct{ marked, to, want string }{
		{strings.Replace(program, "y = sq", "‸y = sq", 1), "area", strings.NewReplacer("\ny =", "\narea =", "sum(y,", "sum(area,").Replace(program)},
		// The name of a dimension is another thing.
		{strings.Replace(program, "x = axis", "‸x = axis", 1), "place", strings.NewReplacer("\nx =", "\nplace =", "square(x)", "square(place)").Replace(program)},
		{strings.Replace(program, "(a, scale", "(‸a, scale", 1), "q", strings.NewReplacer("(a, scale", "(q, scale", "b = a *", "b = q *").Replace(program)},
		{strings.Replace(program, "b = a", "‸b = a", 1), "q", strings.NewReplacer("b = a", "q = a", "b ^", "q ^").Replace(program)},
		{strings.Replace(program, "y = square", "y = squ‸are", 1), "power", strings.NewReplacer("fn square", "fn power", "= square", "= power").Replace(program)},
		{"‸x = 2\nfn f(a) {\n    x = x + a\n    x * 2\n}\nshow(f(x))\n", "z", "z = 2\nfn f(a) {\n    x = z + a\n    x * 2\n}\nshow(f(z))\n"},
		{"fn f(a) = a * scale\n‸scale = 2\nshow(scale)\n", "gain", "fn f(a) = a * gain\ngain = 2\nshow(gain)\n"}, // nothing calls f
	} {
		if got, err := rename(c.marked, c.to); err != nil || got != c.want {
			t.Errorf("%s: %v\n%s", c.to, err, got)
		}
	}
	for _, c := range []struct{ marked, to string }{
		{strings.Replace(program, "y = sq", "‸y = sq", 1), "x"}, {strings.Replace(program, "y = sq", "‸y = sq", 1), "a b"},
		{strings.Replace(program, "show(sum", "show(s‸um", 1), "total"},
		// What another name would catch, or be caught by, is refused, in a file with mistakes too.
		{"‸g = 3\nfn f(a) = a * g\nshow(f(2))\n", "a"}, {"g = 3\nfn f(‸a) = a * g\nshow(f(2))\n", "g"}, {"‸h = 3\nx = 4\nshow(maximm(h + x))\n", "x"},
		{strings.Replace(program, "y = sq", "‸y = sq", 1), "fn"},
	} {
		if got, err := rename(c.marked, c.to); err == nil {
			t.Errorf("to %s:\n%s", c.to, got)
		}
	}
}

func TestMistakesWhileWriting(t *testing.T) {
	e := newEditor(t)
	defer e.close()
	found := e.open("𝛼 = 3 mhz\nshow(𝛼)\n")
	if len(found) != 1 || found[0].Code != "E0301" || found[0].Range != (textRange{position{0, 7}, position{0, 10}}) {
		t.Fatalf("%+v", found)
	}
	var actions []codeAction
	e.ask("textDocument/codeAction", map[string]any{"textDocument": map[string]any{"uri": uri}, "range": found[0].Range, "context": map[string]any{"diagnostics": found}}, &actions)
	if len(actions) == 0 || actions[0].Title != "Write MHz" {
		t.Fatalf("%+v", actions)
	}
	fix := actions[0].Edit.Changes[uri][0]
	e.tell("textDocument/didChange", map[string]any{"textDocument": map[string]any{"uri": uri}, "contentChanges": []any{map[string]any{"range": fix.Range, "text": fix.NewText}}})
	if found := e.diagnostics(); len(found) != 0 {
		t.Errorf("after the fix: %+v", found)
	}
	var edits []textEdit
	e.open("a=1+2\nshow( a )\n")
	if e.ask("textDocument/formatting", map[string]any{"textDocument": map[string]any{"uri": uri}}, &edits); len(edits) != 1 || edits[0].NewText != "a = 1 + 2\nshow(a)\n" {
		t.Errorf("%+v", edits)
	}
	e.tell("textDocument/didClose", map[string]any{"textDocument": map[string]any{"uri": uri}})
	if found := e.diagnostics(); len(found) != 0 {
		t.Errorf("of a closed text: %+v", found)
	}
}

// Whatever is written and taken away, the server holds the text that the editor has, and finds in it what a fresh check finds.
func TestEditsAtRandom(t *testing.T) {
	edits, err := strconv.Atoi(cmp.Or(os.Getenv("WEFT_LSP_EDITS"), "300"))
	if err != nil {
		t.Fatal(err)
	}
	r := rand.New(rand.NewPCG(7, 7))
	pieces := []string{"x", "\n", "show(", ")", "[", "é", "𝛼", "3 mm", "\"", "fn f(a) = ", " | ", "# ", "{", "}", "use signal\n", "axis(q, 0 .. 3 in 4)", "param p = 3\n", "\r\n", "->", "where("}
	text := program
	d := read(uri, text, nil)
	for range edits {
		s := d.source
		from := r.IntN(len(s.Text) + 1)
		to := min(len(s.Text), from+r.IntN(12)*r.IntN(2))
		for from > 0 && from < len(s.Text) && s.Text[from]&0xC0 == 0x80 {
			from--
		}
		for to < len(s.Text) && s.Text[to]&0xC0 == 0x80 {
			to++
		}
		if from > 0 && strings.HasPrefix(s.Text[from-1:], "\r\n") { // no place is within the end of a line
			from--
		}
		if to > 0 && strings.HasPrefix(s.Text[to-1:], "\r\n") {
			to++
		}
		piece := pieces[r.IntN(len(pieces))]
		text = s.Text[:from] + piece + s.Text[to:]
		if got := edited(s, textRange{positionOf(s, from), positionOf(s, to)}, piece); got != text {
			t.Fatalf("bytes %d to %d of %q by %q give %q", from, to, s.Text, piece, got)
		}
		d = read(uri, text, d)
		fresh := read(uri, text, nil)
		if a, b := d.diagnostics(), fresh.diagnostics(); !reflect.DeepEqual(a, b) {
			t.Fatalf("%q: %+v, fresh %+v", text, a, b)
		}
		p := at{Position: positionOf(d.source, min(from, len(text)))}
		for _, ask := range []func(at) error{
			func(p at) error { _, err := d.hover(p); return err }, func(p at) error { _, err := d.completions(p); return err },
			func(p at) error { _, err := d.signature(p); return err }, func(p at) error { _, err := d.definition(p); return err }, func(p at) error { _, err := d.uses(p); return err },
		} {
			if err := ask(p); err != nil {
				t.Fatal(err)
			}
		}
		if _, err := json.Marshal(d.diagnostics()); err != nil {
			t.Fatal(err)
		}
		if len(text) > 2000 {
			d = read(uri, program, nil)
		}
	}
}

// What was meant instead of a mistake is written in its place, and the mistake is gone then.
func TestWhatWasMeantMends(t *testing.T) {
	mended := 0
	for _, c := range diag.Codes() {
		d := read(uri, c.Wrong, nil)
		for _, m := range d.diagnostics() {
			for _, name := range m.Data {
				mended++
				after := read(uri, edited(d.source, m.Range, name), nil)
				if slices.ContainsFunc(after.diagnostics(), func(x diagnostic) bool { return x.Code == m.Code && x.Range.Start == m.Range.Start }) {
					t.Errorf("%s: %q for %q leaves %+v", c.Code, name, d.source.Text[offset(d.source, m.Range.Start):offset(d.source, m.Range.End)], after.diagnostics())
				}
			}
		}
	}
	if mended < 5 {
		t.Errorf("%d suggestions", mended)
	}
}

// BenchmarkKeystroke is how long a text of 1,000 lines with 200 functions takes to be checked again.
func BenchmarkKeystroke(b *testing.B) {
	var text strings.Builder
	text.WriteString("x = axis(x, 0 .. 1 in 100)\n")
	for i := range 200 {
		fmt.Fprintf(&text, "fn f%d(a) {\n    b = a * %d + 1\n    sqrt(b ^ 2 + 1)\n}\ny%d = f%d(x)\n", i, i, i, i)
	}
	text.WriteString("show(y199)\n")
	d := read(uri, text.String(), nil)
	for b.Loop() {
		d = read(uri, d.source.Text, d)
		if len(d.diagnostics()) > 250 {
			b.Fatal(d.diagnostics()[0])
		}
	}
}
