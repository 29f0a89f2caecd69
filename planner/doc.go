// Package planner turns a checked program into a plan: which kernels run, over which tiles, what is fused and why.
//
// The program is a graph of operator uses. Each is lowered to stages (arrays in pull form). For every edge between stages the
// planner gives a verdict: compute in place, or store and load. Stages that must be stored are the roots of kernels. The plan
// is a value: it is what the runtime executes and what every explain format prints.
package planner
