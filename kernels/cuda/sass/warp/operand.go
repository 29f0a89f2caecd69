package warp

import (
	"fmt"
	"math"
	"strconv"
	"strings"
)

// Operands are looked up when a program is prepared; what remains are functions of a thread.

type (
	word  func(l *lane) uint32
	truth func(l *lane) bool
)

// source is what an operand gives; float: its sign is that of a float32.
func source(text string, float bool) (word, error) {
	text = strings.TrimSuffix(text, ".reuse")
	if rest, ok := strings.CutPrefix(text, "-"); ok && (strings.HasPrefix(rest, "R") || strings.HasPrefix(rest, "U") || strings.HasPrefix(rest, "c[")) {
		x, err := source(rest, float)
		if float {
			return func(l *lane) uint32 { return x(l) ^ 1<<31 }, err
		}
		return func(l *lane) uint32 { return -x(l) }, err
	}
	if rest, ok := strings.CutPrefix(text, "~"); ok {
		x, err := source(rest, false)
		return func(l *lane) uint32 { return ^x(l) }, err
	}
	if at, ok := strings.CutPrefix(text, "c[0x0]["); ok {
		n, err := strconv.ParseInt(strings.TrimSuffix(at, "]"), 0, 32)
		return func(l *lane) uint32 { return l.bank(int(n)) }, err
	}
	switch {
	case text == "RZ" || text == "URZ" || text == "SRZ":
		return func(*lane) uint32 { return 0 }, nil
	case strings.HasPrefix(text, "R") || strings.HasPrefix(text, "UR"):
		n, err := register(text)
		if text[0] == 'U' {
			return func(l *lane) uint32 { return l.uniform[n] }, err
		}
		return func(l *lane) uint32 { return l.regs[n] }, err
	case float && !strings.HasPrefix(text, "0x"):
		x, err := strconv.ParseFloat(strings.NewReplacer("QNAN", "NAN").Replace(text), 32)
		bits := math.Float32bits(float32(x))
		return func(*lane) uint32 { return bits }, err
	}
	n, err := strconv.ParseInt(text, 0, 64)
	return func(*lane) uint32 { return uint32(n) }, err
}

// pair is a register with the next one, as a whole number of 64 bits.
func pair(text string) (func(l *lane) uint64, error) {
	text = strings.TrimSuffix(text, ".reuse")
	if rest, ok := strings.CutPrefix(text, "-"); ok {
		x, err := pair(rest)
		return func(l *lane) uint64 { return -x(l) }, err
	}
	text = strings.TrimSuffix(text, ".64")
	if strings.HasSuffix(text, "RZ") {
		return func(*lane) uint64 { return 0 }, nil
	}
	n, err := register(text)
	if strings.HasPrefix(text, "U") {
		return func(l *lane) uint64 { return uint64(l.uniform[n]) | uint64(l.uniform[n+1])<<32 }, err
	}
	return func(l *lane) uint64 { return uint64(l.regs[n]) | uint64(l.regs[n+1])<<32 }, err
}

// register is the number of a register or predicate.
func register(text string) (int, error) {
	n, err := strconv.Atoi(strings.TrimLeft(text, "URP"))
	if err != nil {
		return 0, fmt.Errorf("unknown operand %s", text)
	}
	return n, nil
}

// predicate is what a predicate says.
func predicate(text string) (truth, error) {
	if rest, ok := strings.CutPrefix(text, "!"); ok {
		x, err := predicate(rest)
		return func(l *lane) bool { return !x(l) }, err
	}
	if text == "PT" || text == "UPT" {
		return func(*lane) bool { return true }, nil
	}
	n, err := register(text)
	if strings.HasPrefix(text, "U") {
		return func(l *lane) bool { return l.upreds[n] }, err
	}
	return func(l *lane) bool { return l.preds[n] }, err
}

// into sets a register, some words further on.
func into(text string, further int) (func(l *lane, x uint32), error) {
	if strings.HasSuffix(text, "RZ") {
		return func(*lane, uint32) {}, nil
	}
	n, err := register(text)
	if strings.HasPrefix(text, "U") {
		return func(l *lane, x uint32) { l.uniform[n+further] = x }, err
	}
	return func(l *lane, x uint32) { l.regs[n+further] = x }, err
}

// says sets a predicate.
func says(text string) (func(l *lane, x bool), error) {
	if text == "PT" || text == "UPT" {
		return func(*lane, bool) {}, nil
	}
	n, err := register(text)
	if strings.HasPrefix(text, "U") {
		return func(l *lane, x bool) { l.upreds[n] = x }, err
	}
	return func(l *lane, x bool) { l.preds[n] = x }, err
}

// isPredicate reports an operand that is one.
func isPredicate(text string) bool {
	text = strings.TrimLeft(text, "!U")
	return text == "PT" || len(text) == 2 && text[0] == 'P'
}

// place is the address in an operand: desc[UR16][R44.64+-0x522ee8].
func place(text string) (func(l *lane) uint64, error) {
	if at := strings.Index(text, "]["); strings.HasPrefix(text, "desc[") && at > 0 {
		text = text[at+1:]
	}
	text = strings.Trim(text, "[]")
	base, rest, _ := strings.Cut(text, "+")
	x, err := pair(base)
	if err != nil || rest == "" {
		return x, err
	}
	n, err := strconv.ParseInt(rest, 0, 64)
	return func(l *lane) uint64 { return x(l) + uint64(n) }, err
}
