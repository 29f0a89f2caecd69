package files

import (
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"weft/ops"
	"weft/ops/problem"
)

// mostFiles bounds the files that one array is made of.
const mostFiles = 10_000

// several reports whether a call of read is about more than one file: a list of them, or a pattern that names no file itself.
func several(c *ops.Call) bool {
	if _, list := c.Args["path"].(ops.List); list || c.Has("along") || c.Has("numbers") {
		return true
	}
	_, err := os.Stat(c.Text("path"))
	return err != nil && isPattern(c.Text("path"))
}

func isPattern(path string) bool { return strings.ContainsAny(path, "*?[") }

// file is one of several, with the number in its name.
type file struct {
	path   string
	number float64
}

// expandRead reads several files and puts them behind each other, or side by side along a new dimension.
func expandRead(c *ops.Call, e ops.Expander) (ops.Value, error) {
	if !several(c) {
		return readRecord(c, e, partsOf(c))
	}
	list, err := filesOf(c)
	if err != nil {
		return nil, err
	}
	along := c.Symbol("along")
	if along == "" {
		return nil, problem.Wrong(problem.MissingArgument, "path", "name the dimension that tells them apart: along: shot", "%s are %d files", c.Args["path"], len(list))
	}
	args := map[string]ops.Value{}
	for name, v := range c.Args {
		if name != "along" && name != "numbers" {
			args[name] = v
		}
	}
	arrays, at := ops.List{}, ops.List{}
	var unit ops.Unit
	if c.Has("numbers") {
		if unit, err = parseUnit(&ops.Call{Spec: c.Spec, Args: map[string]ops.Value{"unit": c.Args["numbers"]}}); err != nil {
			return nil, err
		}
	}
	for _, f := range list {
		args["path"] = ops.Text(f.path)
		v := e.Apply("read", args)
		if v == nil {
			return nil, nil
		}
		if arrays = append(arrays, v); math.IsNaN(f.number) && c.Has("numbers") {
			return nil, problem.Wrong(problem.BadHeader, "numbers", "leave it out", "there is no number in the name %s", f.path)
		}
		at = append(at, ops.Number{V: f.number*unit.SI() + unit.Offset, Unit: unit})
	}
	join := "stack"
	if r, record := arrays[0].(ops.Record); record {
		return nil, problem.Wrong(problem.AmbiguousMember, "path", fmt.Sprintf("choose one: member: %q", r.Names[0]), "%s holds %d arrays: %s", list[0].path, len(r.Names), strings.Join(r.Names, ", "))
	}
	if arrays[0].(ops.Array).Type().Dim(along) >= 0 {
		join = "concat"
	}
	v := e.Apply(join, map[string]ops.Value{"arrays": arrays, "dim": ops.Symbol(along)})
	if v == nil || !c.Has("numbers") {
		return v, nil
	}
	return e.Apply("with_coordinates", map[string]ops.Value{"input": v, "dim": ops.Symbol(along), "at": at}), nil
}

// filesOf are the files that a call names: those of a list in its order, those of a pattern by the numbers in their names.
func filesOf(c *ops.Call) ([]file, error) {
	var out []file
	for k, v := range c.List("path") {
		path, ok := v.(ops.Text)
		arg := "path"
		if _, list := c.Args["path"].(ops.List); list {
			arg = fmt.Sprintf("path.%d", k)
		}
		if !ok {
			return nil, problem.Wrong(problem.WrongKind, arg, "list texts", "a file is named by a text, and this is %s", v)
		}
		found, err := matching(string(path))
		switch {
		case err != nil:
			return nil, problem.Wrong(problem.MissingFile, arg, "", "%s is no pattern of names: %v", path, err)
		case len(found) == 0:
			return nil, problem.Wrong(problem.MissingFile, arg, "`*` stands for any letters; relative paths start at the folder where weft runs", "no file is named like %s", path)
		}
		if out = append(out, found...); len(out) > mostFiles {
			return nil, problem.Wrong(problem.TooComplex, arg, "put them together first", "these are more than %d files", mostFiles)
		}
	}
	if len(out) == 0 {
		return nil, problem.Wrong(problem.MissingFile, "path", "list at least one file", "`read` of no files")
	}
	return out, nil
}

