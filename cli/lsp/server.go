// Package lsp is a server of the Language Server Protocol, by which editors tell mistakes while a pipeline is written, what its values are, and what
// may come next. It checks texts as `weft check` does, and runs nothing.
package lsp

import (
	"context"
	"io"
	"sync"

	"github.com/creachadair/jrpc2"
	"github.com/creachadair/jrpc2/channel"
	"github.com/creachadair/jrpc2/handler"

	"weft/lang/check"
	"weft/lang/diag"
	"weft/runtime/report"
	"weft/runtime/session"
)

// Predict plans a program and says what its lines will take.
type Predict func(context.Context, *session.Program) ([]report.Line, error)

// Serve answers a client until it says exit, or is gone. Texts are planned when they are opened and saved, beside everything else.
func Serve(in io.Reader, out io.WriteCloser, predict Predict) error {
	ctx, cancel := context.WithCancel(context.Background())
	s := &server{documents: store{open: map[string]*document{}}, predict: predict, ctx: ctx}
	defer s.planning.Wait()
	defer cancel()
	methods := handler.Map{
		"initialize":              handler.New(s.initialize),
		"initialized":             answers(nil),
		"$/setTrace":              answers(nil),
		"$/cancelRequest":         answers(nil), // requests are answered one by one
		"textDocument/didOpen":    handler.New(s.opened),
		"textDocument/didChange":  handler.New(s.changed),
		"textDocument/didSave":    handler.New(s.saved),
		"textDocument/didClose":   handler.New(s.closed),
		"textDocument/completion": handler.New(of(s, (*document).completions)),
		"textDocument/hover":      handler.New(of(s, (*document).hover)),

		"textDocument/signatureHelp":       handler.New(of(s, (*document).signature)),
		"textDocument/definition":          handler.New(of(s, (*document).definition)),
		"textDocument/references":          handler.New(of(s, (*document).uses)),
		"textDocument/rename":              handler.New(of(s, (*document).rename)),
		"textDocument/documentSymbol":      handler.New(of(s, (*document).symbols)),
		"textDocument/formatting":          handler.New(of(s, (*document).formatting)),
		"textDocument/inlayHint":           handler.New(of(s, (*document).hints)),
		"textDocument/semanticTokens/full": handler.New(of(s, (*document).tokens)),
		"textDocument/codeAction":          handler.New(of(s, (*document).actions)),
	}
	var rpc *jrpc2.Server
	methods["shutdown"] = answers(nil)
	left := make(chan struct{})
	methods["exit"] = func(context.Context, *jrpc2.Request) (any, error) { close(left); return nil, nil }
	// One request at a time, in the order in which they come: edits are.
	rpc = jrpc2.NewServer(methods, &jrpc2.ServerOptions{AllowPush: true, Concurrency: 1})
	ended := make(chan error, 1)
	go func() { ended <- rpc.Start(channel.LSP(in, out)).Wait() }()
	select {
	case err := <-ended:
		return err
	case <-left: // whether or not the client closes its side
		return nil
	}
}

// answers always answers alike.
func answers(with any) jrpc2.Handler {
	return func(context.Context, *jrpc2.Request) (any, error) { return with, nil }
}

// server is what it keeps between requests.
type server struct {
	documents store
	predict   Predict
	refreshes bool // the editor asks for hints again when it is told to
	ctx       context.Context
	planning  sync.WaitGroup
	one       sync.Mutex // plans one text at a time
}

func (s *server) initialize(_ context.Context, p initializing) (any, error) {
	s.refreshes = p.Capabilities.Workspace.InlayHint.RefreshSupport
	return capabilities, nil
}

func (s *server) saved(ctx context.Context, p about) error {
	s.plan(ctx, s.documents.get(p.TextDocument.URI))
	return nil
}

// plan finds what the lines of a text will take, beside what else is asked of the server. What cannot be planned has no hints of that: the check
// says what is wrong with it.
func (s *server) plan(ctx context.Context, d *document) {
	if d == nil || d.program.Err() != nil || len(d.program.Sinks) == 0 {
		return
	}
	rpc := jrpc2.ServerFromContext(ctx)
	s.planning.Go(func() {
		s.one.Lock()
		defer s.one.Unlock()
		if s.ctx.Err() != nil || s.documents.get(d.uri) != d { // it was changed
			return
		}
		lines, err := s.predict(s.ctx, session.CheckText(pathOf(d.uri), []byte(d.source.Text), check.Options{}))
		if err != nil {
			return
		}
		d.predicted.Store(&lines)
		if s.refreshes {
			_, _ = rpc.Callback(s.ctx, "workspace/inlayHint/refresh", nil) // an editor that does not want to leaves hints as they are
		}
	})
}

// of is a request about a text; nothing is known of one that is not open.
func of[P interface{ uri() string }, T any](s *server, answer func(*document, P) (T, error)) func(context.Context, P) (any, error) {
	return func(_ context.Context, p P) (any, error) {
		d := s.documents.get(p.uri())
		if d == nil {
			return nil, nil
		}
		return answer(d, p)
	}
}

func (s *server) opened(ctx context.Context, p opened) error {
	err := s.show(ctx, p.TextDocument.URI, p.TextDocument.Text)
	s.plan(ctx, s.documents.get(p.TextDocument.URI))
	return err
}

func (s *server) changed(ctx context.Context, p changed) error {
	d := s.documents.get(p.TextDocument.URI)
	if d == nil {
		return nil
	}
	source := d.source
	for _, c := range p.ContentChanges {
		text := c.Text
		if c.Range != nil {
			text = edited(source, *c.Range, c.Text)
		}
		source = diag.NewSource(source.Name, text)
	}
	return s.show(ctx, p.TextDocument.URI, source.Text)
}

func (s *server) closed(ctx context.Context, p about) error {
	s.documents.set(p.TextDocument.URI, nil)
	return jrpc2.ServerFromContext(ctx).Notify(ctx, "textDocument/publishDiagnostics", published{p.TextDocument.URI, []diagnostic{}})
}

// show checks a text, and tells the editor what is wrong with it.
func (s *server) show(ctx context.Context, uri, text string) error {
	d := read(uri, text, s.documents.get(uri))
	s.documents.set(uri, d)
	return jrpc2.ServerFromContext(ctx).Notify(ctx, "textDocument/publishDiagnostics", published{uri, d.diagnostics()})
}

// diagnostics are what the check found, in the order of the text.
func (d *document) diagnostics() []diagnostic {
	out := []diagnostic{}
	for _, m := range d.program.Found.Sorted() {
		x := diagnostic{Range: rangeOf(m.Span), Severity: 1, Code: m.Code, Source: "weft", Message: m.Message, Data: m.Instead}
		if m.Severity != diag.Error {
			x.Severity = 2
		}
		if m.Help != "" {
			x.Message += "\n" + m.Help
		}
		if !m.Span.IsZero() && m.Span.Source.Name != d.source.Name { // in a file that this one uses
			x.Message = m.Span.String() + ": " + x.Message
			x.Range = textRange{}
		}
		for _, r := range m.Related {
			if !r.Span.IsZero() {
				x.Related = append(x.Related, related{location{d.uriOf(r.Span.Source), rangeOf(r.Span)}, r.Message})
			}
		}
		out = append(out, x)
	}
	return out
}
