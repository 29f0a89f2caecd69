package skytest

import (
	"slices"
	"testing"

	"weft/ops"
	"weft/runtime/result"
)

// stepsFrom is how many steps the rays have beyond their own pixels, from some pixels.
func stepsFrom(pixels int, rays []truthRay) (n int64) {
	for _, y := range rays {
		n += int64(pixels * max(0, len(y.steps)-1))
	}
	return n
}

// A counted run stores the same bits. Every step of every ray from every pixel is due; most of them never run.
func TestCountedRaySteps(t *testing.T) {
	for name, s := range map[string]*scene{
		"buildings":  over("skyview", 1, city(96, 128, 4, 0.02)),
		"vegetation": over("skyview", 2.5, city(64, 96, 5, 0)).wood(6),
	} {
		t.Run(name, func(t *testing.T) {
			s.args["patches"] = ops.Integer(145)
			want := s.run(t)
			if folds := foldsOf(s.result); len(folds) != 0 {
				t.Errorf("counted without being asked: %v", folds)
			}
			if slices.ContainsFunc(s.result.Kernels, func(k result.Kernel) bool { return k.Flops > 1e8 && k.Executed > 0 }) {
				t.Errorf("what folds skip counts as executed: %+v", s.result.Kernels)
			}
			s.count = true
			for output, f := range s.run(t) {
				if n := differ(f, want[output]); n > 0 {
					t.Errorf("counting changes %d elements of %s", n, output)
				}
			}
			folds := foldsOf(s.result)
			for _, k := range s.result.Kernels {
				if n := len(k.Folds); n > 0 && (k.Executed <= 0 || k.Executed > 0.7*k.Flops) {
					t.Errorf("%s executed %g of %g operations", k.ID, k.Executed, k.Flops)
				}
			}
			if len(folds) != 1 || folds[0].Name != "step" {
				t.Fatalf("counted %v", folds)
			}
			f := folds[0]
			ground := s.layers["input"]
			all := stepsFrom(len(ground.v), truthRays(145, s.pixel, s.relief(), ground.rows, ground.columns))
			if len(s.layers) > 1 { // vegetation looks at a ray's own pixel too; there is a ray for each bit of whole bytes
				all += 152 * int64(len(ground.v))
			}
			if f.Nominal != all {
				t.Errorf("%d steps are due, want %d", f.Nominal, all)
			}
			if f.Executed <= 0 || f.Culled <= 0 || f.Executed+f.Culled > f.Nominal {
				t.Errorf("%+v", f)
			}
		})
	}
}

// foldsOf are those of all kernels.
func foldsOf(r *result.Result) (out []result.Fold) {
	for _, k := range r.Kernels {
		out = append(out, k.Folds...)
	}
	return slices.Clip(out)
}
