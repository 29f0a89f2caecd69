// Package tally counts the iterations of folds that may be left early.
package tally

import (
	"fmt"
	"slices"

	. "weft/kernels/codegen/tree"
	"weft/kernels/ir"
)

// PerFold is how many numbers a counted fold adds to: iterations due, executed, and left out by culling.
const PerFold = 3

// Counts numbers the folds of a function that may be left before their last iteration. Iterations are counted a lane: one
// of a vector counts as many times as the vector has lanes. What a lane tile at the edge of a tile repeats is executed, and not due
// where all lanes have the same bounds.
type Counts struct{ Folds []*ir.Fold }

var counters = [PerFold]string{"due", "ran", "idle"}

// Around declares the variables of all counted folds before statements, and hands them over after.
func (c *Counts) Around(list []Stmt) []Stmt {
	if c == nil {
		return list
	}
	var declare, collect []Stmt
	for i := range c.Folds {
		for n, name := range counters {
			name = fmt.Sprint(name, i)
			declare = append(declare, Var("long long", name, Int(0)))
			collect = append(collect, Set{To: At(Name("a->count"), Int(i*PerFold+n)), Op: "+", Value: Name(name)})
		}
	}
	return slices.Concat(declare, list, collect)
}

// Tally is what writing a fold needs to count it. The nil one counts nothing.
type Tally struct {
	Number int
	Lanes  int // of all vectors in flight
	Index  *Expr
}

// Add adds to a counter.
func (t *Tally) Add(counter string, n *Expr) Stmt {
	return Set{To: Name(fmt.Sprint(counter, t.Number)), Op: "+", Value: n}
}

// Ran counts vector iterations that run.
func (t *Tally) Ran(iterations *Expr) []Stmt {
	if t == nil {
		return nil
	}
	return []Stmt{t.Add("ran", Bin("*", Cast("long long", iterations), Int(t.Lanes)))}
}

// Idle counts the iterations up to another as left out.
func (t *Tally) Idle(next *Expr) []Stmt {
	if t == nil {
		return nil
	}
	return []Stmt{t.Add("idle", Bin("*", Cast("long long", Bin("-", next, t.Index)), Int(t.Lanes)))}
}
