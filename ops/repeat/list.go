package repeat

import (
	"math"
	"slices"
	"strings"

	"weft/ops"
	"weft/ops/problem"
)

// items are those of a list, or the numbers of a range.
var items = ops.Param{Name: "items", Doc: "the list, or a range of whole numbers", Accept: ops.KList | ops.KRange, Unit: "*"}

// mostItems bounds what is written out of a range.
const mostItems = 10000

// listed are the items of a call.
func listed(c *ops.Call) (ops.List, error) {
	r, ok := c.Args["items"].(ops.Range)
	if !ok {
		return c.List("items"), nil
	}
	from, to, step := r.From.V, r.To.V, r.Step
	if step == 0 {
		step = 1
	}
	switch {
	case r.N > 0 || !r.From.Unit.Plain() || !r.To.Unit.Plain() || from != math.Trunc(from) || to != math.Trunc(to) || step != math.Trunc(step) || step < 0:
		return nil, problem.Wrong(problem.WrongKind, "items", "write whole numbers without a unit, such as 1 .. 4", "%s is no range of whole numbers", r)
	case (to-from)/step > mostItems:
		return nil, problem.Wrong(problem.OutOfBounds, "items", "functions are written out for each: take a dimension", "%s are more than %d items", r, mostItems)
	}
	var out ops.List
	for v := from; v <= to; v += step {
		out = append(out, ops.Integer(int(v)))
	}
	return out, nil
}

// listSpecs are operators on lists and records that are known while a program is checked.
func listSpecs() []*ops.Spec {
	return []*ops.Spec{
		{
			Name: "each", Doc: "A function of each item of a list.", Group: "repetition",
			Long: "The function is written out for each. A list that it gives is joined to the others, so that it may give several items, or none: `[]`. What is " +
				"wrong with an item that stands in a file of values (see `use`) is told there. A range of whole numbers, such as `1 .. n`, stands for the list of them, which is empty where n is 0.",
			Returns: "a list.",
			Params:  []ops.Param{items, {Name: "function", Doc: "function of an item", Accept: function}},
			Examples: []ops.Example{{Title: "Several bells", Code: "x = axis(x, 0 .. 9 in 10)\nbells = [(at: 2, wide: 1), (at: 6, wide: 2)]\n" +
				"show(sum(stack(each(bells, b -> exp(-((x - b.at) / b.wide) ^ 2)), dim: bell), over: bell))"}, {Title: "Powers", Code: "x = axis(x, 0 .. 4 in 5)\nshow(stack(each(1 .. 3, k -> x ^ k), dim: power))"}},
			Expand: expandEach, Once: true, Counts: true,
		}, {
			Name: "reduce", Doc: "The items of a list joined by a function, from the first to the last.", Group: "repetition",
			Long:    "The function is written out for each. What is wrong with an item that stands in a file of values is told there.",
			Returns: "what the function gives last; of an empty list `from`.",
			Params: []ops.Param{items, {Name: "function", Doc: "function of what the items before give and of an item", Accept: function},
				{Name: "from", Doc: "what stands before the first item", Accept: ops.KArray | ops.KRecord | ops.KNumber | ops.KBool | ops.KList | ops.KText, Unit: "*"}},
			Examples: []ops.Example{{Title: "The least of several limits", Code: "x = axis(x, 0 .. 4 in 5)\nshow(reduce([3, x, 10 - 2 * x], (a, b) -> min(a, b), from: 9))"}},
			Expand:   expandReduce, Once: true, Counts: true,
		}, {
			Name: "part", Doc: "The part of a record that a text names.", Group: "repetition", Returns: "the part.",
			Params:   []ops.Param{{Name: "of", Doc: "the record", Accept: ops.KRecord, Unit: "*"}, ops.Str("name", "name of the part")},
			Examples: []ops.Example{{Title: "An organ by its name", Code: "x = axis(x, 0 .. 9 in 10)\nbody = (heart: x < 3, liver: x > 6)\nshow(mean(x * part(body, \"liver\")))"}},
			Bind: ops.Make(func(c *ops.Call) (ops.Value, error) {
				r, name := c.Args["of"].(ops.Record), c.Text("name")
				if v := r.Fields[name]; v != nil {
					return v, nil
				}
				return nil, problem.Wrong(problem.UnknownField, "name", "", "there is no `%s`; the parts are %s", name, strings.Join(r.Names, ", ")).Among(r.Names)
			}),
			Counts: true,
		}, {
			Name: "has", Doc: "Whether a record has a part that a text names.", Group: "repetition", Returns: "true or false.",
			Long:   "Functions tell by it what they were given: `if has(city, \"canopy\") then ...` looks at that branch alone which is taken.",
			Params: []ops.Param{{Name: "of", Doc: "the record, or what has parts as one has; a number and a list have none", Accept: ops.KRecord | ops.KObject | ops.KNumber | ops.KList, Unit: "*"}, ops.Str("name", "name of the part")},
			Examples: []ops.Example{{Title: "Wind where there is some", Code: "fn wind(weather) = if has(weather, \"wind\") then weather.wind else 1 m/s\n" +
				"show(wind((air: 20 degC)))\nshow(wind((air: 20 degC, wind: 3 m/s)))"}},
			Bind: ops.Make(func(c *ops.Call) (ops.Value, error) {
				switch of := c.Args["of"].(type) {
				case ops.Record:
					return ops.Flag(of.Fields[c.Text("name")] != nil), nil
				case ops.Parted:
					return ops.Flag(slices.Contains(of.PartNames(), c.Text("name"))), nil
				}
				return ops.Flag(false), nil
			}),
			Counts: true,
		},
	}
}

func expandReduce(c *ops.Call, e ops.Expander) (ops.Value, error) {
	list, err := listed(c)
	if err != nil {
		return nil, err
	}
	v := c.Args["from"]
	for _, item := range list {
		if v = e.Call(c.Args["function"], v, item); v == nil {
			return nil, nil
		}
	}
	return v, nil
}

func expandEach(c *ops.Call, e ops.Expander) (ops.Value, error) {
	list, err := listed(c)
	if err != nil {
		return nil, err
	}
	out, wrong := ops.List{}, false
	for _, item := range list {
		switch v := e.Call(c.Args["function"], item).(type) {
		case nil:
			wrong = true
		case ops.List:
			out = append(out, v...)
		default:
			out = append(out, v)
		}
	}
	if wrong {
		return nil, nil
	}
	return out, nil
}
