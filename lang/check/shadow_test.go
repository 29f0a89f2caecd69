package check

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"weft/lang/library"
	"weft/ops/catalogue"
)

// A definition, a param and a parameter may have the name of any operator: signs and indices mean what they meant.
func TestOperatorsCanBeShadowed(t *testing.T) {
	cat := catalogue.Standard()
	for _, name := range cat.Names() {
		if strings.Contains(name, ".") || name == "show" || name == "axis" || name == "and" || name == "or" || name == "not" {
			continue // a field; what the program below needs; keywords
		}
		for _, text := range []string{
			"%[1]s = 3\nshow(axis(x, 0 .. 3 in 4) * %[1]s + 1)",
			"param %[1]s = 3\nshow(-axis(x, 0 .. 3 in 4)[x: 1 .. %[1]s] < %[1]s)",
			"fn %[1]s(%[1]s) = %[1]s ^ 2\nshow(axis(x, 0 .. 3 in 4)[x: here - 1, outside: 0] | %[1]s)",
		} {
			text := fmt.Sprintf(text, name)
			if _, list := File("f", []byte(text), cat, Options{}); list.Len() > 0 {
				t.Errorf("%s\n%v", text, list.Sorted())
			}
		}
	}
}

// commonNames are what people call things, whether or not an operator or a function of a library has the name, now or later.
const commonNames = `a abs accumulate add all amplitude angle any apply area argmax around array average axis b background bandwidth bin bins
	blur box c cell center channel clip coefficient color column columns concat condition const convolve cos count cross cumsum data date deconvolve delay
	delta density depth derivative det detect diff dilate dim dims distance divide dot dt dx e edge edges eigen element elements energy envelope erode
	error event exp f factor fft field file fill filter first fit fold frame frequency from gain gamma gate gather gauss gradient grid group h hann
	hash head here height histogram i id identity ifft image index inf initial input integral inverse iterate j k kernel key label lambda last length
	level limit line linear list load log low map mask mass matrix max mean median merge min minimum mirror mode model moment mu n name nan nearest
	noise norm normal normalize number offset one order origin out outer output outside over pad pair part path peak period phase pi pixel plane
	point position power pressure product profile q quantile r radius random range rank rate ratio read record reduce region repeat reshape residual
	resize result reverse rfft rms roll root rotate round row rows s sample samples save scale scan select shape shift show sigma sign signal sin
	size slice slope smooth solve sort source spacing spectrum speed square stack start state stats std step steps stop sum t table take tau temperature
	theta threshold time times total trace transform transmit transpose u unique unit update v value var variance vector velocity volume w wave weight
	weights where width window wrap write x y z zero zeros zscore`

// Adding an operator or a function to a library breaks no program: whatever a program, a function, a record or an array may call something has that
// name, and no operator in its place.
func TestCommonNames(t *testing.T) {
	cat := catalogue.Standard()
	names := slices.Concat(strings.Fields(commonNames), cat.Names())
	functions, _ := library.Functions()
	for _, f := range functions {
		_, name, _ := strings.Cut(f, ".")
		names = append(names, name)
	}
	slices.Sort(names)
	for _, name := range slices.Compact(names) {
		if strings.Contains(name, ".") || name == "and" || name == "or" || name == "not" {
			continue
		}
		made, seen := "axis(%[2]s, 0 .. 3 in 4)", "show(%s)"
		if name == "axis" || name == "show" {
			made, seen = "with_coordinates(fill(1, dims: %[2]s, extents: 4), %[2]s, 0 .. 3 in 4)", "write(%s, \"a.npy\")"
		}
		other := fmt.Sprintf(made, "", "other_dim")
		for _, text := range []string{
			"%[1]s = " + other + "\n" + fmt.Sprintf(seen, "%[1]s * 2"),
			"param %[1]s = 3\n" + fmt.Sprintf(seen, other+" * %[1]s"),
			"fn %[1]s(p) = p * 2\n" + fmt.Sprintf(seen, "%[1]s("+other+") | %[1]s"),
			"fn own(%[1]s, more = 2) {\n    twice = %[1]s * more\n    twice + 1\n}\n" + fmt.Sprintf(seen, "own(%[1]s: "+other+")"),
			"own = %[1]s -> %[1]s * 2\n" + fmt.Sprintf(seen, "own("+other+")"),
			"fn own(p) {\n    %[1]s = p + 1\n    %[1]s * 2\n}\n" + fmt.Sprintf(seen, "own("+other+")"),
			"r = (%[1]s: " + other + ", more: 2)\n" + fmt.Sprintf(seen, "r.%[1]s * r.more"),
			"fn own(kind in [%[1]s, other] = %[1]s) = if kind == %[1]s then " + other + " else 2\n" + fmt.Sprintf(seen, "own(%[1]s) + own()"),
			"line = " + fmt.Sprintf(made, "", "%[1]s") + "\n" + fmt.Sprintf(seen, "line[%[1]s: 1 .. 2] + sum(line, over: %[1]s)"),
		} {
			text := strings.ReplaceAll(text, "%[1]s", name)
			if _, list := File("f", []byte(text), cat, Options{}); list.Len() > 0 {
				t.Errorf("%s\n%v", text, list.Sorted())
			}
		}
	}
}
