package files

import (
	"errors"
	"io/fs"
	"regexp"
	"strings"
	"syscall"

	"weft/kernels/ir"
	"weft/ops"
	"weft/ops/files/element"
	"weft/ops/files/fileio"
	"weft/ops/problem"
)

// elements pairs element types with those of NPY files. Files of uint64 are read as i64, where values must fit.
var elements = []struct {
	elem ops.ElemType
	file element.DType
}{
	{ops.Bool, element.Bool},
	{ops.ElemType{Base: ir.I8}, element.Int8},
	{ops.ElemType{Base: ir.U8}, element.Uint8},
	{ops.ElemType{Base: ir.I16}, element.Int16},
	{ops.ElemType{Base: ir.U16}, element.Uint16},
	{ops.I32, element.Int32},
	{ops.ElemType{Base: ir.U32}, element.Uint32},
	{ops.I64, element.Int64},
	{ops.ElemType{Base: ir.F16}, element.Float16},
	{ops.F32, element.Float32},
	{ops.F64, element.Float64},
	{ops.C64, element.Complex64},
	{ops.C128, element.Complex128},
	{ops.I64, element.Uint64},
}

func elemOf(d element.DType) ops.ElemType {
	for _, e := range elements {
		if e.file == d {
			return e.elem
		}
	}
	panic("files: element type " + d.String() + " of NPY files is not in the table")
}

// fileType is the NPY type of an element type; bf16 has none.
func fileType(e ops.ElemType) (element.DType, bool) {
	for _, x := range elements {
		if x.elem == e {
			return x.file, true
		}
	}
	return 0, false
}

// elementNames lists what the argument `as` takes.
func elementNames() []string {
	var names []string
	for _, e := range elements[:len(elements)-1] {
		names = append(names, e.elem.String())
	}
	return names
}

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
	fileio.Unfit:      problem.UnsupportedType,
}

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
var says = regexp.MustCompile(`^(is|has|holds|claims) `)

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
	arg := "path"
	if e.Kind == fileio.NoMember {
		arg = "member"
	}
	between := ": "
	if says.MatchString(e.Reason) {
		between = " "
	}
	return problem.Wrong(code, arg, e.Help, "%s%s%s", e.Path, between, e.Reason)
}
