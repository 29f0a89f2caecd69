package cli

import (
	"io"

	"github.com/rogpeppe/go-internal/diff"

	"weft/lang/check"
	"weft/lang/diag"
	"weft/lang/format"
	"weft/ops/files/fileio"
	"weft/runtime/session"
)

type fmtCommand struct {
	Write bool     `short:"w" xor:"how" help:"Replace the files instead of printing them."`
	Diff  bool     `short:"d" xor:"how" help:"Print what would change, and fail if anything would."`
	Files []string `arg:"" name:"file" help:"Pipeline files."`
}

// Run formats files; those with syntax errors are left alone.
func (c fmtCommand) Run(s *streams) error {
	var failed error
	for _, path := range c.Files {
		if err := c.file(path, s); err != nil {
			failed = complain(s.err, err)
		}
	}
	return failed
}

func (c fmtCommand) file(path string, s *streams) error {
	text, err := session.ReadPipeline(path)
	if err != nil {
		return err
	}
	var found diag.List
	formatted, ok := format.Source(diag.NewSource(path, string(text)), check.Units(), &found)
	if !ok {
		return show(s.err, &found)
	}
	switch {
	case c.Diff && formatted != string(text):
		if _, err := s.out.Write(diff.Diff(path, text, path+" (formatted)", []byte(formatted))); err != nil {
			return err
		}
		return errReported
	case c.Diff, c.Write && formatted == string(text):
		return nil
	case c.Write:
		return fileio.WriteFile(path, func(w io.Writer) error {
			_, err := io.WriteString(w, formatted)
			return err
		})
	}
	_, err = io.WriteString(s.out, formatted)
	return err
}
