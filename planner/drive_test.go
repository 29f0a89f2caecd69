package planner_test

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"weft/planner/bound"
	"weft/planner/plan"
)

// A matrix that does not vary in the turns, nor in those of a drive in each of them; x is what these start from, and reads.
const steady = `i = axis(i, 0 .. 1 in 500)
j = axis(j, 0 .. 1 in 500)
m = sin(7 * i + 3 * j) / 500
x = cos(j) * 3
fn inner(y) = 0.5 * y + rename(sum(m * y, over: j), from: i, to: j)
fn turn(y) = 0.1 * (y + x | iterate(inner, at_most: 3)) + x
x | iterate(turn, at_most: 5) | write("x.npy")
`

// drives are the drive steps of a plan and of its drives' programs.
func drives(p *bound.Plan) (out []*bound.Step) {
	for i := range p.Steps {
		if s := &p.Steps[i]; s.Drive != nil {
			out = append(out, s)
			for _, program := range s.Programs {
				out = append(out, drives(program)...)
			}
		}
	}
	return out
}

func storing(p *bound.Plan, stage string) (n int) {
	for _, s := range p.Kernels() {
		for _, root := range s.Kernel.Roots {
			if root.Op.Label == stage {
				n++
			}
		}
	}
	return n
}

func TestWhatDoesNotVaryIsMadeAround(t *testing.T) {
	p := made(t, steady, 0)
	all := drives(p)
	if len(all) != 2 || p.Apart {
		t.Fatalf("%d drives, apart: %v", len(all), p.Apart)
	}
	if n := storing(p, "m"); n != 1 {
		t.Errorf("%d kernels make the matrix", n)
	}
	for _, d := range all {
		around := 0
		for k, program := range d.Programs {
			if once := d.Drive.Programs[k].Once; len(once) > 0 {
				t.Errorf("%s makes %v once", d.Program(k), once)
			}
			for _, b := range program.Buffers {
				if b.Role == plan.FromAround {
					around++
					if !slices.Contains(d.Reads, b.Around) {
						t.Errorf("%s: %s is of %s, and the drive reads %v", d.Program(k), b.ID, b.Around, d.Reads)
					}
				}
			}
		}
		if around == 0 {
			t.Errorf("%s has nothing from around it", d.ID)
		}
	}
	outer := all[0]
	for _, id := range outer.Drive.Moves {
		if p.Buffer(id).Label == "x" {
			t.Error("the state takes the memory of what its turns read")
		}
	}
	if len(outer.Drive.Moves) == 0 || len(all[1].Drive.Moves) > 0 {
		t.Errorf("states take the memory of %v, and in each turn of %v", outer.Drive.Moves, all[1].Drive.Moves)
	}
	readBack(t, p, plan.YAML)
	if whole := outer.Takes() + p.Buffer(outer.Drive.Start[0]).Bytes; p.Totals.PeakBytes < whole || p.Totals.PeakBytes > 2*500*500*4 {
		t.Errorf("%d bytes at once", p.Totals.PeakBytes)
	}
}

// Each of many drives in a row is planned once. If each were planned again in the programs of all behind it, this would not end.
func TestDrivesInARowArePlannedOnceEach(t *testing.T) {
	const n = 40
	text := "i = axis(i, 0 .. 1 in 500)\nfn turn(y) = 0.5 * y + sin(i) * max(y)\nx0 = cos(i) * 3\n"
	for k := range n {
		text += fmt.Sprintf("x%d = x%d + max(x%d) | iterate(turn, at_most: 5)\n", k+1, k, k)
	}
	p := made(t, text+fmt.Sprintf("x%d | write(\"x.npy\")\n", n), 0)
	all := drives(p)
	if len(all) != n {
		t.Fatalf("%d drives", len(all))
	}
	for _, d := range all {
		for k, program := range d.Programs {
			if want := all[0].Programs[k].Totals.Kernels; program.Totals.Kernels != want {
				t.Errorf("%s has %d kernels, and that of the first drive %d", d.Program(k), program.Totals.Kernels, want)
			}
		}
	}
}

// What is made around a drive is part of what the plan computes.
func TestTheIdentityOfADriveHoldsWhatIsAroundIt(t *testing.T) {
	is := made(t, steady, 0).Identity()
	for _, change := range [][2]string{{"3 * j", "4 * j"}, {"cos(j) * 3", "cos(j) * 2"}} {
		if made(t, strings.Replace(steady, change[0], change[1], 1), 0).Identity() == is {
			t.Errorf("%s instead of %s has the same identity", change[1], change[0])
		}
	}
}

// Where it does not fit, each program makes it in blocks of rows; such a plan is read back too.
func TestWhatDoesNotFitIsMadeInTheTurns(t *testing.T) {
	p := made(t, steady, 200<<10)
	if !p.Apart || storing(p, "m") == 0 {
		t.Fatalf("apart: %v, %d kernels make the matrix", p.Apart, storing(p, "m"))
	}
	for _, d := range drives(p) {
		for k, program := range d.Programs {
			if storing(program, "m") > 0 && program.Stream == nil && len(drives(program)) == 0 {
				t.Errorf("%s is not in blocks", d.Program(k))
			}
		}
	}
	readBack(t, p, plan.YAML)
}

// What little is done to an array that is there is done in each turn: no copy of it is stored.
func TestLittleIsMadeAgainInTheTurns(t *testing.T) {
	const of = `a = read("a.npy", dims: [i, j])
least = max(a) / 2
m = FORM
x = axis(j, 0 .. 1 in 500)
x | iterate(y -> 0.5 * y + rename(sum(m * y, over: j), from: i, to: j), at_most: MOST) | write("x.npy")
`
	a := filepath.Join(t.TempDir(), "a.npy")
	head := fmt.Sprintf("%-117s\n", "{'descr': '<f4', 'fortran_order': False, 'shape': (500, 500), }")
	if err := os.WriteFile(a, append([]byte("\x93NUMPY\x01\x00\x76\x00"+head), make([]byte, 4*500*500)...), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		form, most string
		stored     int
	}{
		{"where(a > least, 0, a)", "4", 0},
		{"where(a > least, 0, a)", "400", 1},
		{"where(a > least, 0, sin(a))", "4", 1},
	} {
		p := made(t, strings.NewReplacer("FORM", c.form, "MOST", c.most, "a.npy", a).Replace(of), 0)
		n := storing(p, "m")
		for _, d := range drives(p) {
			for _, program := range d.Programs {
				n += storing(program, "m")
			}
		}
		if n != c.stored {
			t.Errorf("%s in %s turns: %d kernels store it, and not %d", c.form, c.most, n, c.stored)
		}
		readBack(t, p, plan.YAML)
	}
}
