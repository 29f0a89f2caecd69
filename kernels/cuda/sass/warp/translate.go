package warp

import (
	"cmp"
	"errors"
	"math"
	"slices"
	"strconv"
	"strings"

	"weft/kernels/cuda/sass"
	"weft/kernels/device"
)

// ErrUnknown is matched by errors of instructions that are not known here.
var ErrUnknown = errors.New("not known here")

// operands reads those of an instruction one by one, and keeps the first error.
type operands struct {
	list []string // that are left
	all  []string
	err  error
}

func (o *operands) next() string {
	if len(o.list) == 0 {
		o.fail(errors.New("too few operands"))
		return "RZ"
	}
	x := o.list[0]
	o.list = o.list[1:]
	return x
}

func (o *operands) fail(err error) {
	if o.err == nil {
		o.err = err
	}
}

func taken[T any](o *operands, of func(string) (T, error)) T {
	x, err := of(o.next())
	if err != nil {
		o.fail(err)
	}
	return x
}

func (o *operands) word() word {
	return taken(o, func(s string) (word, error) { return source(s, false) })
}
func (o *operands) float() word {
	return taken(o, func(s string) (word, error) { return source(s, true) })
}
func (o *operands) truth() truth             { return taken(o, predicate) }
func (o *operands) pair() func(*lane) uint64 { return taken(o, pair) }
func (o *operands) to() func(*lane, uint32) {
	return taken(o, func(s string) (func(*lane, uint32), error) { return into(s, 0) })
}

// wide sets a register and the next one.
func (o *operands) wide() func(*lane, uint64) {
	text := o.next()
	low, err := into(text, 0)
	high, also := into(text, 1)
	o.fail(cmp.Or(err, also))
	return func(l *lane, x uint64) { low(l, uint32(x)); high(l, uint32(x>>32)) }
}

// says are the predicates that come next, as many as there are.
func (o *operands) says() (list []func(*lane, bool)) {
	for len(o.list) > 0 && isPredicate(o.list[0]) {
		list = append(list, taken(o, says))
	}
	return list
}

// addend is a summand of 64 bits, so that a sum tells what it carries.
func (o *operands) addend() func(*lane) uint64 {
	if rest, ok := strings.CutPrefix(strings.TrimSuffix(o.list[0], ".reuse"), "-R"); ok && rest != "Z" {
		x := taken(o, func(string) (word, error) { return source("R"+rest, false) })
		return func(l *lane) uint64 { return 1<<32 - uint64(x(l)) }
	}
	x := o.word()
	return func(l *lane) uint64 { return uint64(x(l)) }
}

// nothing are instructions by which threads wait for others, or that say where they meet.
var nothing = []string{"BSSY", "BSYNC", "BREAK", "WARPSYNC", "NOP", "BMOV"}

func translate(i sass.Instruction) (out operation, err error) {
	if i.Guard != "" {
		if out.guard, err = predicate(i.Guard); err != nil {
			return out, err
		}
	}
	parts := strings.Split(i.Name, ".")
	name, o := parts[0], &operands{list: i.Operands, all: i.Operands}
	has := func(s string) bool { return slices.Contains(parts[1:], s) }
	switch {
	case slices.Contains(nothing, name):
		return out, nil
	case name == "EXIT":
		out.exit = true
		return out, nil
	case name == "BRA" && len(parts) == 1:
		out.to, out.jump = i.Jump, func(*lane) bool { return true }
		if len(i.Operands) > 1 {
			out.jump = o.truth()
		}
		return out, o.err
	case name == "S2UR":
		name = "S2R"
	case name == "LDG" || name == "STG":
		out.do = o.access(name, i.Bytes(), has)
		return out, o.err
	case name[0] == 'U':
		name = name[1:]
	}
	if out.do = o.compute(name, has, parts); out.do == nil {
		out.do = func(*lane) error { return ErrUnknown }
		return out, nil
	}
	return out, o.err
}

