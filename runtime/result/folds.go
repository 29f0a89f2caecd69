package result

import "weft/kernels/device"

// FoldsOf are the counts of a kernel.
func FoldsOf(t *device.Tally) (out []Fold) {
	for _, f := range t.Folds() {
		x := Fold{Name: f.Fold, Nominal: f.Due, Executed: f.Ran, Culled: f.Idle}
		if f.Due > 0 {
			x.Share = float64(f.Ran) / float64(f.Due)
		}
		out = append(out, x)
	}
	return out
}
