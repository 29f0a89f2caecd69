// Package c turns a kernel and a schedule into C source: explicit vector code in which a lane is one output.
//
// The output is one function of type void(const weft_args *), declared as
//
//	typedef struct {
//	  void *const *buf;        // one pointer a buffer, in the order of Output.Bufs, to element 0 of row 0 (after Pad.Before)
//	  const double *farg;      // launch scalars, in the order of Output.Args: float types here,
//	  const long long *iarg;   //   Bool and integer types here; both arrays have len(Output.Args) places
//	  const int *lo, *hi;      // the tile: for every axis of the kernel, in its order, lo <= index < hi
//	  long long *count;        // tally.PerFold numbers for each fold of Output.Counted, added to; nobody else may use them meanwhile
//	  char *scratch;           // Output.Scratch bytes on a multiple of 64, this launch's own
//	  long long part;          // where the parts of a split fold begin; the least int where that is at its beginning
//	  weft_args **asks;        // of functions that share: who asks the launch for a part of it; null: nobody
//	  long long given;         // 1: this launch has been given what it asked for
//	} weft_args;
//
// A function that shares (Output.Shares) looks at *asks between the parts of its split fold. Who has put their weft_args there, with lo, hi and scratch
// of their own, is given the second half of the chunk under way: lo, hi, part and, in scratch, what has been summed so far. The launch then clears
// *asks, sets given of the other, and leaves that half out; the other launches the function. Who still stands in *asks when the launch has
// returned was given nothing.
//
// Any tile within the kernel's extents is accepted, also an empty one. The function keeps no state and may run on several
// threads at once over disjoint tiles. Buffers must not overlap, and may be read from 64 elements before their first
// element (padding included) to 64 after their last. Pointers need only the alignment of an element; 64 bytes is faster.
//
// A value is computed in the outermost loop that binds what it depends on, even if an inner fold that uses it runs zero
// times. So the index of an unguarded load must be in range wherever the axes and folds it depends on are; what depends on
// a fold's own index or accumulators is computed only for iterations, and lanes, that run.
//
// A translation unit is Prelude(target) followed by any number of such functions, all of the same target, compiled with March(target)
// and Flags. Compilers contract nothing: what is rounded once is written so, and does not change with what they unroll or hoist.
package c

import (
	"math"

	"weft/kernels/ir"
	"weft/kernels/schedule"
)

// Args is the weft_args of C: what a launch passes by pointer. Its fields are addresses, so that a foreign-function call
// can hand it over as it is; keep what they point to alive during the call.
type Args struct {
	Buf     uintptr // void *const *
	Farg    uintptr // const double *
	Iarg    uintptr // const long long *
	Lo, Hi  uintptr // const int *, one an axis
	Count   uintptr // long long *, of functions that count
	Scratch uintptr // char *
	Part    int64
	Asks    uintptr // weft_args **
	Given   int64
}

// Beginning is Args.Part of a launch that was given nothing by another.
const Beginning = math.MinInt32

// Output is a rendered kernel.
type Output struct {
	Source  string         // one C function (with its static helpers), without the prelude
	Name    string         // its symbol
	Loads   map[string]int // loads by class: uniform, contiguous, window, transposed, gather
	Tables  int            // lane-uniform values tabulated over a fold
	Step    []int          // an axis: tiles whose ranges are multiples of it cost least
	Least   []int          // an axis: the least range of tiles that the function is for; nil: it is for all
	Bufs    []*ir.Buffer   // order of weft_args.buf; may hold buffers that only a loaded buffer's Facts name
	Scratch int            // bytes of memory that a launch needs for itself
	Shares  bool           // launches give threads that ask a part of what is left
	Args    []*ir.Node     // order of weft_args.farg and iarg

	Counted []*ir.Fold // where Way.Counts: order of weft_args.count
}

// Takes reports a tile that the function is for, by its range along an axis.
func (o *Output) Takes(along func(axis int) int) bool {
	for a, n := range o.Least {
		if along(a) < n {
			return false
		}
	}
	return true
}

// marchFlags are the code-generation flags of a target; on the machine itself -march=native does as well for avx512.
var marchFlags = map[string][]string{
	"avx512":   {"-march=x86-64-v4"},
	"avx2":     {"-march=x86-64-v3"},
	"portable": nil,
}

// March are the flags that choose the target's instruction set.
func March(t schedule.Target) []string { return marchFlags[t.ISA] }

// Flags are the compiler flags generated code needs, without those that choose the instruction set and the output.
func Flags() []string {
	return []string{"-O2", "-std=gnu11", "-fno-math-errno", "-fno-trapping-math", "-fwrapv", "-fno-strict-aliasing", "-ffp-contract=off", "-Wno-psabi", "-Wno-attributes"}
}
