// Package serve runs programs for another process over standard input and output: JSON-RPC 2.0, as docs/serve.md describes. Arrays go through
// memory that both processes map. The Python package in python/ is the other side.
package serve

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"sync"

	"github.com/creachadair/jrpc2"
	"github.com/creachadair/jrpc2/channel"
	"github.com/creachadair/jrpc2/handler"

	"weft/lang/diag"
	"weft/runtime/notebook"
	"weft/runtime/session"
)

// Protocol is the number of the protocol. It is raised where requests of before mean something else, or replies lack something.
const Protocol = 2

// Server is what requests work on.
type Server struct {
	Session *session.Session
	Version string
	Kept    int64                                                    // bytes of values that a session may keep
	Guard   func(context.Context, func(context.Context) error) error // makes an error of a panic
	mu      sync.Mutex                                               // one request at a time
	open    map[string]*notebook.Notebook                            // by the names of sessions
	given   map[string]map[string]*memory                            // what sessions were given, by name
	known   []*memory                                                // the client's memory that is mapped
	handed  []*memory                                                // arrays of the last reply in memory of ours
	last    *again                                                   // program; nil: there is none to run once more
}

// Serve answers a client until it is gone; what runs then is cancelled.
func (s *Server) Serve(ctx context.Context, in io.Reader, out io.WriteCloser) error {
	s.open, s.given = map[string]*notebook.Notebook{}, map[string]map[string]*memory{}
	var rpc *jrpc2.Server
	methods := handler.Map{
		"hello":   handler.New(func(context.Context) (hello, error) { return hello{s.Version, Protocol}, nil }),
		"run":     one(s, s.run),
		"explain": one(s, s.explain),
		"close":   one(s, s.close),
		"$/cancelRequest": handler.New(func(_ context.Context, p struct {
			ID json.RawMessage `json:"id"`
		}) error {
			rpc.CancelRequest(string(p.ID))
			return nil
		}),
	}
	rpc = jrpc2.NewServer(methods, &jrpc2.ServerOptions{AllowPush: true, Concurrency: 2}).Start(channel.LSP(in, out))
	stop := context.AfterFunc(ctx, rpc.Stop)
	defer stop()
	err := rpc.Wait()
	s.mu.Lock()
	defer s.mu.Unlock()
	clear(s.given)
	return errors.Join(err, s.release(request{}))
}

// one is a request that runs by itself: others wait. What the reply before it handed over is given back.
func one[T any](s *Server, do func(context.Context, request, *reply) (T, error)) jrpc2.Handler {
	return handler.New(func(ctx context.Context, q request) (out T, err error) {
		s.mu.Lock()
		defer s.mu.Unlock()
		if err := s.release(q); err != nil {
			return out, err
		}
		if q.Folder != "" { // files are named from where the client is
			if err := os.Chdir(q.Folder); err != nil {
				return out, err
			}
		}
		r := &reply{}
		err = s.Guard(ctx, func(ctx context.Context) (err error) { out, err = do(ctx, q, r); return err })
		return out, told(err)
	})
}

// release gives back what the last reply handed over, which the client has mapped, and unmaps what of the client's memory neither a session nor a
// request has any more.
func (s *Server) release(q request) (err error) {
	for _, m := range s.handed {
		err = errors.Join(err, m.close())
	}
	s.handed = nil
	needed := map[*memory]bool{}
	for _, given := range s.given {
		for _, m := range given {
			needed[m] = true
		}
	}
	paths := slices.Clone(q.Spare)
	for _, a := range q.Arrays {
		paths = append(paths, a.Path)
	}
	s.known = slices.DeleteFunc(s.known, func(m *memory) bool {
		if needed[m] || slices.ContainsFunc(paths, m.is) {
			return false
		}
		err = errors.Join(err, m.close())
		return true
	})
	return err
}

// mapped is memory of the client's, mapped once for as long as requests name it.
func (s *Server) mapped(path string) (*memory, error) {
	if i := slices.IndexFunc(s.known, func(m *memory) bool { return m.is(path) }); i >= 0 {
		return s.known[i], nil
	}
	m, err := mapped(path)
	if err == nil {
		s.known = append(s.known, m)
	}
	return m, err
}

// room is memory for a result: the smallest that the client can spare, unless that is much too large, or some of its own.
func (s *Server) room(spare *[]string, bytes int) (best *memory, err error) {
	for _, path := range *spare {
		m, err := s.mapped(path)
		if err != nil {
			return nil, err
		}
		if n := len(m.data); n >= bytes && n/2 <= bytes && (best == nil || n < len(best.data)) {
			best = m
		}
	}
	if best != nil {
		*spare = slices.DeleteFunc(*spare, func(path string) bool { return path == best.path })
		return best, nil
	}
	if best, err = share(bytes); err == nil {
		s.handed = append(s.handed, best)
	}
	return best, err
}

type hello struct {
	Weft     string `json:"weft"`
	Protocol int    `json:"protocol"`
}

// mistake is what is wrong at a place of a text.
type mistake struct {
	Code    string `json:"code"`
	Message string `json:"message"`
	Help    string `json:"help,omitempty"`
	File    string `json:"file,omitempty"`
	Line    int    `json:"line,omitempty"`
	Column  int    `json:"column,omitempty"`
	Warning bool   `json:"warning,omitempty"`
}

// told is an error as JSON-RPC has it: with what was found in the text as data, and its lines marked as a terminal shows them.
func told(err error) error {
	var mistakes *session.Mistakes
	if !errors.As(err, &mistakes) {
		return err
	}
	data, e := json.Marshal(struct {
		Mistakes []mistake `json:"mistakes"`
		Text     string    `json:"text"`
	}{mistakesOf(mistakes.List), mistakes.List.String()})
	if e != nil {
		return e
	}
	return &jrpc2.Error{Code: jrpc2.Code(1), Message: err.Error(), Data: data}
}

func mistakesOf(l *diag.List) []mistake {
	out := []mistake{}
	for _, d := range l.Sorted() {
		m := mistake{Code: d.Code, Message: d.Message, Help: d.Help, Warning: d.Severity != diag.Error}
		if !d.Span.IsZero() {
			at := d.Span.Position()
			m.File, m.Line, m.Column = d.Span.Source.Name, at.Line, at.Column
		}
		out = append(out, m)
	}
	return out
}

// close forgets a session.
func (s *Server) close(_ context.Context, q request, _ *reply) (struct{}, error) {
	if s.open[q.Session] == nil {
		return struct{}{}, fmt.Errorf("no session %q", q.Session)
	}
	delete(s.open, q.Session)
	delete(s.given, q.Session)
	return struct{}{}, s.release(q)
}
