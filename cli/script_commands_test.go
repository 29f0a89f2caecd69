package cli

import (
	"bytes"
	"cmp"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/rogpeppe/go-internal/testscript"

	"weft/planner/plan"
)

// exits CODE PROGRAM ARG...: the program ends with this exit code.
func exits(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 2 {
		ts.Fatalf("usage: exits CODE PROGRAM ARG...")
	}
	want, err := strconv.Atoi(args[0])
	ts.Check(err)
	got := 0
	if err := ts.Exec(args[1], args[2:]...); err != nil {
		var failed *exec.ExitError
		if !errors.As(err, &failed) {
			ts.Fatalf("%v", err)
		}
		got = failed.ExitCode()
	}
	if got != want {
		ts.Fatalf("exit code %d, want %d", got, want)
	}
}

// roundtrips PLAN: the YAML of a plan reads back, and is written again to the byte.
func roundtrips(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 1 {
		ts.Fatalf("usage: roundtrips PLAN")
	}
	text := ts.ReadFile(args[0])
	p, err := plan.Read([]byte(text))
	ts.Check(err)
	var again bytes.Buffer
	ts.Check(plan.YAML(&again, p))
	if again.String() != text {
		ts.Fatalf("%s reads back as\n%s", args[0], &again)
	}
}

// condition knows [root]: permissions do not bind the user who runs the tests; and [fixtures]: there are some.
func condition(name string) (bool, error) {
	switch name {
	case "root":
		return os.Getuid() == 0, nil
	case "fixtures":
		_, err := os.Stat(fixtureFolder())
		return err == nil, nil
	}
	return false, fmt.Errorf("unknown condition %q", name)
}

// fixtureFolder is where data lie that are not part of the repository.
func fixtureFolder() string {
	folder, err := filepath.Abs(cmp.Or(os.Getenv("WEFT_FIXTURES"), "../../shared/data"))
	if err != nil {
		panic(err)
	}
	return folder
}

// fixtures FOLDER [FILE]: writes the arrays of a folder of fixtures, which meta.json lists there, to that of the script as NPY; or a file of it.
func fixtures(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 1 || len(args) > 2 {
		ts.Fatalf("usage: fixtures FOLDER [FILE]")
	}
	folder := filepath.Join(fixtureFolder(), args[0])
	if len(args) == 2 {
		data, err := os.ReadFile(filepath.Join(folder, args[1]))
		ts.Check(err)
		ts.Check(os.WriteFile(ts.MkAbs(args[1]), data, 0o666))
		return
	}
	meta, err := os.ReadFile(filepath.Join(folder, "meta.json"))
	ts.Check(err)
	var arrays map[string]struct {
		Shape []int
		DType string
	}
	ts.Check(json.Unmarshal(meta, &arrays))
	for name, a := range arrays {
		data, err := os.ReadFile(filepath.Join(folder, name+".bin"))
		ts.Check(err)
		descr := map[string]string{"float64": "<f8", "float32": "<f4", "int32": "<i4"}[a.DType]
		ts.Check(os.WriteFile(ts.MkAbs(name+".npy"), append(npyHeader(descr, strings.Trim(strings.Join(strings.Fields(fmt.Sprint(a.Shape)), ","), "[]")+","), data...), 0o666))
	}
}

// damages are the ways in which the command npy spoils a file.
var damages = map[string]func(file []byte) []byte{
	"cut":      func(f []byte) []byte { return f[:len(f)-len(f)/3] },
	"trailing": func(f []byte) []byte { return append(f, "more"...) },
	"header":   func(f []byte) []byte { return []byte(strings.Replace(string(f), "'descr'", "'desc' ", 1)) },
	"huge": func(f []byte) []byte { // version 2, whose header length has four bytes
		return append([]byte("\x93NUMPY\x02\x00\xff\xff\xff\x7f"), f[10:]...)
	},
	"nonfinite": func(f []byte) []byte { // float32: elements 5 and 9
		data := f[10+int(binary.LittleEndian.Uint16(f[8:])):]
		binary.LittleEndian.PutUint32(data[4*5:], math.Float32bits(float32(math.NaN())))
		binary.LittleEndian.PutUint32(data[4*9:], math.Float32bits(float32(math.Inf(1))))
		return f
	},
}

// npyHeader is what stands before the elements of an NPY file.
func npyHeader(descr, shape string) []byte {
	header := fmt.Sprintf("{'descr': '%s', 'fortran_order': False, 'shape': (%s), }", descr, shape)
	header += strings.Repeat(" ", 63-(10+len(header))%64) + "\n"
	file := append([]byte("\x93NUMPY\x01\x00"), 0, 0)
	binary.LittleEndian.PutUint16(file[8:], uint16(len(header)))
	return append(file, header...)
}

// npyFile makes an NPY file whose elements, of four bytes each part, count -3, -2, ... 3 and again from -3.
func npyFile(descr, shape string) ([]byte, error) {
	n := 1
	for s := range strings.SplitSeq(strings.Trim(shape, ","), ",") {
		extent, err := strconv.Atoi(s)
		if err != nil {
			return nil, err
		}
		n *= extent
	}
	size, err := strconv.Atoi(strings.TrimLeft(descr, "<>|abcdefghijklmnopqrstuvwxyzOUS"))
	if err != nil {
		size = 8 // such as |O
	}
	file := npyHeader(descr, shape)
	for i := range n * size / 4 {
		file = binary.LittleEndian.AppendUint32(file, math.Float32bits(float32(i%7-3)))
	}
	return file, nil
}

// spoil FILE DAMAGE: spoils a file that is there.
func spoil(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 2 || damages[args[1]] == nil {
		ts.Fatalf("usage: spoil FILE DAMAGE")
	}
	path := ts.MkAbs(args[0])
	file, err := os.ReadFile(path)
	ts.Check(err)
	ts.Check(os.WriteFile(path, damages[args[1]](file), 0o666))
}

// hollow FILE DESCR SHAPE: writes an NPY file of zeros that take no room on the disk, such as hollow large.npy <f8 2000,2000. The type's last digit is its size.
func hollow(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 3 {
		ts.Fatalf("usage: hollow FILE DESCR SHAPE")
	}
	bytes := int64(args[1][len(args[1])-1] - '0')
	for s := range strings.SplitSeq(strings.Trim(args[2], ","), ",") {
		extent, err := strconv.ParseInt(s, 10, 64)
		ts.Check(err)
		bytes *= extent
	}
	header := npyHeader(args[1], args[2])
	ts.Check(os.WriteFile(ts.MkAbs(args[0]), header, 0o666))
	ts.Check(os.Truncate(ts.MkAbs(args[0]), int64(len(header))+bytes))
}

// npy FILE DESCR SHAPE [DAMAGE]: writes an NPY file, such as npy iq.npy <c8 40,16 cut.
func npyCommand(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 3 || len(args) > 4 {
		ts.Fatalf("usage: npy FILE DESCR SHAPE [DAMAGE]")
	}
	file, err := npyFile(args[1], args[2])
	ts.Check(err)
	if len(args) == 4 {
		file = damages[args[3]](file)
	}
	ts.Check(os.WriteFile(ts.MkAbs(args[0]), file, 0o666))
}
