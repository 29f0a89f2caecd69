package tree

import (
	"fmt"
	"hash/fnv"
	"strings"
	"testing"
)

// triangle is the determinant of a matrix of so many rows, whose elements are added up before, by its triangular root, row by row: each value is made of those before it.
func triangle(n int) (body []Stmt) {
	at := func(p, q int) *Expr { return Name(fmt.Sprintf("m%d_%d", p, q)) }
	var last *Expr
	for p := range n {
		for q := range p + 1 {
			body = append(body, Var("float", fmt.Sprintf("a%d_%d", p, q), Call("given", Int(p), Int(q))))
		}
	}
	for p := range n {
		for q := range p + 1 {
			x := Name(fmt.Sprintf("x%d_%d", p, q))
			body = append(body, Let("double", x.Text, Cast("double", Name(fmt.Sprintf("a%d_%d", p, q)))))
			for k := range q {
				next := Name(fmt.Sprintf("x%d_%d_%d", p, q, k))
				body = append(body, Let("double", next.Text, Call("s_fnma_d", at(p, k), at(q, k), x)))
				x = next
			}
			if q < p {
				body = append(body, Let("double", at(p, q).Text, Bin("*", x, Name(fmt.Sprintf("r%d", q)))))
				continue
			}
			body = append(body, Let("double", fmt.Sprintf("r%d", p), Call("root", x)))
			if sum := Name(fmt.Sprintf("sum%d", p)); last != nil {
				body = append(body, Let("double", sum.Text, Bin("+", last, x)))
				last = sum
			} else {
				last = x
			}
		}
	}
	return append(body, Do(Call("store", last)))
}

// solution is what uses the whole root once more, from its end.
func solution(n int) []Stmt {
	body := triangle(n)
	body = body[:len(body)-1]
	x := Name("r0")
	for p := n - 1; p > 0; p-- {
		for q := range p {
			next := Name(fmt.Sprintf("y%d_%d", p, q))
			body = append(body, Let("double", next.Text, Call("s_fnma_d", Name(fmt.Sprintf("m%d_%d", p, q)), x, x)))
			x = next
		}
	}
	return append(body, Do(Call("store", x)))
}

// stored is what a program stores, as hashes of how it is made.
func stored(t *testing.T, body []Stmt) (out string) {
	t.Helper()
	known := map[string]string{}
	var of func(e *Expr) string
	of = func(e *Expr) string {
		key := e.Text
		if e.form == element {
			key = e.String()
		}
		if x, ok := known[key]; ok && (e.form == atom || e.form == element) {
			return x
		}
		if e.form == element || e.form == atom && strings.ContainsAny(e.Text[:1], "amrxysb") {
			t.Fatalf("%s is used before it is made", e)
		}
		list := []string{fmt.Sprint(e.form), e.Text}
		for _, a := range e.args {
			list = append(list, of(a))
		}
		h := fnv.New64a()
		fmt.Fprint(h, list)
		return fmt.Sprint(h.Sum64())
	}
	for _, s := range body {
		switch s := s.(type) {
		case declaration:
			if s.name != "aside_at" {
				known[s.name] = of(s.value)
			}
		case Set:
			known[s.To.String()] = of(s.Value)
		case do:
			out += of(s.call)
		}
	}
	return out
}

// A root of which each column is done with before the next is begun holds far less than one by rows, and gives the same.
func TestOrderHoldsLess(t *testing.T) {
	body := triangle(15)
	given := Thrift{Ample: 1 << 20}
	given.Order(body)
	few := Thrift{Ample: 128}
	out := few.Order(body)
	if given.Most < 210 || few.Most > 170 || few.Taken != 0 {
		t.Errorf("%d registers by rows, %d in the order that holds less", given.Most, few.Most)
	}
	if stored(t, out) != stored(t, body) || len(out) != len(body) {
		t.Error("it computes something else")
	}
	if same := triangle(5); Text(&Dialect{}, "f", (&Thrift{Ample: 128}).Order(same)) != Text(&Dialect{}, "f", same) {
		t.Error("what fits is in another order")
	}
}

// What does not fit in any order is in memory until it is used, and no more of it than must be.
func TestSetAside(t *testing.T) {
	body := solution(15)
	given := Thrift{Ample: 128}
	given.Order(body)
	few := Thrift{Ample: 128, Room: 120, Threads: 64, Bytes: 48 << 10}
	out := few.Order(body)
	if given.Most < 190 || few.Most > 120 || few.Short {
		t.Errorf("%d registers without, %d with values aside, short %t", given.Most, few.Most, few.Short)
	}
	if least, most := (given.Most-120)/2, (given.Most-120)/2+40; few.Taken < least*8*64 || few.Taken > most*8*64 {
		t.Errorf("%d bytes aside, want %d to %d", few.Taken, least*8*64, most*8*64)
	}
	if stored(t, out) != stored(t, body) {
		t.Error("it computes something else")
	}
	if small := (Thrift{Ample: 128, Room: 120, Threads: 256, Bytes: 48 << 10}); true {
		if small.Order(body); !small.Short {
			t.Errorf("%d bytes for 256 threads are not short", small.Taken)
		}
	}
}

// Values that loops behind them use are read back there.
func TestSetAsideForLoops(t *testing.T) {
	body := solution(15)
	body = body[:len(body)-1]
	loop := Count("int", "i", Int(0), Name("n"), 1, Do(Call("store", Name("m3_2"))), Let("double", "twice", Bin("+", Name("m3_2"), Name("m14_13"))), Do(Call("store", Name("twice"))))
	out := Text(&Dialect{}, "f", (&Thrift{Ample: 128, Room: 120, Threads: 32, Bytes: 48 << 10}).Order(append(body, loop)))
	if _, inside, _ := strings.Cut(out, "for ("); strings.Contains(inside, "m3_2") || strings.Count(inside, "aside_double[") < 2 {
		t.Errorf("in the loop:\n%s", inside)
	}
}
