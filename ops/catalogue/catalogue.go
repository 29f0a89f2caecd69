// Package catalogue lists every operator weft knows.
package catalogue

import (
	"slices"
	"strings"
	"sync"

	"weft/ops"
	"weft/ops/array"
	"weft/ops/beam"
	"weft/ops/eigen"
	"weft/ops/files"
	"weft/ops/fourier"
	"weft/ops/linear"
	"weft/ops/order"
	"weft/ops/places"
	"weft/ops/plots"
	"weft/ops/prelude"
	"weft/ops/repeat"
	"weft/ops/shape"
	"weft/ops/simulate"
	"weft/ops/sky"
)

// Catalogue finds operators by name.
type Catalogue struct {
	byName map[string]*ops.Spec
	names  []string
}

// New is a catalogue of the given operators; two of one name are a programming error.
func New(groups ...[]*ops.Spec) *Catalogue {
	c := &Catalogue{byName: map[string]*ops.Spec{}}
	for _, g := range groups {
		for _, s := range g {
			if c.byName[s.Name] != nil {
				panic("catalogue: two operators named " + s.Name)
			}
			c.byName[s.Name] = s
			c.names = append(c.names, s.Name)
		}
	}
	slices.Sort(c.names)
	return c
}

// Standard is the catalogue of all domains.
func Standard() *Catalogue { return standard() }

var standard = sync.OnceValue(func() *Catalogue {
	return New(array.Specs(), shape.Specs(), files.Specs(), beam.Specs(), simulate.Specs(), sky.Specs(), linear.Specs(), eigen.Specs(), places.Specs(), repeat.Specs(),
		prelude.Specs(), fourier.Specs(), plots.Specs(), order.Specs())
})

// Lookup finds an operator by its full name, such as beamform or simulate.echoes; nil when there is none.
func (c *Catalogue) Lookup(name string) *ops.Spec { return c.byName[name] }

// Names are all operator names, sorted.
func (c *Catalogue) Names() []string { return c.names }

// IsPrefix reports that name is the first part of dotted operator names (simulate of simulate.echoes).
func (c *Catalogue) IsPrefix(name string) bool {
	return slices.ContainsFunc(c.names, func(n string) bool { return strings.HasPrefix(n, name+".") })
}