// access is a load or store of a few bytes of memory.
func (o *operands) access(name string, n int, has func(string) bool) func(*lane) error {
	words := max(1, n/4)
	if has("S8") || has("S16") {
		o.fail(ErrUnknown)
	}
	if name == "STG" {
		at, text := taken(o, place), o.next()
		var from []word
		for w := range words {
			from = append(from, func(l *lane) uint32 { return 0 })
			if !strings.HasPrefix(text, "RZ") {
				number, err := register(strings.TrimSuffix(text, ".reuse"))
				o.fail(err)
				from[w] = func(l *lane) uint32 { return l.regs[number+w] }
			}
		}
		return func(l *lane) error {
			data, err := l.memory(at(l), n)
			for b := range data {
				data[b] = byte(from[b/4](l) >> (b % 4 * 8))
			}
			return err
		}
	}
	text := o.next()
	at := taken(o, place)
	var to []func(*lane, uint32)
	for w := range words {
		set, err := into(text, w)
		o.fail(err)
		to = append(to, set)
	}
	return func(l *lane) error {
		data, err := l.memory(at(l), n)
		if err != nil {
			return err
		}
		for w, set := range to {
			x := uint32(0)
			for b := range min(4, n) {
				x |= uint32(data[4*w+b]) << (8 * b)
			}
			set(l, x)
		}
		return nil
	}
}

// compute is an instruction that changes registers and predicates alone; nil: it is not known.
func (o *operands) compute(name string, has func(string) bool, parts []string) func(*lane) error {
	set := func(to func(*lane, uint32), x word) func(*lane) error {
		return func(l *lane) error { to(l, x(l)); return nil }
	}
	switch name {
	case "MOV", "R2UR":
		return set(o.to(), o.word())
	case "VIADD":
		to, a, b := o.to(), o.word(), o.word()
		return set(to, func(l *lane) uint32 { return a(l) + b(l) })
	case "IADD3":
		return o.sum()
	case "IMAD":
		return o.multiply(has)
	case "LEA":
		return o.scaled(has)
	case "SHF":
		return o.shift(has)
	case "LOP3":
		return o.logic()
	case "PLOP3":
		return o.truths()
	case "ISETP", "FSETP":
		return o.compare(name == "FSETP", has, parts[1])
	case "VIMNMX", "VIADDMNMX":
		to, a := o.to(), o.word()
		if name == "VIADDMNMX" {
			x, y := a, o.word()
			a = func(l *lane) uint32 { return x(l) + y(l) }
		}
		b, least := o.word(), o.truth()
		return set(to, func(l *lane) uint32 {
			x, y := a(l), b(l)
			less := int32(x) < int32(y)
			if has("U32") {
				less = x < y
			}
			if less == least(l) {
				return x
			}
			return y
		})
	case "SEL", "FSEL":
		of := o.word
		if name == "FSEL" {
			of = o.float
		}
		to, a, b, p := o.to(), of(), of(), o.truth()
		return set(to, func(l *lane) uint32 {
			if p(l) {
				return a(l)
			}
			return b(l)
		})
	case "FADD", "FMUL":
		to, a, b := o.to(), o.float(), o.float()
		return set(to, func(l *lane) uint32 {
			x, y := math.Float32frombits(a(l)), math.Float32frombits(b(l))
			if name == "FMUL" {
				return math.Float32bits(x * y)
			}
			return math.Float32bits(x + y)
		})
	case "FFMA":
		to, a, b, c := o.to(), o.float(), o.float(), o.float()
		return set(to, func(l *lane) uint32 {
			return math.Float32bits(fused(math.Float32frombits(a(l)), math.Float32frombits(b(l)), math.Float32frombits(c(l))))
		})
	case "I2F", "MUFU", "F2I":
		return o.quotient(name, has)
	case "DADD", "F2F":
		return o.double(name, has)
	case "HFMA2": // as which compilers write constants, in halves
		to, sum, ok := o.to(), uint32(0), strings.HasPrefix(strings.Join(o.list, " "), "-RZ RZ ")
		for _, half := range o.list[min(2, len(o.list)):] {
			sum <<= 16
			x, err := strconv.ParseFloat(half, 64)
			bits := device.HalfFromFloat(x)
			sum |= uint32(bits)
			ok = ok && err == nil && float64(device.FloatFromHalf(bits)) == x
		}
		if !ok {
			return nil
		}
		return set(to, func(*lane) uint32 { return sum })
	case "CS2R":
		to := o.wide()
		if o.next() != "SRZ" {
			return nil
		}
		return func(l *lane) error { to(l, 0); return nil }
	case "S2R":
		return o.special()
	case "LDC":
		n := 1
		if has("64") {
			n = 2
		}
		text, from := o.next(), o.next()
		offset, err := strconv.ParseInt(strings.TrimSuffix(strings.TrimPrefix(strings.Replace(from, "[RZ]", "[0]", 1), "c[0x0]["), "]"), 0, 32)
		o.fail(err)
		var to []func(*lane, uint32)
		for w := range n {
			x, err := into(text, w)
			o.fail(err)
			to = append(to, x)
		}
		return func(l *lane) error {
			for w, x := range to {
				x(l, l.bank(int(offset)+4*w))
			}
			return nil
		}
	}
	return nil
}

