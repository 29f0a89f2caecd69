package files

import (
	"cmp"
	"errors"
	"io/fs"
	"regexp"
	"strings"
	"sync"
	"syscall"

	"weft/ops"
	"weft/ops/files/fileio"
	"weft/ops/problem"
)

// parseUnit reads the argument unit: a name (mm), a text ("m/s") or a quantity whose unit is meant (1 m/s).
func parseUnit(c *ops.Call) (ops.Unit, error) {
	var text string
	switch v := c.Args["unit"].(type) {
	case nil:
		return ops.Unit{}, nil
	case ops.Number:
		if n := (v.V - v.Unit.Offset) / v.Unit.SI(); n != 1 {
			return ops.Unit{}, problem.Wrong(problem.WrongUnit, "unit", "write the name of the unit alone", "a unit is expected, and this is a quantity: %s", v)
		}
		return v.Unit, nil
	default:
		text = strings.Trim(v.String(), `"`)
	}
	u, err := ops.ParseUnit(text)
	if err != nil {
		return u, problem.Wrong(problem.UnknownUnit, "unit", `name one unit, or write a product as a text, such as "m/s"`, "%s is not a unit", text).Among(ops.AllUnitNames())
	}
	return u, nil
}

// kindCodes gives the codes of what is wrong with a file.
var kindCodes = map[fileio.Kind]string{
	fileio.Folder:     problem.IsDirectory,
	fileio.Foreign:    problem.NotThisFormat,
	fileio.Cut:        problem.TruncatedFile,
	fileio.Overlong:   problem.TrailingData,
	fileio.BadHeader:  problem.BadHeader,
	fileio.HugeHeader: problem.HugeHeader,
	fileio.Objects:    problem.ObjectArray,
	fileio.BadType:    problem.UnsupportedType,
	fileio.NoMember:   problem.MissingMember,
	fileio.NoHDU:      problem.MissingMember,
	fileio.Unfit:      problem.UnsupportedType,
	fileio.Empty:      problem.EmptyArray,
	fileio.Ambiguous:  problem.AmbiguousMember,
}

// kindArgs are the arguments that some of it is wrong with.
var kindArgs = map[fileio.Kind]string{fileio.NoMember: "member", fileio.NoHDU: "hdu"}

// causeCodes does so for what the system reports, when reading and when writing.
var causeCodes = []struct {
	cause         error
	reads, writes string
}{
	{fs.ErrNotExist, problem.MissingFile, problem.MissingFolder},
	{fs.ErrPermission, problem.Unreadable, problem.Unwritable},
	{syscall.ENOSPC, problem.ReadFailed, problem.DiskFull},
	{syscall.EDQUOT, problem.ReadFailed, problem.DiskFull},
	{syscall.EFBIG, problem.ReadFailed, problem.DiskFull},
	{syscall.EROFS, problem.ReadFailed, problem.Unwritable},
}

// says are the beginnings of reasons that go on where the name of the file stops.
var says = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^(is|has|holds|claims) `) })

// Unwritten words a failure to write a file that is no sink's.
func Unwritten(path string, err error) error {
	if err == nil {
		return nil
	}
	return failure(fileio.Wrap(path, "cannot be written", err), true)
}

// failure words a failure with a file as a Problem of the argument path.
func failure(err error, writing bool) error {
	if err == nil {
		return nil
	}
	var e *fileio.Error
	if !errors.As(err, &e) {
		return err
	}
	code := problem.ReadFailed
	if writing {
		code = problem.Unwritable
	}
	if c, ok := kindCodes[e.Kind]; ok && !writing {
		code = c
	}
	for _, c := range causeCodes {
		if !errors.Is(err, c.cause) {
			continue
		}
		if code = c.reads; writing {
			code = c.writes
		}
		break
	}
	arg := cmp.Or(kindArgs[e.Kind], "path")
	between := ": "
	if says().MatchString(e.Reason) {
		between = " "
	}
	return problem.Wrong(code, arg, e.Help, "%s%s%s", e.Path, between, e.Reason).Among(e.Known)
}
