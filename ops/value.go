package ops

import (
	"cmp"
	"fmt"
	"math"
	"strconv"
	"strings"

	"weft/ops/problem"
)

// Kind is a set of value kinds: one bit for a value, several for what a parameter accepts.
type Kind uint16

const (
	KNumber Kind = 1 << iota
	KText
	KBool
	KSymbol // a bare name that no variable has: linear, hann, sample
	KList
	KRange
	KPair // name: value, in slices
	KArray
	KRecord
	KObject // a value of a domain: a probe, a grid, a transmit law
	KHere   // a place relative to where a result stands
	KFunction
	KSegment // a part of a dimension, for each element of its ends
)

var kindNames = []string{"a number", "a text", "true or false", "a name", "a list", "a range", "a name: value pair", "an array", "a record", "an object", "a place", "a function", "a part of a dimension"}

func (k Kind) String() string {
	var s []string
	for i, n := range kindNames {
		if k&(1<<i) != 0 {
			s = append(s, n)
		}
	}
	if len(s) == 0 {
		return "nothing"
	}
	if len(s) == 1 {
		return s[0]
	}
	return strings.Join(s[:len(s)-1], ", ") + " or " + s[len(s)-1]
}

// Value is anything an expression can be while a program is checked.
type Value interface {
	Kind() Kind
	String() string
}

// Number is a scalar in SI units; Unit is how it was written.
type Number struct {
	V    float64
	Unit Unit
	Int  bool   // written as an integer without unit
	From string // how it follows from params of the program, such as (c / 2); empty: from none. Equal texts of a program are equal numbers
}

// AnyUnit reports whether the number is a zero, an infinity or NaN without unit: these go with every unit.
func (n Number) AnyUnit() bool { return n.Unit.Plain() && (n.V == 0 || n.V-n.V != 0) }

// longestFrom bounds Number.From, which functions of functions could double without end. Longer ones are forgotten.
const longestFrom = 120

// Of is a number that is made of others as a text says, with %s for each.
func (n Number) Of(format string, from ...Number) Number {
	texts := make([]any, len(from))
	derived := false
	for i, x := range from {
		texts[i] = cmp.Or(x.From, strconv.FormatFloat(x.V, 'g', -1, 64))
		derived = derived || x.From != ""
	}
	if text := fmt.Sprintf(format, texts...); derived && len(text) <= longestFrom {
		n.From = text
	}
	return n
}

// Text, Bool and Symbol are what they say.
type (
	Text   string
	Flag   bool
	Symbol string
	List   []Value
)

// Range is From .. To, with N points (ends included) when N > 0, else with step Step when that is not 0.
type Range struct {
	From, To Number
	N        int
	Step     float64
}

// Pair is name: value, as in v[z: 3 mm].
type Pair struct {
	Name  string
	Value Value
}

// Array is one output of an instance: an edge of the program's graph.
type Array struct {
	Of  *Instance
	Out int
}

// Record is the outputs of an operator that has several.
type Record struct {
	Names  []string
	Fields map[string]Value
	// Without says why there is no field of a name that one may expect.
	Without map[string]string
	// At is where a file of values holds it; zero: it is of no such file.
	At problem.Where
}

// Put puts a value into a record; a dotted name goes into a record within.
func (r *Record) Put(name string, v Value) {
	group, rest, dotted := strings.Cut(name, ".")
	if dotted {
		inner, ok := r.Fields[group].(Record)
		if !ok {
			inner = Record{Fields: map[string]Value{}}
		}
		inner.Put(rest, v)
		name, v = group, inner
	}
	if r.Fields[name] == nil {
		r.Names = append(r.Names, name)
	}
	r.Fields[name] = v
}

// Here is the place where a result stands, in an index, or so far from it.
type Here struct{ Offset Value } // a number or an array; nil: the place itself

// Segment is the part From .. To of a dim, both ends included: numbers, or arrays with a part for each of their elements.
type Segment struct {
	Dim      string
	From, To Value
	Count    bool   // To is how many elements there are
	Within   *Array // how many elements of the dim there are, if only a run knows: parts end there at the latest
}

