package syntax

import (
	"math"
	"math/big"
	"strconv"
	"strings"

	"weft/ops/problem"
)

// number scans a number and the unit behind it.
func (s *scanner) number() {
	rest := s.text[s.at:]
	n, good := numberLength(rest)
	kind := Numeral
	text := rest[:n]
	switch value, whole := numberValue(text); {
	case !good:
		s.diags.Report(problem.BadNumber, s.span(s.at, n), "malformed number `%s`", text).
			Helpf("numbers are written 1, 1.5, .5, 1e-3 or 1_000")
		kind = Illegal
	case math.IsInf(value, 0) || whole && value >= math.MaxInt64:
		s.diags.Report(problem.BadNumber, s.span(s.at, n), "number `%s` is too large", text)
		kind = Illegal
	case whole && !exact(text):
		s.diags.Report(problem.BadNumber, s.span(s.at, n), "whole number `%s` cannot be held exactly: beyond 2^53 not every one can", text).
			Helpf("write `%s.0` for the number nearest to it", text)
		kind = Illegal
	case value == 0 && strings.Trim(mantissa(text), "0._") != "":
		s.diags.Report(problem.BadNumber, s.span(s.at, n), "number `%s` is too small to tell from zero", text)
		kind = Illegal
	}
	s.emit(kind, n)
	if kind == Numeral {
		s.unit()
	}
}

// numberLength is the length of the number that a text begins with, and whether it is well-formed. A malformed
// number extends over every digit, point and underscore that follows.
func numberLength(text string) (n int, good bool) {
	digits := func(from int) int { // the end of digits with single underscores between them
		i := from
		for i < len(text) && (isDigit(text[i]) || text[i] == '_' && i > from && isDigit(text[i-1]) && i+1 < len(text) && isDigit(text[i+1])) {
			i++
		}
		return i
	}
	i := digits(0)
	// Two points are a range: 1..3 begins with the number 1.
	if i < len(text) && text[i] == '.' && !strings.HasPrefix(text[i:], "..") {
		j := digits(i + 1)
		if j == i+1 {
			return malformed(text, j), false
		}
		i = j
	}
	if i < len(text) && (text[i] == 'e' || text[i] == 'E') {
		j := i + 1
		if j < len(text) && (text[j] == '+' || text[j] == '-') {
			j++
		}
		if k := digits(j); k > j {
			i = k
		} else if j > i+1 || nameLength(text[i:]) == 1 {
			return malformed(text, j), false
		}
	}
	if i < len(text) && (text[i] == '_' || text[i] == '.' && i+1 < len(text) && isDigit(text[i+1])) {
		return malformed(text, i), false
	}
	return i, true
}

func malformed(text string, from int) int {
	for from < len(text) && (isDigit(text[from]) || text[from] == '.' || text[from] == '_') {
		from++
	}
	return from
}

func mantissa(text string) string {
	m, _, _ := strings.Cut(strings.ToLower(text), "e")
	return m
}

// numberValue is the value of a well-formed number, infinite when it is too large, and whether it is written as a
// whole number.
func numberValue(text string) (value float64, whole bool) {
	value, _ = strconv.ParseFloat(strings.ReplaceAll(text, "_", ""), 64) // out of range is told by the value
	return value, !strings.ContainsAny(text, ".eE")
}

// exact reports whether float64 holds a whole number.
func exact(text string) bool {
	n, ok := new(big.Int).SetString(strings.ReplaceAll(text, "_", ""), 10)
	_, rounded := new(big.Float).SetInt(n).Float64()
	return ok && rounded == big.Exact
}

// maxExponent bounds the exponents of units.
const maxExponent = 99

// unit scans the unit behind a number: names joined by * or /, each with an optional whole exponent.
func (s *scanner) unit() {
	name := s.unitName(s.at)
	if name == "" {
		return
	}
	s.at += blankLength(s.text[s.at:])
	if !s.units.has(name) {
		d := s.diags.Report(problem.UnknownUnit, s.span(s.at, len(name)), "unknown unit `%s`", name)
		if near := s.units.nearest(name); len(near) > 0 {
			d.Suggest(near...)
		} else {
			d.Helpf("to multiply, write `*` between the number and `%s`", name)
		}
	}
	s.emit(UnitWord, len(name))
	for s.unitPower(); s.unitFactor(); s.unitPower() {
	}
}

// unitName is the name that may be a unit behind blanks at an offset, or empty: keywords are none, nor is a name
// that gets a value or is called.
func (s *scanner) unitName(at int) string {
	rest := s.text[at:]
	rest = rest[blankLength(rest):]
	name := rest[:nameLength(rest)]
	if name == "" || isKeyword(name) {
		return ""
	}
	rest = rest[len(name):]
	direct := rest
	rest = rest[blankLength(rest):]
	switch {
	case strings.HasPrefix(rest, ":"), strings.HasPrefix(rest, "=") && !strings.HasPrefix(rest, "=="):
		return ""
	case strings.HasPrefix(direct, "("), strings.HasPrefix(direct, "["):
		return ""
	case strings.HasPrefix(direct, ".") && nameLength(direct[1:]) > 0:
		return ""
	}
	return name
}

// unitFactor scans * or / and a further unit, which are joined without blanks: with blanks the sign is an operator.
func (s *scanner) unitFactor() bool {
	rest := s.text[s.at:]
	blanks := blankLength(rest)
	if blanks < len(rest) && (rest[blanks] == '*' || rest[blanks] == '/') {
		name := s.unitName(s.at + blanks + 1)
		if blanks > 0 || name == "" || blankLength(rest[1:]) > 0 || !s.units.has(name) {
			return false
		}
		s.emit(UnitJoin, 1)
		s.emit(UnitWord, len(name))
		return true
	}
	name := s.unitName(s.at)
	if name == "" || !s.units.has(name) {
		return false
	}
	s.at += blanks
	s.diags.Report(problem.JuxtaposedUnits, s.span(s.at, len(name)), "unit `%s` follows another unit", name).
		Helpf("join units with `*` or `/`, such as `%s*%s`", s.tokens[len(s.tokens)-1].Text, name)
	s.emit(Illegal, len(name))
	return true
}

// unitPower scans ^ and a whole exponent. Another exponent belongs to an operator, not to the unit.
func (s *scanner) unitPower() {
	rest := s.text[s.at:]
	start := blankLength(rest)
	i := start
	if i == len(rest) || rest[i] != '^' {
		return
	}
	i++
	i += blankLength(rest[i:])
	if i < len(rest) && rest[i] == '-' {
		i++
		i += blankLength(rest[i:])
	}
	digits := i
	for i < len(rest) && isDigit(rest[i]) {
		i++
	}
	if i == digits {
		return
	}
	s.at += start
	kind := UnitPower
	end, _ := numberLength(rest[digits:])
	exponent, err := strconv.Atoi(rest[digits:i])
	switch {
	case digits+end > i:
		i = digits + end
		s.diags.Report(problem.BadUnitExponent, s.span(s.at, i-start), "exponent of a unit is no whole number").
			Helpf("put the quantity in parentheses to raise it to a power")
		kind = Illegal
	case err != nil || exponent > maxExponent:
		s.diags.Report(problem.BadUnitExponent, s.span(s.at, i-start), "exponent of a unit is beyond %d", maxExponent)
		kind = Illegal
	}
	s.emit(kind, i-start)
}
