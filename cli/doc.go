package cli

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"strings"
	"time"

	"weft/cli/doc"
	"weft/docs"
)

type docCommand struct {
	Words  []string `arg:"" optional:"" help:"What is looked for: a name, or words. Left out, the pages are listed."`
	Serve  bool     `help:"Serve all pages to browsers on this machine, until Ctrl-C."`
	Listen string   `default:"127.0.0.1:8077" placeholder:"ADDRESS" help:"With --serve: where; port 0 takes any that is free."`
}

// Validate refuses addresses that other machines reach.
func (c docCommand) Validate() error {
	at, err := net.ResolveTCPAddr("tcp", c.Listen)
	if err == nil && !at.IP.IsLoopback() {
		err = fmt.Errorf("only this machine is served; 127.0.0.1:%d would be right", at.Port)
	}
	if err != nil {
		return fmt.Errorf("--listen=%s: %w", c.Listen, err)
	}
	return nil
}

// others is how many sections are named below the one that is printed.
const others = 8

// Run finds a section of the documentation, or serves all of it.
func (c docCommand) Run(ctx context.Context, s *streams) error {
	site, err := doc.Load(docs.Files)
	if err != nil {
		return err
	}
	query := strings.Join(c.Words, " ")
	switch {
	case c.Serve:
		return c.serve(ctx, s, site)
	case query == "":
		for _, p := range site.Pages {
			fmt.Fprintf(s.out, "%-16s %s\n", p.Name, p.Title)
		}
		fmt.Fprintln(s.out, "weft doc WORDS finds in them; weft doc --serve shows them in a browser.")
		return nil
	}
	found := site.Find(query)
	if len(found) == 0 {
		return fmt.Errorf("the documentation has nothing about %s; weft doc lists its pages", query)
	}
	fmt.Fprintf(s.out, "%s\n", found[0].Text)
	if found = found[1:]; len(found) > 0 {
		fmt.Fprintf(s.out, "\nAlso:\n")
		for _, f := range found[:min(len(found), others)] {
			fmt.Fprintf(s.out, "  %-32s %s\n", f.Title, f.Link())
		}
	}
	return nil
}

// serve answers browsers of this machine until the context ends.
func (c docCommand) serve(ctx context.Context, s *streams, site *doc.Site) error {
	at, err := net.ResolveTCPAddr("tcp", c.Listen)
	if err != nil {
		return err
	}
	l, err := net.ListenTCP("tcp", at)
	if err != nil {
		return fmt.Errorf("%w; --listen 127.0.0.1:0 takes a port that is free", err)
	}
	server := &http.Server{Handler: site, ReadHeaderTimeout: 10 * time.Second}
	stop := context.AfterFunc(ctx, func() { server.Close() })
	defer stop()
	fmt.Fprintf(s.out, "http://%s/ has the documentation, until Ctrl-C.\n", l.Addr())
	if err := server.Serve(l); !errors.Is(err, http.ErrServerClosed) {
		return err
	}
	return nil
}
