package cli

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"

	"weft/lang/diag"
	"weft/runtime/session"
)

// errReported is a failure whose reason was printed already.
var errReported = errors.New("failed")

// complain prints why something failed: mistakes at their places in a text, others in a line.
func complain(errOut io.Writer, err error) error {
	var mistakes *session.Mistakes
	switch {
	case errors.Is(err, errReported):
	case errors.As(err, &mistakes):
		return show(errOut, mistakes.List)
	default:
		fmt.Fprintf(errOut, "weft: %s\n", err)
	}
	return errReported
}

// mostErrors is how many errors are printed; more are counted.
const mostErrors = 50

// show prints what was found in a text, and fails if it holds an error.
func show(errOut io.Writer, found *diag.List) error {
	if err := (diag.Renderer{Color: colourful(errOut), Limit: mostErrors}).Write(errOut, found); err != nil {
		return err
	}
	if found.HasErrors() {
		fmt.Fprintln(errOut, found.Summary())
		return errReported
	}
	return nil
}

// writeJSON writes a value for programs, and for people who look at it.
func writeJSON(w io.Writer, v any) error {
	e := json.NewEncoder(w)
	e.SetIndent("", "  ")
	return e.Encode(v)
}
