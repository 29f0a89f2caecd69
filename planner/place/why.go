package place

import (
	"fmt"
	"slices"

	"weft/ops/amount"
)

// describe says, of every kernel, why it is where it is.
func (s *site) describe() {
	for _, t := range s.tasks {
		t.step.Kernel.Place.Why, t.step.Kernel.Place.Refused = s.why(t), t.lacks
	}
}

func (s *site) why(t *task) string {
	p, asked := t.step.Kernel.Place, t.request.reason()
	host, gpu := amount.Millis(p.Host), amount.Millis(p.Accelerated)
	if p.Accelerates() {
		switch {
		case asked != "":
			return fmt.Sprintf("GPU: %s; %s, of the copies alone %s; the CPU %s", asked, gpu, amount.Millis(p.Transfer), host)
		case p.Accelerated >= p.Host:
			return fmt.Sprintf("GPU: %s, the CPU %s, but the kernels next to it gain more by what stays there", gpu, host)
		}
		return fmt.Sprintf("GPU: %s, of the copies alone %s; the CPU %s", gpu, amount.Millis(p.Transfer), host)
	}
	anywhere := s.able(t, s.fast)
	switch {
	case t.lacks != "":
		return "CPU: " + t.lacks
	case len(anywhere) == 0:
		return "CPU: " + s.noRoom(t, s.fast)
	case asked != "":
		return "CPU: " + asked
	case s.unrated():
		return fmt.Sprintf("CPU: how fast %s is, is not known", s.devices[0].Info.Name)
	case p.Transfer >= p.Host:
		return fmt.Sprintf("CPU: transfers alone take %s, the CPU %s", amount.Millis(p.Transfer), host)
	case p.Accelerated >= p.Host:
		return fmt.Sprintf("CPU: the GPU takes %s, the CPU %s", gpu, host)
	case p.Accelerated*doubt >= p.Host:
		return fmt.Sprintf("CPU: the GPU takes %s, the CPU %s, which is too close to be sure", gpu, host)
	}
	return fmt.Sprintf("CPU: the GPU takes %s, the CPU %s, but the kernels next to it have less to copy this way", gpu, host)
}

// unrated reports that no device knows how fast it is.
func (s *site) unrated() bool {
	return !slices.ContainsFunc(s.devices, func(d DeviceModel) bool { return !d.Unrated })
}
