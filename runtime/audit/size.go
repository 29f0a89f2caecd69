package audit

// What a kernel stores is checked at as many points as a budget of scalar operations allows, within these bounds. The
// interpreter takes 5 to 10 ns for each, compiled definitions a fifteenth of that, so that checking stays within a tenth of a second,
// or a small part of what a long kernel takes; a single expensive point may take seconds, and one beyond that is not checked.
//
// Wrong results in one stretch of the array of 1/n of it are always found, since every such stretch has its point. How likely n points
// find wrong results anywhere is Finds; what is too expensive for enough of them is filled up by computing again.
const (
	fewestSamples  = 8
	MostSamples    = Enough + 21 // with the corners, which are not at random
	sampleBudget   = 16e6
	innerBudget    = 1e6  // of a kernel that makes only what others read on: its faults show in what they make
	sampleShare    = 1e-3 // operations of the float64 check for each of the kernel's
	costliestPoint = 3e8
)

// Size is how many points are checked when one costs that many operations and the whole kernel takes some more.
func Size(cost, kernel float64, inner bool) int {
	if cost > costliestPoint {
		return 0
	}
	budget := max(sampleBudget, sampleShare*kernel)
	if inner {
		budget = innerBudget
	}
	least := max(1, min(fewestSamples, costliestPoint/max(1, cost)))
	return int(max(least, min(MostSamples, budget/max(1, cost))))
}

// Every range that an accelerator computed is looked at, at a few points, once its kernel is done: what a device gets wrong altogether
// must not reach the next kernel. The sample of the whole array comes besides.
const (
	spots         = 4
	spotBudget    = 3e5 // scalar operations for those of one range, if that is enough for one
	costliestSpot = 2e7 // operations of a point that no range is looked at for
)

// Spots is at how many points a range is looked at, when one costs that many operations.
func Spots(cost float64) int {
	if cost > costliestSpot {
		return 0
	}
	return int(max(1, min(spots, spotBudget/max(1, cost))))
}
