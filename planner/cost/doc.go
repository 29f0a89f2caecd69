// Package cost predicts how long a kernel takes on a measured machine, before it is compiled and again once its schedule is
// known, and learns from runs what it got wrong.
//
// The model of a kernel is
//
//	T = max(sum of operations x their cost / threads, bytes / bandwidth) + new pages + launches
//
// and most of the shorter of the two, where bytes come from beyond a core's own caches into loops; and the whole way through a turn of a loop each time
// that one ends where the processor did not see it come.
//
// Operations are counted in the loops that a renderer emits them in and cost what the profile measured for their class; bytes
// move at the rate of the memory level that holds what a core works on, or what was moved since they were last; pages that nothing stood behind yet cost their first
// touch.
package cost