// Object is a value of a domain, known while checking.
type Object interface {
	Value
	TypeName() string // probe, grid, transmit, window
}

// Parted is an object some of which may be chosen by name, such as the places of a probe's elements.
type Parted interface {
	Object
	PartNames() []string
	// Part is the value of a name, or a Made, or a Record of such; nil for a name that is none of PartNames.
	Part(name string) Value
}

// Made is what an operator makes of some values, for parts that nobody may ask for.
type Made struct {
	By   string
	From []Value
}

// Kind and String make it a value.
func (Made) Kind() Kind       { return KArray }
func (m Made) String() string { return m.By + " of " + List(m.From).String() }

func (Number) Kind() Kind { return KNumber }
func (Text) Kind() Kind   { return KText }
func (Flag) Kind() Kind   { return KBool }
func (Symbol) Kind() Kind { return KSymbol }
func (List) Kind() Kind   { return KList }
func (Range) Kind() Kind  { return KRange }
func (Pair) Kind() Kind   { return KPair }
func (Array) Kind() Kind  { return KArray }
func (Record) Kind() Kind { return KRecord }
func (Here) Kind() Kind   { return KHere }

// Kind is that of parts of a dim.
func (Segment) Kind() Kind { return KSegment }

// Arrays yields its ends that are arrays.
func (s Segment) Arrays(yield func(Array)) {
	arraysIn(s.From, yield)
	arraysIn(s.To, yield)
	if s.Within != nil {
		yield(*s.Within)
	}
}

func (s Segment) String() string { return fmt.Sprintf("%s in %s .. %s", s.Dim, s.From, s.To) }

// Plain is the number as it was written, without its unit.
func (n Number) Plain() string {
	if n.Int && n.Unit.Plain() && math.Abs(n.V) < 1<<53 { // of a whole number all digits
		return strconv.FormatFloat(n.V, 'f', -1, 64)
	}
	return strconv.FormatFloat((n.V-n.Unit.Offset)/n.Unit.SI(), 'g', 8, 64)
}

func (n Number) String() string {
	v := n.Plain()
	if s := n.Unit.String(); s != "" {
		return v + " " + s
	}
	return v
}
func (t Text) String() string   { return strconv.Quote(string(t)) }
func (b Flag) String() string   { return strconv.FormatBool(bool(b)) }
func (s Symbol) String() string { return string(s) }
func (l List) String() string {
	var s []string
	for _, v := range l {
		s = append(s, v.String())
	}
	return "[" + strings.Join(s, ", ") + "]"
}
func (r Range) String() string {
	s := r.From.String() + " .. " + r.To.String()
	if r.N > 0 {
		return fmt.Sprintf("%s in %d", s, r.N)
	}
	if r.Step != 0 {
		return s + " by " + Number{V: r.Step, Unit: r.From.Unit}.String()
	}
	return s
}
func (p Pair) String() string   { return p.Name + ": " + p.Value.String() }
func (a Array) String() string  { return a.Type().String() }
func (r Record) String() string { return "{" + strings.Join(r.Names, ", ") + "}" }

func (h Here) String() string {
	if h.Offset == nil {
		return "here"
	}
	return "here + " + h.Offset.String()
}

// Label is the variable that holds the array; empty for one of a record.
func (a Array) Label() string {
	if a.Of.Out[a.Out].Name != "" {
		return ""
	}
	return a.Of.Label
}

// Type is the array's type.
func (a Array) Type() Type { return a.Of.Out[a.Out].Type }

// Points are the N values of a counted range, or those of a stepped one, in SI units.
func (r Range) Points() []float64 {
	n, step := r.N, r.Step
	switch {
	case n == 1:
		return []float64{r.From.V}
	case n > 1:
		step = (r.To.V - r.From.V) / float64(n-1)
	case step != 0:
		n = int(math.Floor((r.To.V-r.From.V)/step+1e-9)) + 1
	}
	p := make([]float64, max(n, 0))
	for i := range p {
		p[i] = r.From.V + float64(i)*step
	}
	if r.N > 1 {
		p[n-1] = r.To.V
	}
	return p
}
