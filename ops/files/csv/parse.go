package csv

import (
	"bufio"
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"iter"
	"math"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"

	"weft/ops"
	"weft/ops/files/element"
	"weft/ops/files/fileio"
	"weft/ops/files/units"
	"weft/ops/files/words"
	"weft/ops/problem"
)

// table is what a file holds.
type table struct {
	named   bool // the first line has names for the columns
	columns []*values
	rows    int
}

// kind is what all values of a column are; each is wider than those before it.
type kind int

const (
	nothing kind = iota // all are missing
	truth
	whole
	real
	texts
)

// values are those of a column.
type values struct {
	name   string
	unit   ops.Unit
	doubts []problem.Problem
	kind   kind
	truths []bool
	wholes []int64
	reals  []float64
	odd    string // the first that is no number
	line   int
}

// parse reads a file: its fields end in tabs, semicolons or commas, whichever of these its first line has, and in blanks if it has none.
func parse(r io.Reader, path string) (*table, error) {
	from := bufio.NewReaderSize(r, 1<<16)
	if mark, _ := from.Peek(3); string(mark) == "\ufeff" {
		from.Discard(3)
	}
	comment, first, before, err := opening(from)
	if err != nil {
		return nil, err
	}
	between := separator(first, strings.HasSuffix(strings.ToLower(path), ".csv"))
	t := &table{}
	for line, fields := range lines(from, between, before, &err) {
		if t.columns == nil {
			if t.named = !numbers(fields, between); t.named {
				t.head(fields)
				continue
			}
			names := split(comment, between)
			if t.named = len(names) == len(fields) && !numbers(names, between); !t.named {
				names = make([]string, len(fields))
			}
			t.head(names)
		}
		for i, c := range t.columns {
			c.add(fields[i], t.rows, line, between)
		}
		t.rows++
	}
	switch {
	case err != nil:
		return nil, err
	case t.rows == 0:
		return nil, &fileio.Error{Path: path, Kind: fileio.Empty, Reason: "holds no lines with numbers"}
	case !t.named: // one array
		for i, c := range t.columns {
			switch c.widen(real); c.kind {
			case nothing:
				c.reals = slices.Repeat([]float64{math.NaN()}, t.rows)
			case truth:
				return nil, &fileio.Error{Path: path, Kind: fileio.BadType, Reason: fmt.Sprintf("holds true and false in column %d, and has no names for its columns", i+1),
					Help: "give it a first line of names: the columns are read as arrays of their own then"}
			}
		}
	}
	return t, nil
}

// numbers says whether there is a number among fields.
func numbers(fields []string, between rune) bool {
	return slices.ContainsFunc(fields, func(s string) bool { _, k := valueOf(s, between); return k == whole || k == real })
}

// opening is the last of the comments that a file begins with, the line behind them, which is not read yet, and how many are before it.
func opening(r *bufio.Reader) (comment, first string, before int, err error) {
	for ; ; before++ {
		start, err := r.Peek(1)
		if err == io.EOF || err == nil && !strings.Contains("#\r\n", string(start)) {
			break
		}
		line, err := r.ReadString('\n')
		if err != nil && err != io.EOF {
			return "", "", before, err
		}
		if text := strings.TrimSpace(line); text != "" {
			comment = strings.TrimSpace(strings.TrimLeft(text, "#"))
		}
	}
	ahead, err := r.Peek(r.Size())
	if err != nil && err != io.EOF {
		return "", "", before, err
	}
	first, _, _ = strings.Cut(string(ahead), "\n")
	return comment, first, before, nil
}

// blank stands for any number of blanks and tabs between fields.
const blank = ' '

// separator is what ends fields, by the first line.
func separator(first string, commas bool) rune {
	unquoted := quoted().ReplaceAllString(first, "")
	for _, c := range "\t;," {
		if strings.ContainsRune(unquoted, c) {
			return c
		}
	}
	if commas {
		return ','
	}
	return blank
}

var quoted = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`"[^"]*"`) })

// split are the fields of a line without quotes.
func split(line string, between rune) []string {
	if between == blank {
		return strings.Fields(line)
	}
	return strings.Split(line, string(between))
}

// lines are the numbers of lines, with so many before them, and their fields: as many in each as in the first.
func lines(r *bufio.Reader, between rune, before int, failed *error) iter.Seq2[int, []string] {
	if between == blank {
		return blanks(r, before, failed)
	}
	return func(yield func(int, []string) bool) {
		c := csv.NewReader(r)
		c.Comma, c.Comment, c.ReuseRecord, c.TrimLeadingSpace = between, '#', true, between != '\t'
		for {
			fields, err := c.Read()
			var where *csv.ParseError
			switch {
			case err == io.EOF:
				return
			case errors.Is(err, csv.ErrFieldCount):
				line, _ := c.FieldPos(0)
				*failed = ragged(before+line, len(fields), c.FieldsPerRecord)
				return
			case errors.As(err, &where):
				*failed = &fileio.Error{Kind: fileio.Foreign, Reason: fmt.Sprintf("is no table: line %d, column %d: %v", before+where.Line, where.Column, where.Err)}
				return
			case err != nil:
				*failed = err
				return
			}
			if line, _ := c.FieldPos(0); !yield(before+line, fields) {
				return
			}
		}
	}
}

