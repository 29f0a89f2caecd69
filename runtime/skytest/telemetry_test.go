package skytest

import (
	"cmp"
	"encoding/json"
	"math"
	"slices"
	"strings"
	"testing"

	"weft/ops"
	"weft/runtime"
	"weft/runtime/result"
)

// telemetryOf is the telemetry of a scene's last run as a report has it.
func telemetryOf(t *testing.T, s *scene) map[string]any {
	t.Helper()
	text, err := json.Marshal(s.result)
	if err != nil {
		t.Fatal(err)
	}
	var report struct{ Telemetry map[string]any }
	if err := json.Unmarshal(text, &report); err != nil {
		t.Fatal(err)
	}
	return report.Telemetry
}

// Reports have the names that monitoring of sky view factors and time series goes by.
func TestTelemetryNames(t *testing.T) {
	s := over("skyview", 1, city(96, 128, 4, 0.02))
	s.args["patches"] = ops.Integer(145)
	s.missing = []runtime.Missing{{Kind: "cuda", Reason: "no driver"}}
	s.run(t)
	got := telemetryOf(t, s)
	tiles, svfTiles, svfWall := 0, 0, 0.0
	queue := 0
	for _, k := range s.result.Kernels {
		tiles += k.Tiles
		queue = max(queue, k.QueuePeak)
		if strings.Contains(k.Name, "skyview") {
			svfTiles, svfWall = svfTiles+k.Tiles, svfWall+k.Wall
		}
	}
	lost := 0
	for _, f := range s.result.Fallbacks {
		lost += f.Count
	}
	number := func(name string) float64 {
		v, ok := got[name].(float64)
		if !ok {
			t.Errorf("%s is %v", name, got[name])
		}
		return v
	}
	spread := func(name string, count int) map[string]any {
		v, ok := got[name].(map[string]any)
		if !ok || v["count"] != float64(count) || !(v["mean"].(float64) > 0) || v["p95"].(float64) <= 0 {
			t.Errorf("%s is %v, want %d", name, got[name], count)
		}
		return v
	}
	if march := slices.MaxFunc(s.result.Kernels, func(a, b result.Kernel) int { return cmp.Compare(a.Flops, b.Flops) }); svfWall < march.Wall {
		t.Errorf("what marches, %s, is not counted", march.Name)
	}
	wall := spread("svf_tile_wall_time_s", svfTiles)
	if sum := wall["mean"].(float64) * float64(svfTiles); sum > 2*svfWall+1e-3 { // on two threads
		t.Errorf("tiles took %g s, their kernels %g s", sum, svfWall)
	}
	if rate := number("svf_patch_progress_rate"); math.Abs(rate*svfWall-145) > 1e-6 {
		t.Errorf("%g patches a second in %g s", rate, svfWall)
	}
	spread("tile_turnaround_ms", tiles)
	if lost == 0 {
		t.Error("nothing fell back")
	}
	for name, want := range map[string]float64{
		"svf_stitch_copy_time_ms": 0, "svf_gpu_fallback_count": float64(lost), "gpu_fallback_count": float64(lost), "queue_depth_peak": float64(queue),
	} {
		if v := number(name); v != want {
			t.Errorf("%s is %g, want %g", name, v, want)
		}
	}
	for name, key := range map[string]string{"mean_abs_diff": "skyview.total", "max_abs_diff": "skyview.total", "percent_finite_equal": "skyview.north", "fallback_count_by_stage": "skyview"} {
		if m, ok := got[name].(map[string]any); !ok || m[key] == nil {
			t.Errorf("%s is %v", name, got[name])
		}
	}
	if m := got["percent_finite_equal"].(map[string]any); m["skyview.total"] != 100.0 {
		t.Errorf("of total, %v %% agree in being finite", m["skyview.total"])
	}
	if m, ok := got["gpu_stage_time_ms"].(map[string]any); !ok || len(m) != 0 {
		t.Errorf("stages on a GPU: %v", got["gpu_stage_time_ms"])
	}

	day := over("shadow", 1, city(40, 60, 4, 0))
	day.args["azimuth"] = ops.List{ops.Quantity(90, "deg"), ops.Quantity(180, "deg")}
	day.args["altitude"] = ops.List{ops.Quantity(30, "deg"), ops.Quantity(60, "deg")}
	day.run(t)
	got = telemetryOf(t, day)
	if number("timestep_wall_time_s") <= 0 || number("gpu_fallback_count") != 0 {
		t.Errorf("%v", got)
	}
}
