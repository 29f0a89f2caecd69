package complete

import (
	"slices"
	"testing"

	"weft/ops"
)

func TestWord(t *testing.T) {
	array := ops.Array{Of: &ops.Instance{Out: ops.One(ops.Type{Elem: ops.F32, Dims: []ops.Dim{{Name: "sample", Size: 3}}})}}
	defined := map[string]ops.Value{
		"iq": array, "image": nil, "fc": ops.Number{V: 3}, "stats": nil,
		"fit": ops.Record{Names: []string{"velocity", "inner"}, Fields: map[string]ops.Value{"velocity": array, "inner": ops.Record{Names: []string{"chisq"}, Fields: map[string]ops.Value{"chisq": array}}}},
	}
	for _, c := range []struct {
		text, word string
		offers     []Offer // some of them
		not        []string
	}{
		{"x = i", "i", []Offer{{"iq", "f32 [sample: 3]"}, {"image", "defined here"}}, []string{"fc"}},
		{"x = f", "f", []Offer{{"fc", "3"}, {"fit", "a record of velocity, inner"}}, []string{"fit.velocity"}},
		{"x = fit.", "fit.", []Offer{{"fit.velocity", "f32 [sample: 3]"}, {"fit.inner", "a record of chisq"}}, []string{"fc", "fit.inner.chisq"}},
		{"x = fit.inner.c", "fit.inner.c", []Offer{{"fit.inner.chisq", "f32 [sample: 3]"}}, []string{"fit.velocity"}},
		{"x = iq[sa", "sa", []Offer{{"sample:", "dimension"}}, nil},
		{"x = 3 m", "m", []Offer{{"mm", "unit"}}, []string{"max"}},
		{"use st", "st", []Offer{{"stats", "library"}}, nil},
		{"x = sum(iq, ov", "ov", []Offer{{"over:", ""}}, nil},
		{"x = stats.", "stats.", []Offer{{"stats.rms", ""}}, nil},
		{"x = signal.", "signal.", nil, []string{"signal.spectrum"}}, // it is not used
	} {
		word, offers := Word(c.text, defined)
		if word != c.word {
			t.Errorf("%q: the word is %q", c.text, word)
		}
		for _, want := range c.offers {
			if !slices.ContainsFunc(offers, func(o Offer) bool { return o.Text == want.Text && (want.Doc == "" || o.Doc == want.Doc) }) {
				t.Errorf("%q: no %v among %v", c.text, want, offers)
			}
		}
		for _, not := range c.not {
			if slices.ContainsFunc(offers, func(o Offer) bool { return o.Text == not }) {
				t.Errorf("%q: %s is offered", c.text, not)
			}
		}
	}
}
