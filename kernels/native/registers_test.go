package native

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"weft/kernels/codegen/c"
	"weft/kernels/ir"
	"weft/kernels/schedule"
)

// Large products take all the registers there are, with all their terms in one slice of packed operands, and the compiler leaves nothing but
// loads and multiply-adds in the loop over the terms, whatever follows it: accumulators that it keeps in memory halve the speed, and nothing else tells.
func TestLargeProductsStayInRegisters(t *testing.T) {
	for isa, most := range map[string]int{"avx512": 32, "avx2": 16} {
		for _, typ := range []ir.DType{ir.F32, ir.F64} {
			for _, size := range []string{"1000 AB", "2000 AB", "4000 AB", "2000 AB exp", "1000 AB bias", "1000 AB scale"} {
				t.Run(fmt.Sprint(isa, " ", typ, " ", size), func(t *testing.T) {
					d, n := open(t, isa), 0
					if _, err := fmt.Sscan(size, &n); err != nil {
						t.Fatal(err)
					}
					k := product(typ, n, n, n, size[5:], false)
					s := schedule.Default(k, d.target)
					accs := schedule.Product(s.Unroll)
					if typ == ir.F64 {
						accs *= schedule.Registers(typ)
					} else if s.AccBlock == 0 || s.AccBlock > 512 {
						t.Errorf("sums of float32 over %d terms: %s", s.AccBlock, s.Text(k))
					}
					if accs < 3*most/4 || accs > most-2 || !s.Pack || s.Split != n {
						t.Errorf("%d registers of %d: %s", accs, most, s.Text(k))
					}
					loop := heaviestLoop(assembly(t, d, k, s))
					if got := len(multiplyAdds.FindAllString(loop, -1)); got == 0 || got%accs > 0 {
						t.Errorf("%d multiply-adds a turn for %d accumulators", got, accs)
					}
					if stores := vectorStores.FindAllString(loop, -1); stores != nil || strings.Contains(loop, "(%rsp)") {
						t.Errorf("under %s, the loop keeps values in memory:\n%s", s.Text(k), loop)
					}
				})
			}
		}
	}
}

var (
	label        = regexp.MustCompile(`^(\.L\w+):`)
	jump         = regexp.MustCompile(`(?m)^\tj\w+\t(\.L\w+)`)
	multiplyAdds = regexp.MustCompile(`\tvfmadd\w+p[sd]\t`)
	vectorStores = regexp.MustCompile(`\tv\w+\t%[yz]mm\d+, [^%\n]*\(.*`)
)

// assembly is what the compiler makes of a kernel.
func assembly(t *testing.T, d *Device, k *ir.Kernel, s schedule.CPU) string {
	t.Helper()
	v, err := d.render(k, s, c.Way{})
	if err != nil {
		t.Fatal(err)
	}
	source, out := filepath.Join(t.TempDir(), "kernel.c"), filepath.Join(t.TempDir(), "kernel.s")
	if err := os.WriteFile(source, []byte(c.Prelude(d.target)+"\n"+v.out.Source), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := d.compiler.run(t.Context(), d.flags(), source, out, "-S", source); err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile(out)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// heaviestLoop is the innermost loop with the most multiply-adds: from a label to the jump back to it.
func heaviestLoop(text string) (heaviest string) {
	lines := strings.Split(text, "\n")
	at, most := map[string]int{}, 0
	for i, line := range lines {
		if m := label.FindStringSubmatch(line); m != nil {
			at[m[1]] = i
		}
		m := jump.FindStringSubmatch(line)
		if m == nil {
			continue
		}
		first, back := at[m[1]]
		if !back {
			continue
		}
		body := strings.Join(lines[first:i+1], "\n")
		if n := len(multiplyAdds.FindAllString(body, -1)); n > most && len(jump.FindAllString(strings.Join(lines[first:i], "\n"), -1)) == 0 {
			heaviest, most = body, n
		}
	}
	return heaviest
}
