package syntax

import (
	"errors"
	"io"
	"path"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"

	"gopkg.in/yaml.v3"

	"weft/lang/diag"
	"weft/ops/problem"
)

// IsData reports a file that holds values alone, by the ending of its name: YAML, or JSON, which is a part of it.
func IsData(name string) bool {
	return slices.Contains([]string{".yaml", ".yml", ".json"}, path.Ext(name))
}

// Data reads a file of values as the definitions that it would be in the language: mappings are records, sequences lists, and what reads as a number
// with a unit is one, within quotes or not.
func Data(src *diag.Source, units Units, diags *diag.List) *File {
	r := dataReader{src, units, diags}
	file := &File{Source: src}
	var document, more yaml.Node
	decoder := yaml.NewDecoder(strings.NewReader(src.Text))
	err := decoder.Decode(&document)
	if err == nil && !errors.Is(decoder.Decode(&more), io.EOF) {
		err = errors.New("there is more than one document in it")
	}
	if err != nil && !errors.Is(err, io.EOF) {
		line, what := 1, strings.TrimPrefix(err.Error(), "yaml: ")
		if found := lineOfError().FindStringSubmatch(what); found != nil {
			line, _ = strconv.Atoi(found[1])
			what = what[len(found[0]):]
		}
		diags.Report(problem.UnexpectedToken, src.LineSpan(line), "this is no YAML: %s", what)
		return file
	}
	if len(document.Content) != 1 || document.Content[0].Kind != yaml.MappingNode {
		diags.Report(problem.UnexpectedToken, src.LineSpan(1), "a file of values begins with names: `name: value`")
		return file
	}
	for _, a := range r.pairs(document.Content[0]) {
		file.Statements = append(file.Statements, &Assign{extent: a.extent, Name: a.Name, Value: a.Value})
	}
	return file
}

var lineOfError = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^line (\d+): `) })

type dataReader struct {
	src   *diag.Source
	units Units
	diags *diag.List
}

// pairs are the values of a mapping with their names.
func (r dataReader) pairs(n *yaml.Node) (out []*Argument) {
	for i := 0; i+1 < len(n.Content); i += 2 {
		key, at := n.Content[i], r.span(n.Content[i])
		if key.Kind != yaml.ScalarNode || !IsName(key.Value) {
			r.diags.Report(problem.UnexpectedToken, at, "a name is letters, digits and underscores, and does not begin with a digit")
			continue
		}
		if v := r.value(n.Content[i+1]); v != nil {
			out = append(out, &Argument{extent: extent{span: at.To(v.Span())}, Name: &Name{extent: extent{span: at}, Text: key.Value}, Value: v})
		}
	}
	return out
}

// value is what a node would be in the language; nil where it is wrong.
func (r dataReader) value(n *yaml.Node) Expr {
	at := extent{span: r.span(n)}
	switch n.Kind {
	case yaml.MappingNode:
		return &Record{extent: at, List: r.pairs(n)}
	case yaml.SequenceNode:
		l := &List{extent: at}
		for _, c := range n.Content {
			if v := r.value(c); v != nil {
				l.Items = append(l.Items, v)
			}
		}
		return l
	case yaml.ScalarNode:
		return r.scalar(n, at)
	}
	r.diags.Report(problem.UnexpectedToken, at.span, "write the value itself: values of other places are not repeated")
	return nil
}

func (r dataReader) scalar(n *yaml.Node, at extent) Expr {
	quoted := n.Style&(yaml.DoubleQuotedStyle|yaml.SingleQuotedStyle) != 0
	switch {
	case n.Tag == "!!null":
		r.diags.Report(problem.MissingValue, at.span, "there is no value")
		return nil
	case n.Tag == "!!bool" && !quoted:
		return &Bool{extent: at, Text: n.Value, Value: strings.EqualFold(n.Value, "true")}
	}
	if v := r.number(n.Value, at.span); v != nil && !(quoted && withoutUnit(v)) {
		return v
	}
	return &String{extent: at, Text: n.Value, Value: n.Value}
}

func withoutUnit(e Expr) bool {
	if u, ok := e.(*Unary); ok {
		e = u.Operand
	}
	n, ok := e.(*Number)
	return ok && n.Unit == nil
}

// number is that which a text reads as, at its place; nil where it is none.
func (r dataReader) number(text string, at diag.Span) Expr {
	const before = "x = "
	inside := strings.Index(at.Text(), text)
	if text == "" || inside < 0 || strings.ContainsAny(text, "\n#") {
		return nil
	}
	var diags diag.List
	file := Parse(diag.NewSource(r.src.Name, before+text), r.units, &diags)
	if diags.Len() > 0 || len(file.Statements) != 1 {
		return nil
	}
	made, ok := file.Statements[0].(*Assign)
	if !ok {
		return nil
	}
	number := made.Value
	if u, ok := number.(*Unary); ok && u.Operator.Text == "-" {
		number = u.Operand
	}
	if _, ok := number.(*Number); !ok {
		return nil
	}
	Walk(made.Value, func(n Node) bool {
		s := &n.extents().span
		move := at.Start + inside - len(before)
		*s = diag.Span{Source: r.src, Start: s.Start + move, End: s.End + move}
		return true
	})
	return made.Value
}

// span is where a node stands: all of a scalar, and of others as far as they go on their first line.
func (r dataReader) span(n *yaml.Node) diag.Span {
	start := r.src.LineStart(n.Line)
	rest := r.src.Line(n.Line)
	for range n.Column - 1 {
		if len(rest) > 0 {
			size := len(string([]rune(rest)[:1]))
			start, rest = start+size, rest[size:]
		}
	}
	length := len(strings.TrimRight(rest, " \t,]}"))
	switch {
	case n.Kind != yaml.ScalarNode:
		length = len(strings.TrimRight(rest, " \t,"))
	case strings.HasPrefix(rest, n.Value):
		length = len(n.Value)
	case n.Style&(yaml.DoubleQuotedStyle|yaml.SingleQuotedStyle) != 0:
		if end := strings.Index(rest[1:], rest[:1]); end >= 0 {
			length = end + 2
		}
	}
	return diag.Span{Source: r.src, Start: start, End: start + length}
}
