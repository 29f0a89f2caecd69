// Package csv reads and writes tables as texts with a line a row: what spreadsheets and programs of statistics know.
package csv

import (
	"context"
	"encoding/csv"
	"errors"
	"io"
	"slices"
	"strconv"
	"strings"

	"weft/ops"
	"weft/ops/files/element"
	"weft/ops/files/fileio"
	"weft/ops/files/format"
	"weft/ops/files/words"
	"weft/ops/problem"
)

// Text is the format of files of numbers in columns that are only read.
var Text = &format.Format{Name: "text", Endings: []string{".txt", ".dat"}, Choices: []string{"member"}, Open: openColumn, List: list}

// Table is the format of CSV files.
var Table = &format.Format{
	Name: "CSV", Endings: []string{".csv", ".tsv"}, Choices: []string{"member"}, Open: openColumn, List: list, WriteRecord: write, CheckRecord: check,
	Reads: "A CSV or text file gives a record of its columns, by the names in its first line, `speed (m/s)` or `speed [m/s]` with a unit (also as people write them: W/m2, %, °C), of which `member` reads one; without names, an array of two dimensions. " +
		"Fields end in tabs, semicolons or commas, whichever the first line has, or in blanks; whole numbers become i64, others f64, true and false bool, and what is missing NaN; lines that begin with # are comments, " +
		"the last one before the numbers perhaps their names. What is no letter, digit or _ in a name becomes _.",
	Writes: "A CSV file holds a record of arrays over one dimension, a line for each of its elements, behind one of their names and units; coordinates of the dimension come first.",
}

func check(of []format.Named) error {
	for _, n := range of {
		if len(n.Order.Type.Dims) > 1 {
			return problem.Wrong(problem.CannotStore, "array", "write it to a .npz or .fits", "a CSV file has a line for each element of one dimension, and %s is %s", n.Name, n.Order.Type)
		}
	}
	return format.SameRows(of, func(d element.DType) bool { return d.Valid() && d.Class() != element.Complex })
}

func write(ctx context.Context, path string, of []format.Named) error {
	t := of[0].Order.Type
	var columns []column
	dims, err := format.Placed(of, 1)
	if err != nil {
		return err
	}
	for _, d := range dims {
		if slices.ContainsFunc(of, func(n format.Named) bool { return n.Name == d.Name }) {
			continue
		}
		columns = append(columns, given(d))
	}
	readers, stop := format.Streams(ctx, of)
	defer stop()
	for i, n := range of {
		c, err := columnOf(n, readers[i])
		if err != nil {
			return err
		}
		columns = append(columns, c)
	}
	return fileio.WriteFile(path, func(to io.Writer) error {
		w := csv.NewWriter(to)
		if strings.HasSuffix(strings.ToLower(path), ".tsv") {
			w.Comma = '\t'
		}
		line := make([]string, len(columns))
		for k, c := range columns {
			line[k] = c.heading
		}
		if err := w.Write(line); err != nil {
			return err
		}
		for from, rows := 0, t.Len(); from < rows; from += atOnce {
			n := min(atOnce, rows-from)
			for _, c := range columns {
				if err := c.load(from, n); err != nil {
					return err
				}
			}
			for i := range n {
				for k, c := range columns {
					line[k] = c.text(i)
				}
				if err := errors.Join(ctx.Err(), w.Write(line)); err != nil {
					return err
				}
			}
		}
		w.Flush()
		return w.Error()
	})
}

// atOnce is how many lines are made at a time.
const atOnce = 4096

// column is a heading, and the texts of some lines after load.
type column struct {
	heading string
	load    func(from, n int) error
	text    func(i int) string
}

// given is a column of coordinates.
func given(d ops.Dim) column {
	var start int
	return column{
		heading: format.Heading(d.Name, d.Unit),
		load:    func(from, _ int) error { start = from; return nil },
		text:    func(i int) string { return digits(format.Shown(d.Coords[start+i], d.Unit), 64) },
	}
}

// columnOf is a column of elements that come one after the other.
func columnOf(n format.Named, from io.Reader) (column, error) {
	d := n.Order.DType
	raw := words.Bytes(atOnce * d.Size())
	c := column{heading: format.Heading(n.Name, n.Order.Unit)}
	c.load = func(_, rows int) error {
		_, err := io.ReadFull(from, raw[:rows*d.Size()])
		return err
	}
	if d == element.Bool {
		c.text = func(i int) string { return strconv.FormatBool(raw[i] != 0) }
		return c, nil
	}
	if !d.Float() {
		c.text = func(i int) string { return element.Text(d, raw[i*d.Size():]) }
		return c, nil
	}
	convert, err := element.Converter(d, element.Float64)
	if err != nil {
		return c, err
	}
	values, read := make([]float64, atOnce), c.load
	c.load = func(start, rows int) error {
		if err := read(start, rows); err != nil {
			return err
		}
		convert(words.Raw(values[:rows]), raw[:rows*d.Size()])
		return nil
	}
	c.text = func(i int) string { return digits(values[i], max(32, 8*d.Size())) }
	return c, nil
}

// digits are as few of a number as tell it from others of so many bits.
func digits(v float64, bits int) string { return strconv.FormatFloat(v, 'g', -1, bits) }
