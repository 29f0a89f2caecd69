package cli

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	"weft/cli/literate"
	"weft/cli/page"
	"weft/lang/diag"
	"weft/ops/files/fileio"
	weft "weft/runtime"
	"weft/runtime/notebook"
	"weft/runtime/session"
)

type literateCommand struct {
	keepingFlags
	Files []string `arg:"" help:"Markdown files, from whose folders their programs name files."`
	Check bool     `help:"Run everything, write nothing, and fail where a file says something else."`
	All   bool     `help:"Run also what has not changed."`
}

// Run runs the weft blocks of Markdown files and writes below each what it shows.
func (c literateCommand) Run(ctx context.Context, s *streams) error {
	se, most, err := c.open(s)
	if err != nil {
		return err
	}
	here, err := os.Getwd()
	if err != nil {
		return err
	}
	for _, path := range c.Files {
		d := document{literateCommand: c, streams: s, session: se, most: most, path: path}
		if err := errors.Join(d.run(ctx), os.Chdir(here)); err != nil {
			return err
		}
	}
	learn(ctx, s, se)
	return nil
}

// document is a Markdown file whose blocks are run.
type document struct {
	literateCommand
	*streams
	session *session.Session
	most    int64
	path    string
	shared  *notebook.Notebook // of the blocks that are not alone
}

func (d *document) run(ctx context.Context) error {
	text, err := os.ReadFile(d.path)
	if err != nil {
		return fmt.Errorf("cannot read %s: %w", d.path, err)
	}
	folder, file := filepath.Split(d.path)
	blocks, err := literate.Blocks(string(text), folder)
	if err != nil {
		return fmt.Errorf("%s: %w", d.path, err)
	}
	if len(blocks) == 0 {
		return fmt.Errorf("%s has no blocks of weft: they begin with a line ```weft", d.path)
	}
	if folder != "" { // from where blocks name files
		if err := os.Chdir(folder); err != nil {
			return err
		}
	}
	d.shared = notebook.New(d.session, d.most)
	ran := 0
	for i := range blocks {
		b := &blocks[i]
		if err := d.block(ctx, b, strings.TrimSuffix(file, filepath.Ext(file))+fmt.Sprintf("-%d", i+1)); err != nil {
			fmt.Fprintf(d.err, "weft: in the block at line %d of %s\n", b.Line, d.path)
			return err
		}
		if !b.Fresh {
			ran++
		}
	}
	now := literate.Written(string(text), blocks)
	switch {
	case now == string(text):
		fmt.Fprintf(d.out, "%s: %s, %d run, as they say\n", d.path, diag.Plural(len(blocks), "block"), ran)
		return nil
	case d.Check:
		return fmt.Errorf("%s is not what its blocks show; `weft literate %s` writes it", d.path, d.path)
	}
	if err := fileio.WriteFile(file, func(w io.Writer) error { _, err := io.WriteString(w, now); return err }); err != nil {
		return err
	}
	fmt.Fprintf(d.out, "%s: %s, %d run, written\n", d.path, diag.Plural(len(blocks), "block"), ran)
	return nil
}

// block runs a block. Of one that has not changed only the definitions are entered, which computes nothing.
func (d *document) block(ctx context.Context, b *literate.Block, name string) error {
	book := d.shared
	if b.Alone {
		book = notebook.New(d.session, d.most)
	}
	if d.Check || d.All {
		b.Fresh = false
	}
	e := book.Check(b.Code)
	var printed bytes.Buffer
	err := e.Err()
	switch {
	case b.Fresh && b.Wrong, b.Fresh && b.Alone:
		return nil
	case err == nil:
		if b.Fresh {
			e.Quiet()
		}
		_, err = book.Enter(ctx, e, weft.Options{Verify: true, Terminal: page.Terminal{Writer: &printed}})
	}
	var mistakes *session.Mistakes
	switch {
	case b.Wrong && errors.As(err, &mistakes):
		printed.WriteString(mistakes.List.String())
	case b.Wrong && err == nil:
		return errors.New("it is marked as wrong, and holds no mistake")
	case err != nil:
		return err
	default:
		if err := show(d.err, &e.Found); err != nil {
			return err
		}
	}
	if b.Fresh {
		return nil
	}
	pieces, err := page.Pieces(printed.String())
	if err != nil {
		return err
	}
	return b.Show(pieces, filepath.Join("img", name), e.Files(), d.save)
}

// save writes a picture; when files are only checked, none.
func (d *document) save(path string, png []byte) error {
	if d.Check {
		return nil
	}
	if err := os.MkdirAll(filepath.Dir(path), 0o777); err != nil {
		return err
	}
	return os.WriteFile(path, png, 0o666)
}
