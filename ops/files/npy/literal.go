package npy

import (
	"errors"
	"fmt"
	"strconv"
	"strings"
)

// header fields as the dict literal gives them. structured holds the text of a list in place of descr.
type fields struct {
	descr      string
	structured string
	fortran    bool
	shape      []int
}

// literal is a strict parser of the one Python expression an NPY header may hold: a dict with the keys
// 'descr' (a string or a list), 'fortran_order' (True or False) and 'shape' (a tuple of whole numbers).
type literal struct {
	text string
	at   int
}

const maxDims = 64 // NumPy's own limit since 2.0

// parseLiteral reads the dict and accepts nothing but white space after it.
func parseLiteral(text string) (fields, error) {
	p := &literal{text: text}
	var f fields
	values := map[string]func() error{
		"descr":         func() error { return p.descr(&f) },
		"fortran_order": func() error { return p.boolean(&f.fortran) },
		"shape":         func() error { return p.tuple(&f.shape) },
	}
	seen := map[string]bool{}
	err := p.items('{', '}', func() error {
		key, err := p.quoted()
		if err != nil {
			return err
		}
		value, known := values[key]
		if !known {
			return fmt.Errorf("has the unknown key %s", clip(key))
		}
		if seen[key] {
			return fmt.Errorf("has the key %q twice", key)
		}
		seen[key] = true
		if !p.take(':') {
			return p.unexpected("a colon after the key " + key)
		}
		return value()
	}, nil)
	if err != nil {
		return f, err
	}
	if p.skip(); p.at != len(p.text) {
		return f, p.unexpected("nothing after the closing brace")
	}
	for _, key := range []string{"descr", "fortran_order", "shape"} {
		if !seen[key] {
			return f, fmt.Errorf("lacks the key %q", key)
		}
	}
	return f, nil
}

func (p *literal) skip() {
	for p.at < len(p.text) && strings.IndexByte(" \t\n\r\f", p.text[p.at]) >= 0 {
		p.at++
	}
}

// take skips white space and consumes c if it is next.
func (p *literal) take(c byte) bool {
	p.skip()
	if p.at < len(p.text) && p.text[p.at] == c {
		p.at++
		return true
	}
	return false
}

func (p *literal) unexpected(want string) error {
	p.skip()
	if p.at == len(p.text) {
		return fmt.Errorf("ends where %s was expected", want)
	}
	return fmt.Errorf("has %s at byte %d where %s was expected", clip(p.text[p.at:min(p.at+8, len(p.text))]), p.at, want)
}

// items parses item {"," item} [","] between brackets. count, where given, receives items and whether a comma came last.
func (p *literal) items(open, closing byte, item func() error, done func(n int, comma bool) error) error {
	if !p.take(open) {
		return p.unexpected(fmt.Sprintf("%q", open))
	}
	n, comma := 0, true
	for !p.take(closing) {
		if !comma {
			return p.unexpected(fmt.Sprintf("a comma or %q", closing))
		}
		if err := item(); err != nil {
			return err
		}
		n++
		comma = p.take(',')
	}
	if done != nil {
		return done(n, comma)
	}
	return nil
}

// quoted parses a string without escapes: NumPy never writes any.
func (p *literal) quoted() (string, error) {
	p.skip()
	if p.at == len(p.text) || (p.text[p.at] != '\'' && p.text[p.at] != '"') {
		return "", p.unexpected("a quoted string")
	}
	quote := p.text[p.at]
	end := strings.IndexByte(p.text[p.at+1:], quote)
	if end < 0 {
		return "", errors.New("has a string that does not end")
	}
	s := p.text[p.at+1 : p.at+1+end]
	if i := strings.IndexAny(s, "\\\n\r"); i >= 0 {
		return "", fmt.Errorf("has a string with the character %q", s[i])
	}
	p.at += end + 2
	return s, nil
}

func (p *literal) descr(f *fields) (err error) {
	p.skip()
	if p.at < len(p.text) && p.text[p.at] == '[' {
		f.structured, err = p.bracketed()
		return err
	}
	f.descr, err = p.quoted()
	return err
}

// bracketed consumes a list to its closing bracket without looking inside: it only serves an error message.
func (p *literal) bracketed() (string, error) {
	start, depth := p.at, 0
	for p.at < len(p.text) {
		switch p.text[p.at] {
		case '\'', '"':
			if _, err := p.quoted(); err != nil {
				return "", err
			}
			continue
		case '[', '(':
			depth++
		case ']', ')':
			depth--
		}
		p.at++
		if depth == 0 {
			return p.text[start:p.at], nil
		}
	}
	return "", errors.New("has a list that does not end")
}

func (p *literal) boolean(out *bool) error {
	p.skip()
	for word, value := range map[string]bool{"True": true, "False": false} {
		if strings.HasPrefix(p.text[p.at:], word) {
			p.at += len(word)
			*out = value
			return nil
		}
	}
	return p.unexpected("True or False")
}

// tuple parses (), (n,), (n, m) and so on. Python 2 wrote large numbers with a final L.
func (p *literal) tuple(out *[]int) error {
	shape := []int{}
	number := func() error {
		p.skip()
		start := p.at
		for p.at < len(p.text) && (p.text[p.at] >= '0' && p.text[p.at] <= '9' || p.at == start && p.text[p.at] == '-') {
			p.at++
		}
		digits := p.text[start:p.at]
		if digits == "" || digits == "-" {
			p.at = start
			return p.unexpected("a whole number")
		}
		n, err := strconv.ParseInt(digits, 10, strconv.IntSize)
		if err != nil {
			return fmt.Errorf("has a length of %s, too large for this machine", clip(digits))
		}
		if n < 0 {
			return fmt.Errorf("has a negative length, %d", n)
		}
		if p.at < len(p.text) && p.text[p.at] == 'L' {
			p.at++
		}
		if shape = append(shape, int(n)); len(shape) > maxDims {
			return fmt.Errorf("has more than %d dimensions", maxDims)
		}
		return nil
	}
	err := p.items('(', ')', number, func(n int, comma bool) error {
		if n == 1 && !comma {
			return errors.New("has a number in brackets where a tuple such as (3,) was expected")
		}
		return nil
	})
	*out = shape
	return err
}
