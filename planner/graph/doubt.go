package graph

import "weft/ops"

// doubt has an operator tell whether it had answers.
func (c *collector) doubt(op *ops.Instance, l *ops.Lowering) {
	d, ok := op.Bound.(ops.Doubtful)
	if !ok || c.doubts == nil || len(c.open(op)) > 0 { // what turns make is told nowhere
		return
	}
	told, to := d.Doubt(l)
	if told == nil {
		return
	}
	takes := &ops.Spec{Name: op.Spec.Name, Params: []ops.Param{{Name: "a"}}}
	c.doubts = append(c.doubts, Sink{&ops.Instance{ID: op.ID, Spec: takes, Call: &ops.Call{Spec: takes, Args: map[string]ops.Value{"a": ops.Array{Of: op}}}, Bound: to, Where: op.Where}, []*ops.Stage{told}})
}
