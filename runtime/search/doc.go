// Package search chooses the precision of a plan by measurement. Stored arrays that nothing pins are tried in fewer bits: the
// kernels that this touches are compiled and run on the real inputs, sampled outputs are compared with float64, and processor
// time is measured tile by tile, in turns with the plan as it is. The fastest choice whose errors keep a distance from the
// tolerance wins, and what proves it travels with the plan. Where f32 itself is beyond the tolerance the search goes upward.
//
// What was found is kept on disk under the plan, the device and the tolerances, so that it is searched for once.
package search
