// Package csv reads and writes tables as texts with a line a row: what spreadsheets and programs of statistics know.
package csv

import (
	"bytes"
	"context"
	"encoding/csv"
	"errors"
	"io"
	"slices"
	"strconv"
	"strings"

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
	Reads: "A CSV or text file gives a record of its columns, by the names in its first line, `speed (m/s)` or `speed [m/s]` with a unit, of which `member` reads one; without names, an array of two dimensions. " +
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
		columns = append(columns, column{format.Heading(d.Name, d.Unit), func(i int) string { return digits(format.Shown(d.Coords[i], d.Unit), 64) }})
	}
	for _, n := range of {
		c, err := columnOf(ctx, n)
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
		for i := -1; i < t.Len(); i++ {
			for k, c := range columns {
				if line[k] = c.heading; i >= 0 {
					line[k] = c.text(i)
				}
			}
			if err := errors.Join(ctx.Err(), w.Write(line)); err != nil {
				return err
			}
		}
		w.Flush()
		return w.Error()
	})
}

// column is a heading, and the texts of the lines.
type column struct {
	heading string
	text    func(i int) string
}

func columnOf(ctx context.Context, n format.Named) (column, error) {
	c := column{heading: format.Heading(n.Name, n.Order.Unit)}
	var raw bytes.Buffer
	if err := format.Encode(ctx, &raw, n.Order, n.Array); err != nil {
		return c, err
	}
	d := n.Order.DType
	if d == element.Bool {
		c.text = func(i int) string { return strconv.FormatBool(raw.Bytes()[i] != 0) }
		return c, nil
	}
	if !d.Float() {
		c.text = func(i int) string { return element.Text(d, raw.Bytes()[i*d.Size():]) }
		return c, nil
	}
	convert, err := element.Converter(d, element.Float64)
	if err != nil {
		return c, err
	}
	values := make([]float64, raw.Len()/d.Size())
	convert(words.Raw(values), append(words.Bytes(0), raw.Bytes()...))
	c.text = func(i int) string { return digits(values[i], max(32, 8*d.Size())) }
	return c, nil
}

// digits are as few of a number as tell it from others of so many bits.
func digits(v float64, bits int) string { return strconv.FormatFloat(v, 'g', -1, bits) }
