package ir

import (
	"strings"
	"testing"
)

// sampleKernel is a small matrix-vector product with a guard.
func sampleKernel() *Kernel {
	b := NewBuilder()
	a := &Buffer{Name: "a", Type: F32, Shape: []int{6, 9}, Pad: Pad{Before: 2, After: 2}}
	x := &Buffer{Name: "x", Type: F16, Shape: []int{9}}
	y := &Buffer{Name: "y", Type: F32, Shape: []int{6}}
	i := b.Axis("row", 6)
	scale := b.Arg(F32, "scale")
	dot := b.Fold(FoldSpec{Lo: b.I32(0), Hi: b.I32(9), Init: []*Node{b.F32(0)}, Monoid: Sum}, func(j *Node, acc []*Node) ([]*Node, *Node) {
		return []*Node{b.Add(acc[0], b.Mul(b.Load(a, i, j), b.Load(x, j)))}, nil
	})
	positive := b.Lt(b.F32(0), dot[0])
	return &Kernel{Name: "matvec", Axes: []*Node{i}, Stores: []Store{{Buf: y, Index: []*Node{i}, Value: b.Mul(scale, dot[0]), Guard: positive}}}
}

func TestPrint(t *testing.T) {
	const want = `kernel matvec
  axis row 6
  arg scale f32
  buffer y f32[6]
  buffer a f32[6 9] pad 2+2 of 0
  buffer x f16[9]
  f1 = sum fold i1 in 0i32..9i32 from 0f32
    v0 = a[row, i1]
    v1 = x[i1]
    v2 = mul v0, v1
    v3 = add a1.0, v2
    next v3
  v4 = mul scale, f1.0
  v5 = lt 0f32, f1.0
  y[row] = v4 if v5
`
	if got := sampleKernel().String(); got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
}

func TestPrintHoists(t *testing.T) {
	b := NewBuilder()
	x := b.Axis("x", 3)
	y := &Buffer{Name: "y", Type: I32, Shape: []int{3}}
	sum := sumOver(b, b.I32(0), b.I32(4), func(i *Node) *Node {
		return sumOver(b, b.I32(0), i, func(j *Node) *Node { return b.Add(j, b.Mul(x, x)) })
	})
	text := (&Kernel{Name: "k", Axes: []*Node{x}, Stores: []Store{{Buf: y, Index: []*Node{x}, Value: sum}}}).String()
	if strings.Index(text, "mul x, x") > strings.Index(text, "fold") {
		t.Errorf("a value that no fold changes stands inside one:\n%s", text)
	}
}

func TestHashIgnoresNamesOnly(t *testing.T) {
	base := Hash(sampleKernel())
	if Hash(sampleKernel()) != base {
		t.Fatal("the hash depends on the builder")
	}
	renamed := sampleKernel()
	renamed.Name = "other"
	renamed.Axes[0].Name = "i"
	renamed.Stores[0].Buf.Name = "out"
	if Hash(renamed) != base {
		t.Error("the hash depends on names")
	}
	for name, change := range map[string]func(k *Kernel){
		"contract":  func(k *Kernel) { k.Contract = true },
		"extent":    func(k *Kernel) { k.Axes[0].Extent = 5 },
		"type":      func(k *Kernel) { k.Stores[0].Buf.Type = F16 },
		"shape":     func(k *Kernel) { k.Stores[0].Buf.Shape[0] = 7 },
		"padding":   func(k *Kernel) { k.Stores[0].Buf.Pad.After = 3 },
		"pad value": func(k *Kernel) { k.Inputs()[0].Pad.Value = 3 },
		"mono":      func(k *Kernel) { k.Inputs()[0].Facts.Mono = 1 },
		"guard":     func(k *Kernel) { k.Stores[0].Guard = nil },
		"adds":      func(k *Kernel) { k.Stores[0].Adds = true },
		"in":        func(k *Kernel) { k.Stores[0].In = k.Stores[0].Value.Args[1].Fold },
		"monoid":    func(k *Kernel) { k.Stores[0].Value.Args[1].Fold.Monoid = Ordered },
	} {
		k := sampleKernel()
		change(k)
		if Hash(k) == base {
			t.Errorf("the hash does not see a change of %s", name)
		}
	}
}