// matching are the files of a pattern, in the order of what their names differ in: of numbers where these are some, or else of letters.
func matching(path string) ([]file, error) {
	if _, err := os.Stat(path); err == nil || !isPattern(path) {
		return []file{{path, numberIn(path, 0, 0)}}, nil
	}
	plain := strings.TrimRight(path, string(filepath.Separator)) // behind folders
	names, err := filepath.Glob(plain)
	if err != nil {
		return nil, err
	}
	before := strings.IndexAny(plain, "*?[")
	after := len(plain) - 1 - strings.LastIndexAny(plain, "*?]")
	out := make([]file, len(names))
	for i, n := range names {
		out[i] = file{n + path[len(plain):], numberIn(n, before, after)}
	}
	numbered := !slices.ContainsFunc(out, func(f file) bool { return math.IsNaN(f.number) })
	slices.SortStableFunc(out, func(a, b file) int {
		if numbered && a.number != b.number {
			if a.number < b.number {
				return -1
			}
			return 1
		}
		return strings.Compare(a.path, b.path)
	})
	return out, nil
}

// numberIn is the first number in a name, of what lies between a beginning and an end that all have; NaN where there is none.
func numberIn(name string, before, after int) float64 {
	if before == 0 && after == 0 { // the whole of it
		name = strings.TrimSuffix(filepath.Base(name), filepath.Ext(name))
		if i := strings.IndexAny(name, "0123456789"); i >= 0 {
			before = i
		}
	}
	middle := name[min(before, len(name)):max(before, len(name)-after)]
	for end := len(middle); end > 0; end-- {
		if v, err := strconv.ParseFloat(middle[:end], 64); err == nil && v-v == 0 {
			return v
		}
	}
	return math.NaN()
}

// expandWrite writes each element of a dimension to a file of its own.
func expandWrite(c *ops.Call, e ops.Expander) (ops.Value, error) {
	if c.Args["array"].Kind() == ops.KRecord {
		return nil, problem.Wrong(problem.ContradictArguments, "each", "leave it out, or choose a part with `.name`", "`each` is for one array, and this is a record")
	}
	t, dim := c.Type("array"), c.Symbol("each")
	i := t.Dim(dim)
	hole := "{" + dim + "}"
	switch {
	case i < 0:
		err := problem.Wrong(problem.UnknownDim, "each", "", "the array has no dimension `%s`; it has %v", dim, t.DimNames())
		return nil, err.Among(t.DimNames())
	case !strings.Contains(c.Text("path"), hole):
		return nil, problem.Wrong(problem.ContradictArguments, "path", "write "+hole+" where its number goes, as in \"image_"+hole+".png\"", "%s names one file, and there is one for each of %d", c.Args["path"], t.Dims[i].Size)
	case t.Dims[i].Size > mostFiles:
		return nil, problem.Wrong(problem.TooComplex, "each", "", "these are more than %d files", mostFiles)
	}
	args := map[string]ops.Value{}
	for name, v := range c.Args {
		if name != "each" {
			args[name] = v
		}
	}
	for k := range t.Dims[i].Size {
		one := e.Apply("slice", map[string]ops.Value{"input": c.Args["array"], "index": ops.List{ops.Pair{Name: dim, Value: ops.Integer(k)}}})
		if b, ok := c.Array("behind"); ok && b.Type().Dim(dim) >= 0 {
			args["behind"] = e.Apply("slice", map[string]ops.Value{"input": b, "index": ops.List{ops.Pair{Name: dim, Value: ops.Integer(k)}}})
		}
		args["array"], args["path"] = one, ops.Text(strings.ReplaceAll(c.Text("path"), hole, t.Dims[i].Tag(k)))
		if one == nil || e.Apply("write", args) == nil {
			return nil, nil
		}
	}
	return c.Args["array"], nil
}
