package ops

import "fmt"

// Call is an operator with its arguments, bound by name, defaults filled in.
type Call struct {
	Spec *Spec
	Args map[string]Value
	// Written is the name that the first argument has where the call is written, such as a part of a record; empty: it is something else.
	Written string
}

// Has reports whether an optional argument was given.
func (c *Call) Has(name string) bool { return c.Args[name] != nil }

// Number is the SI value of a numeric argument; 0 when absent.
func (c *Call) Number(name string) float64 {
	n, _ := c.Args[name].(Number)
	return n.V
}

// Int is an integer argument.
func (c *Call) Int(name string) int { return int(c.Number(name)) }

// Text is a text argument.
func (c *Call) Text(name string) string {
	t, _ := c.Args[name].(Text)
	return string(t)
}

// Flag is a true-or-false argument.
func (c *Call) Flag(name string) bool {
	f, _ := c.Args[name].(Flag)
	return bool(f)
}

// Symbol is a bare name argument; empty when the argument is of another kind.
func (c *Call) Symbol(name string) string {
	s, _ := c.Args[name].(Symbol)
	return string(s)
}

// List is a list argument; a single value counts as a list of one.
func (c *Call) List(name string) List {
	switch v := c.Args[name].(type) {
	case List:
		return v
	case nil:
		return nil
	default:
		return List{v}
	}
}

// Array is an array argument.
func (c *Call) Array(name string) (Array, bool) {
	a, ok := c.Args[name].(Array)
	return a, ok
}

// Type is the type of an array argument.
func (c *Call) Type(name string) Type {
	a, ok := c.Array(name)
	if !ok {
		panic(fmt.Sprintf("ops: argument %s of %s is not an array", name, c.Spec.Name))
	}
	return a.Type()
}

// Arrays calls yield for every array among the arguments, in the order of the parameters, list members included.
func (c *Call) Arrays(yield func(param string, a Array)) {
	for _, p := range c.Spec.Params {
		arraysIn(c.Args[p.Name], func(a Array) { yield(p.Name, a) })
	}
}

func arraysIn(v Value, yield func(Array)) {
	switch v := v.(type) {
	case Array:
		yield(v)
	case List:
		for _, x := range v {
			arraysIn(x, yield)
		}
	case Pair:
		arraysIn(v.Value, yield)
	case Here:
		arraysIn(v.Offset, yield)
	case Record:
		for _, n := range v.Names {
			arraysIn(v.Fields[n], yield)
		}
	case Segment:
		v.Arrays(yield)
	}
}

// Walk calls visit once for each instance and for all that it is made from.
func Walk(from []*Instance, visit func(*Instance)) {
	seen := map[*Instance]bool{}
	var walk func(*Instance)
	walk = func(in *Instance) {
		if seen[in] {
			return
		}
		seen[in] = true
		visit(in)
		in.Call.Arrays(func(_ string, a Array) { walk(a.Of) })
	}
	for _, in := range from {
		walk(in)
	}
}
