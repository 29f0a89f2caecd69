// Package slips finds a name within the value of an argument, and puts the one there that may have been meant.
package slips

import (
	"strconv"

	"weft/ops"
)

// NameIn is a name in an argument: the argument itself, or the item at a place or of a dimension.
func NameIn(v ops.Value, item string) string {
	switch v := v.(type) {
	case ops.Symbol:
		return string(v)
	case ops.Text:
		return string(v)
	case ops.List:
		if i, err := strconv.Atoi(item); err == nil && i < len(v) {
			return NameIn(v[i], "")
		}
	}
	return item
}

// Replace puts another name in place of one, within lists and pairs too.
func Replace(v ops.Value, old, name string) ops.Value {
	switch v := v.(type) {
	case ops.Symbol:
		if string(v) == old {
			return ops.Symbol(name)
		}
	case ops.Text:
		if string(v) == old {
			return ops.Text(name)
		}
	case ops.Pair:
		if v.Name == old {
			v.Name = name
		}
		return v
	case ops.List:
		out := make(ops.List, len(v))
		for i, x := range v {
			out[i] = Replace(x, old, name)
		}
		return out
	}
	return v
}
