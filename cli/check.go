package cli

import (
	"fmt"

	"weft/lang/check"
	"weft/runtime/session"
)

type checkCommand struct {
	Files  []string          `arg:"" name:"file" help:"Pipeline files."`
	Params map[string]string `short:"p" name:"param" mapsep:"none" placeholder:"NAME=VALUE" help:"Override a param of the file."`
}

// Run reports every mistake in the files.
func (c checkCommand) Run(s *streams) error {
	var failed error
	for _, path := range c.Files {
		prog, err := session.Check(path, check.Options{Params: c.Params})
		if err == nil {
			err = show(s.err, &prog.Found)
		}
		if err != nil {
			failed = complain(s.err, err)
			continue
		}
		fmt.Fprintf(s.out, "%s: ok\n", path)
	}
	return failed
}
