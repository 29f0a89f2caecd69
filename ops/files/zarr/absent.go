package zarr

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"path"
	"slices"
	"strconv"
	"strings"

	"weft/kernels/region"
	"weft/ops/files/fileio"
	"weft/ops/problem"
)

// leftOut is the attribute that says which chunks a store is without since all of their elements are what no chunk holds: others that are missing are lost.
const leftOut = "left_out"

// without is its value.
type without struct {
	Grid   []int    `json:"grid"`   // how many chunks there are along each dim
	Chunks [][2]int `json:"chunks"` // those that are left out, by their numbers in C order: from one on, up to before another
}

// mostRuns bounds what is kept of chunks that are left out: a description is read as a whole.
const mostRuns = 1 << 14

// grid is how many chunks there are along each dim.
func (l *layout) grid() []int {
	var n []int
	for _, i := range l.over(region.Whole(l.shape...)) {
		n = append(n, i.Len())
	}
	return n
}

// absent are the runs of numbers, in C order, of chunks that no file is there for. Folders are listed: that is far less than to look for each.
func (l *layout) absent(store fs.FS) (runs [][2]int, count, all int, err error) {
	there, grid := []int(nil), l.grid()
	all = 1
	for _, n := range grid {
		all *= n
	}
	var list func(folder, before string, d, number int) error
	list = func(folder, before string, d, number int) error {
		entries, err := fs.ReadDir(store, folder)
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			return err
		}
		for _, e := range entries {
			rest, ok := strings.CutPrefix(e.Name(), before)
			parts := []string{rest}
			if l.between != "/" {
				parts = strings.Split(rest, l.between)
			}
			at, within := number, ok && d+len(parts) <= len(grid)
			for k, p := range parts {
				if within {
					i, err := strconv.Atoi(p)
					within = err == nil && strconv.Itoa(i) == p && i >= 0 && i < grid[d+k]
					at = at*grid[d+k] + i
				}
			}
			switch {
			case !within:
			case d+len(parts) == len(grid):
				there = append(there, at)
			case l.between == "/":
				err := list(path.Join(folder, e.Name()), "", d+1, at)
				if err != nil && e.IsDir() { // who reads what is no folder is told
					return err
				}
			}
		}
		return nil
	}
	switch {
	case len(grid) == 0:
		if _, err := fs.Stat(store, l.key(nil)); err == nil {
			there = []int{0}
		}
	case l.between == "/":
		err = list(path.Join(".", l.prefix), "", 0, 0)
	default:
		before := l.prefix
		if before != "" {
			before += l.between
		}
		err = list(".", before, 0, 0)
	}
	slices.Sort(there)
	next := 0
	for _, i := range append(there, all) {
		if i > next {
			runs, count = append(runs, [2]int{next, i}), count+i-next
		}
		next = i + 1
	}
	return runs, count, all, err
}

// leaveOut notes the chunks that are not there, where they can be told in a few words.
func (w *writer) leaveOut() error {
	runs, _, _, err := w.absent(w.folder.FS())
	if err != nil || len(runs) > mostRuns {
		return err
	}
	w.attributes[leftOut], err = json.Marshal(without{w.grid(), append([][2]int{}, runs...)})
	return err
}

// lost says which chunk is missing that was not left out; of stores that do not say what was, how many there are not is a doubt, as it is right
// by the format, and what happens to a copy that is cut off.
func (d *description) lost(store fs.FS, l *layout) error {
	runs, count, all, err := l.absent(store)
	if err != nil || count == 0 {
		return err
	}
	var out without
	if json.Unmarshal(d.Attributes[leftOut], &out) != nil || !slices.Equal(out.Grid, l.grid()) {
		if count < all {
			l.doubts = append(l.doubts, problem.Wrong(problem.TruncatedFile, "path", "copy the store again, if they should be there",
				"%d of %d chunks are not there, and read as %s, its fill value", count, all, d.Fill))
		}
		return nil
	}
	for _, r := range runs {
		for next := r[0]; next < r[1]; {
			k := slices.IndexFunc(out.Chunks, func(o [2]int) bool { return o[0] <= next && next < o[1] })
			if k < 0 {
				return &fileio.Error{Kind: fileio.Cut, Reason: fmt.Sprintf("is incomplete: chunk %s is not there, and was when the store was written", l.key(l.place(next))),
					Help: again + ", or remove its attribute " + leftOut + " if another program emptied the chunk"}
			}
			next = out.Chunks[k][1]
		}
	}
	return nil
}

// place is where a chunk is, by its number in C order.
func (l *layout) place(number int) []int {
	grid := l.grid()
	at := make([]int, len(grid))
	for d := len(grid) - 1; d >= 0; d-- {
		at[d] = number % grid[d]
		number /= grid[d]
	}
	return at
}
