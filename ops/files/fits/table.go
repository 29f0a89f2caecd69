package fits

import (
	"context"
	"fmt"
	"io"
	"strconv"
	"strings"

	"weft/kernels/region"
	"weft/ops/files/element"
	"weft/ops/files/fileio"
	"weft/ops/files/format"
	"weft/ops/problem"
)

// checkTable finds what no table can hold.
func checkTable(of []format.Named) error {
	if len(of) > 999 {
		return problem.Wrong(problem.CannotStore, "array", "write several files", "a FITS table has at most 999 columns, and the record has %d parts", len(of))
	}
	return format.SameRows(of, func(d element.DType) bool { return written[d].form != "" })
}

// writeTable writes a record as a binary table with a row for each element of the first dim of its arrays.
func writeTable(ctx context.Context, path string, of []format.Named) error {
	rows, width := 1, 0
	dims, err := format.Placed(of, 1)
	if err != nil {
		return err
	}
	cards := []card{{"TFIELDS", len(of)}}
	columns := make([]part, len(of))
	for i, n := range of {
		within := n.Order.Type.Shape()
		if len(within) > 0 {
			rows, within = within[0], within[1:]
		}
		each := int(region.Whole(within...).Points())
		columns[i] = part{n, each * n.Order.DType.Size()}
		width += columns[i].bytes
		cards = append(cards, columnCards(strconv.Itoa(i+1), n, each, within)...)
	}
	cards = append([]card{{"XTENSION", "BINTABLE"}, {"BITPIX", 8}, {"NAXIS", 2}, {"NAXIS1", width}, {"NAXIS2", rows}, {"PCOUNT", 0}, {"GCOUNT", 1}}, cards...)
	return fileio.WriteFile(path, func(w io.Writer) error {
		primary := head([]card{{"SIMPLE", true}, {"BITPIX", 8}, {"NAXIS", 0}, {"EXTEND", true}})
		if _, err := w.Write(append(primary, head(cards)...)); err != nil {
			return err
		}
		if err := writeRows(ctx, w, columns, rows); err != nil {
			return err
		}
		_, err := w.Write(append(make([]byte, padding(int64(width)*int64(rows))), coordinates(dims)...))
		return err
	})
}

// part is an array of a table, and how many bytes a row of it takes.
type part struct {
	format.Named
	bytes int
}

// columnCards describe a column of so many elements a row.
func columnCards(i string, n format.Named, each int, within []int) []card {
	form := written[n.Order.DType]
	cards := []card{{"TTYPE" + i, n.Name}, {"TFORM" + i, fmt.Sprintf("%d%s", each, form.form)}}
	if len(within) > 1 {
		var extents []string
		for k := range within {
			extents = append(extents, strconv.Itoa(within[len(within)-1-k]))
		}
		cards = append(cards, card{"TDIM" + i, "(" + strings.Join(extents, ",") + ")"})
	}
	if form.zero != 0 {
		cards = append(cards, card{"TSCAL" + i, 1.0}, card{"TZERO" + i, form.zero})
	}
	return append(cards, unitCards("TUNIT"+i, n.Order.Unit)...)
}

// writeRows writes a row of each column after the other, many at a time. Columns are encoded as they are written: tables may fill the memory there is.
func writeRows(ctx context.Context, w io.Writer, columns []part, rows int) error {
	of := make([]format.Named, len(columns))
	for i, c := range columns {
		of[i] = c.Named
	}
	readers, stop := format.Streams(ctx, of)
	defer stop()
	var out []byte
	for row := range rows {
		for i, c := range columns {
			from := len(out)
			out = append(out, make([]byte, c.bytes)...)
			if _, err := io.ReadFull(readers[i], out[from:]); err != nil {
				return fmt.Errorf("column %s, row %d: %w", c.Name, row, err)
			}
			encode(out[from:], c.Order.DType)
		}
		if len(out) < 1<<20 && row < rows-1 {
			continue
		}
		if _, err := w.Write(out); err != nil {
			return err
		}
		out = out[:0]
	}
	return nil
}
