package tree

import (
	"fmt"
	"strings"
	"testing"
)

// turn is what is done for vector v, which declares names of its own; the first declares also what all use.
func turn(v int) (out []Stmt) {
	acc, at := Name(fmt.Sprintf("a7_%d", v)), Name("p")
	x, y := fmt.Sprintf("v%d", 10+3*v), fmt.Sprintf("v%d", 11+3*v)
	out = append(out, Let("vf", x, Bin("*", acc, Name("scale"))))
	if v == 0 {
		out = append(out, Var("float *const", "p", Bin("+", Name("b0"), Name("x1"))))
	}
	out = append(out, Let("vf", y, Call("v_sqrt_f", Name(x))), Do(Call("store_f32", Add(at, Int(16*v)), Name(y))))
	return append(out, EachLane(Set{To: At(Name("q"), Name("l")), Value: Bin("*", Name("l"), Int(3+2*v))}))
}

func TestTurnsThatDoTheSameAreALoop(t *testing.T) {
	text := func(list []Stmt) string { return Text(&Dialect{}, "void f()", list) }
	want := `void f() {
float *const p = b0 + x1;
const __typeof__(a7_0) each_a7_0[3] = {a7_0, a7_1, a7_2};
for (int turn = 0; turn < 3; turn++) {
const vf v10 = each_a7_0[turn] * scale;
const vf v11 = v_sqrt_f(v10);
store_f32(p + turn * 16, v11);
for (int l = 0; l < W; l++) {
q[l] = l * (3 + turn * 2);
}
}
}
`
	if got := text(Rolled([][]Stmt{turn(0), turn(1), turn(2)}, 4)); got != want {
		t.Errorf("%s\nwant\n%s", got, want)
	}
	before := []Stmt{Var("vf", "a7_0", nil), Var("vf", "a7_1", nil)}
	if got := text(Rolled([][]Stmt{append(before, turn(0)...), turn(1)}, 4)); !strings.HasPrefix(got, "void f() {\nvf a7_0;\nvf a7_1;\nfloat *const p") {
		t.Errorf("what comes before the first turn is elsewhere:\n%s", got)
	}
	for name, turns := range map[string][][]Stmt{
		"few statements":         {turn(0)[:2], turn(1)[:1]},
		"one turn":               {turn(0)},
		"another function":       {turn(0), append(turn(1)[:1], Let("vf", "v14", Call("v_exp_f", Name("v13"))), turn(1)[2], turn(1)[3])},
		"uneven places":          {turn(0), turn(1), turn(3)},
		"another operand":        {turn(0), append([]Stmt{Let("vf", "v13", Bin("*", Name("a7_1"), Name("a7_1")))}, turn(1)[1:]...)},
		"a variable is assigned": {append(turn(0), Set{To: Name("s_0"), Value: Int(1)}), append(turn(1), Set{To: Name("s_1"), Value: Int(1)})},
		"what the first made":    {turn(0), append([]Stmt{Let("vf", "v13", Bin("*", Name("v10"), Name("scale")))}, turn(1)[1:]...)},
		"shared, of its own":     {append([]Stmt{Let("vf", "v9", Int(1))}, append(turn(0)[:1], append([]Stmt{Let("vf", "w", Pre("-", Name("v10")))}, turn(0)[1:]...)...)...), turn(1)},
	} {
		if got := Rolled(turns, 4); got != nil {
			t.Errorf("%s: a loop\n%s", name, text(got))
		}
	}
}
