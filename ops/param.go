package ops

import "weft/ops/problem"

// Short forms to declare parameters. Each gives a required parameter; Or, Opt and the others refine a copy.

// In is an array argument in which the dims named must be present. Its unit is free; see Of.
func In(name, doc string, dims ...string) Param {
	return Param{Name: name, Doc: doc, Accept: KArray, Unit: "*", Dims: dims}
}

// Num is a number argument in the given unit ("": plain, "*": any).
func Num(name, unit, doc string) Param {
	return Param{Name: name, Doc: doc, Accept: KNumber, Unit: unit}
}

// Count is a positive whole number.
func Count(name, doc string) Param {
	return Param{Name: name, Doc: doc, Accept: KNumber, Integer: true, Positive: true}
}

// Choose is one of a few names.
func Choose(name, doc string, choices ...string) Param {
	return Param{Name: name, Doc: doc, Accept: KSymbol, Choices: choices}
}

// Str is a text argument.
func Str(name, doc string) Param { return Param{Name: name, Doc: doc, Accept: KText} }

// Obj is an object of one of the given types.
func Obj(name, doc string, types ...string) Param {
	return Param{Name: name, Doc: doc, Accept: KObject, Objects: types}
}

// Span is a range argument in the given unit.
func Span(name, unit, doc string) Param {
	return Param{Name: name, Doc: doc, Accept: KRange, Unit: unit}
}

// Names is one name or a list of names: of dimensions, mostly. See Call.Names.
func Names(name, doc string) Param {
	return Param{Name: name, Doc: doc, Accept: KSymbol | KList}
}

// New says that names are those of dimensions that the result has anew.
func (p Param) New() Param { p.Makes = true; return p }

// Or gives the parameter a default.
func (p Param) Or(v Value) Param { p.Default = v; return p }

// Opt makes the parameter optional without default.
func (p Param) Opt() Param { p.Optional = true; return p }

// Of requires a unit.
func (p Param) Of(unit string) Param { p.Unit = unit; return p }

// Also accepts further kinds of value.
func (p Param) Also(k Kind) Param { p.Accept |= k; return p }

// Above0 requires a number > 0.
func (p Param) Above0() Param { p.Positive = true; return p }

// Within sets inclusive bounds in SI units.
func (p Param) Within(low, high float64) Param { p.Min, p.Max = &low, &high; return p }

// AtLeast sets an inclusive lower bound in SI units.
func (p Param) AtLeast(low float64) Param { p.Min = &low; return p }

// Whole requires an integer.
func (p Param) Whole() Param { p.Integer = true; return p }

// Quantity is a number with a unit, for defaults: Quantity(1540, "m/s").
func Quantity(v float64, unit string) Number {
	u := MustUnit(unit)
	return Number{V: v*u.SI() + u.Offset, Unit: u}
}

// Integer is a whole number without unit, for defaults.
func Integer(v int) Number { return Number{V: float64(v), Int: true} }

// Names are the names given to an argument of kind Names, or a Problem when the list holds anything else.
func (c *Call) Names(name string) ([]string, error) {
	var out []string
	for _, v := range c.List(name) {
		s, ok := v.(Symbol)
		if !ok {
			return nil, problem.Wrong(problem.NotANameList, name, "write names, such as [x, y]", "%s holds %s, which is no name", name, v)
		}
		out = append(out, string(s))
	}
	return out, nil
}