func ragged(line, has, first int) error {
	return &fileio.Error{Kind: fileio.Foreign, Reason: fmt.Sprintf("has %d fields in its first line, and %d in line %d", first, has, line)}
}

// blanks are lines whose fields end in blanks.
func blanks(r io.Reader, before int, failed *error) iter.Seq2[int, []string] {
	return func(yield func(int, []string) bool) {
		s, count := bufio.NewScanner(r), 0
		s.Buffer(nil, 1<<24)
		for line := before + 1; s.Scan(); line++ {
			text, _, _ := strings.Cut(s.Text(), "#")
			fields := strings.Fields(text)
			switch {
			case len(fields) == 0:
				continue
			case count == 0:
				count = len(fields)
			case count != len(fields):
				*failed = ragged(line, len(fields), count)
				return
			}
			if !yield(line, fields) {
				return
			}
		}
		*failed = s.Err()
	}
}

// heading is a name, perhaps with a unit: speed (m/s), speed [m/s].
var heading = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^(.*?)\s*(?:\((.*)\)|\[(.*)\])$`) })

// odd is what names of parts have not.
var odd = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`[^\p{L}\p{N}_]+`) })

func (t *table) head(fields []string) {
	for i, text := range fields {
		c := &values{name: strings.TrimSpace(text)}
		if m := heading().FindStringSubmatch(c.name); m != nil && m[1] != "" {
			c.name = m[1]
			if written := m[2] + m[3]; written != "" {
				var known bool
				if c.unit, known = units.Read(written); !known {
					c.doubts = append(c.doubts, problem.Wrong(problem.UnknownUnit, "path", "", "the unit %q of column %s is none that is known here: plain numbers are read; give it one by a product, such as `x * 1 m`", written, c.name))
				}
			}
		}
		if c.name = strings.Trim(odd().ReplaceAllString(c.name, "_"), "_"); c.name == "" {
			c.name = fmt.Sprintf("column%d", i+1)
		}
		t.columns = append(t.columns, c)
	}
}

// absent are texts for what is missing.
var absent = []string{"", "NA", "N/A", "n/a", "null", "NULL", "None", "-"}

// valueOf reads a field.
func valueOf(text string, between rune) (v any, k kind) {
	text = strings.TrimSpace(text)
	if slices.Contains(absent, text) {
		return nil, nothing
	}
	if n, err := strconv.ParseInt(text, 10, 64); err == nil {
		return n, whole
	}
	if between != ',' && strings.Count(text, ",") == 1 && !strings.Contains(text, ".") {
		text = strings.Replace(text, ",", ".", 1) // as numbers are written where commas separate no fields
	}
	if x, err := strconv.ParseFloat(text, 64); err == nil || errors.Is(err, strconv.ErrRange) {
		return x, real
	}
	switch strings.ToLower(text) {
	case "true":
		return true, truth
	case "false":
		return false, truth
	}
	return nil, texts
}

// add takes up the value of a row.
func (c *values) add(text string, row, line int, between rune) {
	if c.kind == texts {
		return
	}
	v, k := valueOf(text, between)
	switch {
	case k == nothing && c.kind != nothing:
		if c.widen(real); c.kind == real {
			c.reals = append(c.reals, math.NaN())
			return
		}
		k, text = texts, "nothing" // neither true nor false
	case k == nothing:
		return
	case c.kind == nothing && row > 0 && k == whole:
		k = real // those before it are missing
	case k == truth && (c.kind > truth || c.kind == nothing && row > 0), c.kind == truth && k != truth:
		k = texts
	}
	if c.kind == nothing {
		if c.kind = k; k == real {
			c.reals = slices.Repeat([]float64{math.NaN()}, row)
		}
	}
	if k == texts {
		*c = values{name: c.name, unit: c.unit, doubts: c.doubts, kind: texts, odd: text, line: line}
		return
	}
	c.widen(k)
	switch x := v.(type) {
	case bool:
		c.truths = append(c.truths, x)
	case float64:
		c.reals = append(c.reals, x)
	case int64:
		if c.kind == real {
			c.reals = append(c.reals, float64(x))
		} else {
			c.wholes = append(c.wholes, x)
		}
	}
}

// widen makes floats of whole numbers, if these are asked for.
func (c *values) widen(to kind) {
	if to != real || c.kind != whole {
		return
	}
	c.kind = real
	for _, n := range c.wholes {
		c.reals = append(c.reals, float64(n))
	}
	c.wholes = nil
}

// not says why a column cannot be read.
func (c *values) not() string {
	switch c.kind {
	case texts:
		return fmt.Sprintf("holds texts, such as %q in line %d", c.odd, c.line)
	case nothing:
		return "holds nothing"
	}
	return ""
}

// raw are the elements in memory.
func (c *values) raw() (element.DType, []byte) {
	switch c.kind {
	case truth:
		return element.Bool, words.Raw(c.truths)
	case whole:
		return element.Int64, words.Raw(c.wholes)
	}
	return element.Float64, words.Raw(c.reals)
}
