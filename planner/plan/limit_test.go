package plan

import "testing"

func TestArraysLeaveRoomWithinLargeLimits(t *testing.T) {
	const mib = 1 << 20
	for limit, want := range map[int64]int64{6 * mib: 6 * mib, 256 * mib: 256 * mib, 512 * mib: 448 * mib, 1024 * mib: 864 * mib, 2048 * mib: 1728 * mib, 4096 * mib: 3776 * mib} {
		if got := OfArrays(limit); got != want {
			t.Errorf("of %d MiB: %d MiB, want %d", limit/mib, got/mib, want/mib)
		}
	}
	for limit := int64(200 * mib); limit < 4000*mib; limit += mib {
		if OfArrays(limit+mib) <= OfArrays(limit) {
			t.Fatalf("a larger limit than %d MiB holds no more", limit/mib)
		}
	}
}

func TestSizesForArrays(t *testing.T) {
	const mib = 1 << 20
	for bytes, want := range map[int64]string{
		0: "0B", 1: "1B", 16<<10 - 1: "16383B", 16 << 10: "16KiB", 16<<10 + 1: "17KiB", 16 * mib: "16MiB", 16*mib + 1: "17MiB", 200 * mib: "200MiB", 448 * mib: "512MiB", 448*mib + 1: "513MiB", 484 * mib: "560MiB", 3776 * mib: "4096MiB",
	} {
		if got := SizeFor(bytes); got != want {
			t.Errorf("%d bytes: %s, want %s", bytes, got, want)
		}
	}
}

// What kernels pack has room beside arrays: up to 256 MiB of these in what a process takes beside, else within the limit.
func TestLaunchesHaveRoomBesideArrays(t *testing.T) {
	const mib = 1 << 20
	for limit := int64(mib); limit <= 64<<10*mib; limit += 7 * mib {
		arrays := OfArrays(limit)
		got := OfLaunches(arrays)
		if left := limit - arrays; got > max(48*mib, left) || got < 48*mib || got > 256*mib {
			t.Fatalf("within %d MiB, of which arrays leave %d: %d MiB", limit/mib, left/mib, got/mib)
		}
	}
}
