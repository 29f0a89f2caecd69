package repeat

import (
	"errors"
	"fmt"

	"weft/ops"
	"weft/ops/operand"
	"weft/ops/problem"
)

func fastestSpec() *ops.Spec {
	return &ops.Spec{
		Name: "fastest", Doc: "An array that may be made in several ways, in the one that takes least time.", Group: "repetition", Error: operand.Rounded,
		Long: "The arrays of `of` hold the same, as the products of a matrix with one array do that lies in memory in several forms. For each there is one of `trials`, " +
			"which is made in the same way: `iterate` a few turns of it. Where the function that is given to an `iterate` of the program uses the array, and its turns are " +
			"predicted to take long enough, trials are run while the program is planned, and what each way takes is foretold from them: all that it needs once and another does not, and its turns as often as " +
			"the program makes them. Ways whose trials differ by more than `within` from the first are left out. `weft explain` lists the ways with what was measured, which is remembered. " +
			"Everywhere else the first is taken; uses with the same trials take the same way.",
		Returns: "the array.",
		Params: []ops.Param{
			{Name: "of", Doc: "list of arrays of one type: the array, made in each way", Accept: ops.KList},
			{Name: "trials", Doc: "list of arrays of one type: one that is made in each way, from nothing that a function is given in turns", Accept: ops.KList},
			{Name: "names", Doc: "list of texts: what the ways are called", Accept: ops.KList},
			ops.Num("within", "", "difference of trials from the first, as a share of its largest magnitude").Within(0, 1).Or(ops.Quantity(1e-4, "")),
		},
		Examples: []ops.Example{{Title: "A polynomial in two ways", Code: "x = axis(x, 0 .. 1 in 5)\nplain = x ^ 2 + 2 * x + 1\nsquare = (x + 1) ^ 2\n" +
			"show(fastest([plain, square], trials: [plain, square], names: [\"plain\", \"square\"]))"}},
		Bind: bindFastest,
	}
}

func bindFastest(c *ops.Call) (ops.Op, error) {
	w := &ops.Ways{Within: c.Number("within")}
	var errs []error
	wrong := func(code, arg, format string, args ...any) {
		errs = append(errs, problem.Wrong(code, arg, "", format, args...))
	}
	arrays := func(arg string) (out []ops.Array) {
		for i, v := range c.List(arg) {
			a, ok := v.(ops.Array)
			if !ok {
				wrong(problem.NotAnArray, fmt.Sprintf("%s.%d", arg, i), "`%s` lists arrays, and this is %s", arg, v)
				continue
			}
			if out = append(out, a); a.Type().String() != out[0].Type().String() {
				wrong(problem.WrongDims, fmt.Sprintf("%s.%d", arg, i), "all of `%s` have one type: this is %s, and the first is %s", arg, a.Type(), out[0].Type())
			}
		}
		return out
	}
	of := arrays("of")
	w.Trials = arrays("trials")
	for i, v := range c.List("names") {
		name, ok := v.(ops.Text)
		if !ok {
			wrong(problem.WrongKind, fmt.Sprintf("names.%d", i), "`names` lists texts, and this is %s", v)
		}
		w.Names = append(w.Names, string(name))
	}
	if len(of) == 0 || len(w.Trials) != len(of) || len(w.Names) != len(of) {
		wrong(problem.ExtentMismatch, "of", "there is at least one way, and for each a trial and a name: these are %d, %d and %d", len(of), len(w.Trials), len(w.Names))
	}
	if err := errors.Join(errs...); err != nil {
		return nil, err
	}
	w.Gives = ops.One(of[0].Type())
	return w, nil
}
