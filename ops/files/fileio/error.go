package fileio

import (
	"errors"
	"fmt"
	"io/fs"
	"strings"
	"syscall"
)

// Kind sorts failures by what a person has to do about them.
type Kind uint8

// Kinds of failure beyond those that the system reports, which errors.Is tells apart.
const (
	System     Kind = iota // reported by the system, or of no kind below
	Folder                 // a folder, not a file
	Foreign                // not in the format expected
	Cut                    // shorter than it says
	Overlong               // longer than it says
	BadHeader              // a header that breaks the rules of the format
	HugeHeader             // a header too long to be true
	Objects                // Python objects
	BadType                // elements of a type that is not read
	NoMember               // an archive without the array asked for
	NoHDU                  // a file without the HDU asked for
	Unfit                  // a value that the type asked for cannot hold
	Empty                  // nothing to read
	Ambiguous              // an archive of several arrays, none of which was named
)

// Error is a failure to read or write one file, worded for the person who named it.
// Callers that know where the file was named (a line of a pipeline) attach that place.
type Error struct {
	Path   string   // the file as the user named it
	Reason string   // what is wrong, without the path
	Kind   Kind     // what is wrong, for programs
	Help   string   // what to do about it, or ""
	Known  []string // the names that could stand in place of the one asked for
	Err    error    // the cause for errors.Is, or nil
}

// Error gives path and reason on one line and the help, where there is one, on a second.
func (e *Error) Error() string {
	text := e.Path + ": " + e.Reason
	if e.Help != "" {
		text += "\nhelp: " + e.Help
	}
	return text
}

// Unwrap gives the cause.
func (e *Error) Unwrap() error { return e.Err }

// helps says what to do about the causes an operating system reports.
var helps = []struct {
	cause error
	help  string
}{
	{syscall.ENOSPC, "free some space or write to another disk"},
	{syscall.EDQUOT, "your disk quota is used up: free some space or write to another disk"},
	{syscall.EFBIG, "the file system or a limit of this shell (ulimit -f) allows no file this large"},
	{syscall.EROFS, "this disk is mounted read-only: write to another one"},
	{errClaimed, "wait for it, or stop it first"},
	{fs.ErrPermission, "check the permissions of the file and of its folder"},
	{fs.ErrNotExist, "check the spelling; relative paths start at the folder where weft runs"},
}

// Wrap words err, which came from doing something (such as "cannot read") to the file at path.
// An err that is an *Error already is handed back, with the path if it had none.
func Wrap(path, doing string, err error) *Error {
	var known *Error
	if errors.As(err, &known) {
		if known.Path == "" {
			known.Path = path
		}
		return known
	}
	wrapped := &Error{Path: path, Reason: fmt.Sprintf("%s: %s", doing, cause(err)), Err: err}
	for _, h := range helps {
		if errors.Is(err, h.cause) {
			wrapped.Help = h.help
			break
		}
	}
	return wrapped
}

// cause strips the operation and path that os adds to an error: the caller says both in its own words.
func cause(err error) string {
	var errno syscall.Errno
	if errors.As(err, &errno) {
		return errno.Error()
	}
	var at *fs.PathError
	if errors.As(err, &at) {
		err = at.Err
	}
	return strings.TrimPrefix(err.Error(), "os: ")
}
