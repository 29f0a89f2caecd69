package cli

import (
	"fmt"

	"weft/lang/check"
)

type checkCommand struct {
	Files  []string          `arg:"" name:"file" help:"Pipeline files."`
	Params map[string]string `short:"p" name:"param" mapsep:"none" placeholder:"NAME=VALUE" help:"Override a param of the file."`
}

// Run reports every mistake in the files.
func (c checkCommand) Run(s *streams) error {
	var failed error
	for _, path := range c.Files {
		l, err := load(path, check.Options{Params: c.Params})
		if err != nil {
			fmt.Fprintf(s.err, "weft: %s\n", err)
			failed = errReported
			continue
		}
		if err := l.show(s.err); err != nil {
			failed = err
			continue
		}
		fmt.Fprintf(s.out, "%s: ok\n", path)
	}
	return failed
}