// double is a sum of float64, or a float32 as one.
func (o *operands) double(name string, has func(string) bool) func(*lane) error {
	to := o.wide()
	if name == "F2F" && has("F64") && has("F32") {
		x := o.float()
		return func(l *lane) error {
			to(l, math.Float64bits(float64(math.Float32frombits(x(l)))))
			return nil
		}
	}
	a, b := o.pair(), o.pair()
	if name != "DADD" || strings.Contains(strings.Join(o.all, ""), "-") {
		return nil
	}
	return func(l *lane) error {
		to(l, math.Float64bits(math.Float64frombits(a(l))+math.Float64frombits(b(l))))
		return nil
	}
}

// fused is a product and a sum, rounded once: the first rounding, to float64, leaves an odd last bit where it is not exact, so that the second is as if it were.
func fused(x, y, z float32) float32 {
	a, b := float64(x)*float64(y), float64(z)
	sum := a + b
	part := sum - a
	if rest := (a - (sum - part)) + (b - part); rest != 0 && !math.IsInf(sum, 0) && sum == sum && math.Float64bits(sum)&1 == 0 {
		if (rest > 0) == (sum > 0) {
			return float32(math.Float64frombits(math.Float64bits(sum) + 1))
		}
		return float32(math.Float64frombits(math.Float64bits(sum) - 1))
	}
	return float32(sum)
}

// quotient is a step of a division of whole numbers without signs: a number as float32, rounded up, its reciprocal, or what is made of that in turn.
func (o *operands) quotient(name string, has func(string) bool) func(*lane) error {
	to, x := o.to(), o.float()
	of := map[string]func(uint32) uint32{
		"I2F": func(n uint32) uint32 {
			y := float32(n)
			if float64(y) < float64(n) {
				y = math.Nextafter32(y, math.MaxFloat32)
			}
			return math.Float32bits(y)
		},
		"MUFU": func(x uint32) uint32 { return math.Float32bits(1 / math.Float32frombits(x)) },
		"F2I":  func(x uint32) uint32 { return uint32(math.Float32frombits(x)) },
	}[name]
	if name == "I2F" && !(has("U32") && has("RP")) || name == "MUFU" && !has("RCP") || name == "F2I" && !(has("U32") && has("TRUNC")) {
		return nil
	}
	return func(l *lane) error { to(l, of(x(l))); return nil }
}

// special is a number of the thread or block.
func (o *operands) special() func(*lane) error {
	to, text := o.to(), o.next()
	if text == "SR_CgaCtaId" { // which of a cluster's blocks
		return func(l *lane) error { to(l, 0); return nil }
	}
	for d := range 3 {
		switch text {
		case "SR_TID." + string("XYZ"[d]):
			return func(l *lane) error { to(l, uint32(l.thread[d])); return nil }
		case "SR_CTAID." + string("XYZ"[d]):
			return func(l *lane) error { to(l, uint32(l.block[d])); return nil }
		}
	}
	return nil
}
