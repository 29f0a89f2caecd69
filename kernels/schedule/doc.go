// Package schedule chooses how a kernel runs on a target: what lanes, threads and vectors in flight are, which loads share memory, when
// folds are left. It owns the estimates that such choices need, of how often folds turn and what values cost, and the planner asks it for
// them. Schedules change no bit of a result, but for the order in which sums that lanes or threads share are added.
package schedule

import "embed"

// Source is what this package is written in: what was learned of kernels under other rules says nothing.
//
//go:embed *.go
var Source embed.FS
