package text_test

import (
	"strings"
	"testing"

	"weft/kernels/conformance"
	"weft/kernels/ir"
	"weft/kernels/ir/text"
)

// table names the buffers of kernels, and finds them again.
type table map[string]*ir.Buffer

func (t table) name(b *ir.Buffer) string {
	for name, have := range t {
		if have == b {
			return name
		}
	}
	name := "b" + strings.Repeat("'", len(t))
	t[name] = b
	return name
}

func (t table) find(name string) *ir.Buffer { return t[name] }

func TestEncodedKernelsAreTheSame(t *testing.T) {
	for _, c := range conformance.Cases() {
		names := table{}
		encoded := text.Encode(c.Kernel, names.name)
		back, err := text.Decode(encoded, names.find, nil)
		if err != nil {
			t.Fatalf("%s: %v\n%s", c.Name, err, encoded)
		}
		if ir.Hash(back) != ir.Hash(c.Kernel) || back.String() != c.Kernel.String() || back.Contract != c.Kernel.Contract {
			t.Errorf("%s reads as\n%s and was\n%s", c.Name, back, c.Kernel)
		}
		if again := text.Encode(back, names.name); again != encoded {
			t.Errorf("%s is written again as\n%s", c.Name, again)
		}
	}
}

func TestDamagedKernelsAreRefused(t *testing.T) {
	bufs := table{"b1": {Name: "b1", Type: ir.F32, Shape: []int{4}}, "b2": {Name: "b2", Type: ir.F32, Shape: []int{4}}}
	good := "kernel \"k\"\naxis \"x\" 4\nload b1 0\nadd f32 1 1\nstore b2 ordered 0 2\naxes 0\n"
	if _, err := text.Decode(good, bufs.find, nil); err != nil {
		t.Fatal(err)
	}
	for _, c := range [][2]string{
		{"b1 0", "b9 0"},                                              // no such array
		{"add f32 1 1", "add f32 1 7"},                                // no such value
		{"add f32 1 1\n", "add f32 1\n"},                              // too few
		{"add f32 1 1", "add i32 1 1"},                                // mixed types
		{"add f32", "madd f32"},                                       // no such operation
		{"store b2 ordered 0", "store b2 ordered 1"},                  // a float as an index
		{"axes 0", "axes 1"},                                          // not an axis
		{"axes 0\n", ""},                                              // stored outside of the scope
		{"axis \"x\" 4", "axis \"x\" -4"},                             // no extent
		{"kernel \"k\"", "kernel k"},                                  // no name
		{"add f32 1 1\nstore", "index i32 \"i\"\nadd f32 1 1\nstore"}, // a loop without end
		{"axes 0\n", "axes 0 trailing\n"},                             // more than there is
		{"load b1 0", "acc f32 0 0\nload b1 0"},                       // an accumulator of nothing
		{"axis \"x\" 4\n", strings.Repeat("axis \"x\" 4\n", 300)},     // too many axes
		{"store b2 ordered", "store b2 any"},                          // not a way to join
		{"add f32 1 1\n", "get f32 1 0\nadd f32 1 1\n"},               // of no fold
	} {
		if _, err := text.Decode(strings.Replace(good, c[0], c[1], 1), bufs.find, nil); err == nil {
			t.Errorf("%q in place of %q is accepted", c[1], c[0])
		}
	}
}

// FuzzDecode: whatever the text, there is an error or a kernel that is written and read back as itself.
func FuzzDecode(f *testing.F) {
	bufs := table{"b": {Name: "b", Type: ir.F32, Shape: []int{4}}, "b'": {Name: "b'", Type: ir.F32, Shape: []int{4, 2}}, "b''": {Name: "b''", Type: ir.I16}}
	for i, c := range conformance.Cases() {
		if i%20 == 0 {
			f.Add(text.Encode(c.Kernel, table{}.name))
		}
	}
	f.Fuzz(func(t *testing.T, encoded string) {
		k, err := text.Decode(encoded, bufs.find, nil)
		if err != nil {
			return
		}
		again := text.Encode(k, bufs.name)
		back, err := text.Decode(again, bufs.find, nil)
		if err != nil || ir.Hash(back) != ir.Hash(k) {
			t.Errorf("%v\n%s\nis written as\n%s", err, encoded, again)
		}
	})
}
