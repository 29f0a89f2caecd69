package tree

import (
	"testing"
)

// Every kind of statement, as C has it.
func TestStatements(t *testing.T) {
	i := Name("i")
	d := &Dialect{Shared: "SHARED", Barrier: "wait()"}
	loop := Count("int", "i", Int(0), Name("n"), 1, If{Cond: Bin("==", i, Int(3)), Then: []Stmt{Leave{}}, Else: []Stmt{Continue{}}, Rare: true})
	got := Text(d, "void f(void)", []Stmt{
		Let("int", "n", Int(4)), Var("float", "x", nil), Var("float", "y", Int(1)), Array{Type: "int", Name: "q", N: Int(2), Values: []*Expr{Int(5), Int(6)}},
		Shared("float", "s", 8), Barrier{}, loop, Set{To: Name("x"), Op: "|", Value: i}, Do(Call("g", i)), Block{Return{}}, Count("int", "i", nil, Name("n"), 0),
	})
	const want = `void f(void) {
const int n = 4;
float x;
float y = 1;
const int q[2] = {5, 6};
SHARED float s[8];
wait();
for (int i = 0; i < n; i++) {
if (__builtin_expect(i == 3, 0)) {
break;
} else {
continue;
}
}
x |= i;
g(i);
{
return;
}
for (; i < n; ) {
}
}
`
	if got != want {
		t.Errorf("got\n%s", got)
	}
}
