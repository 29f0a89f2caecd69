package planner

// Asked reports a kernel whose tiles the user fixed with @tile.
func (k *Kernel) Asked() bool { return askedTile(k.Roots) != nil }
