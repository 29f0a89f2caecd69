package diag

// Planning and resources.
const (
	MemoryBudget         = "E0601"
	CannotHonour         = "E0602"
	FusionRefused        = "E0604"
	ToleranceUnreachable = "E0605"
	BadTile              = "E0606"
	UnsupportedPrecision = "E0609"
	ArrayTooLarge        = "E0610"
	NoSuchDevice         = "E0611"
	DeviceFile           = "E0612"
)

var planCodes = []Code{
	{Code: MemoryBudget, Title: "memory budget too small",
		Explanation: "Even the smallest tiles of the named stage do not fit the budget, so nothing was started. Raise --memory, or make the stage smaller.",
		Wrong:       "# weft run file.weft --memory 1KiB\nread(\"iq.npy\") | envelope | write(\"out.npy\")",
		Right:       "# weft run file.weft --memory 1GiB\nread(\"iq.npy\") | envelope | write(\"out.npy\")"},
	{Code: CannotHonour, Title: "annotation cannot be honoured",
		Explanation: "The annotation is well-formed, but what it asks cannot be done: files are read on the host, and a stage runs only on devices whose memory holds one row of it.",
		Wrong:       `read("iq.npy") @device(gpu) | show`,
		Right:       `read("iq.npy") | show`},
	{Code: FusionRefused, Title: "fusion refused",
		Explanation: "@fuse asks for one kernel, and the planner has a reason that forbids it.",
		Wrong:       "# weft run file.weft\na = abs(read(\"iq.npy\"))\npeak = max(a) @fuse\na / peak | write(\"out.npy\")",
		Right:       "# weft run file.weft\na = abs(read(\"iq.npy\"))\npeak = max(a)\na / peak | write(\"out.npy\")"},
	{Code: ToleranceUnreachable, Title: "tolerance cannot be reached",
		Explanation: "No precision meets the tolerance, float64 included: the message holds what it measures.",
		Wrong:       "# weft run file.weft\nread(\"iq.npy\") | envelope | decibel(range: 60 dB) @tolerance(1e-30 dB) | write(\"out.npy\")",
		Right:       "# weft run file.weft\nread(\"iq.npy\") | envelope | decibel(range: 60 dB) @tolerance(0.1 dB) | write(\"out.npy\")"},
	{Code: BadTile, Title: "tile does not fit",
		Explanation: "@tile names dimensions of the stage's output, with extents between one and theirs.",
		Wrong:       `read("iq.npy", dims: [sample, element]) | envelope @tile(depth: 8) | show`,
		Right:       `read("iq.npy", dims: [sample, element]) | envelope @tile(element: 8) | show`},
	{Code: UnsupportedPrecision, Title: "unsupported precision",
		Explanation: "There is no such precision, or the stage must keep f32: what feeds an index, the end of a loop, an integer or a comparison is pinned there, " +
			"because rounding it would give another answer, not a less exact one.",
		Wrong: `read("iq.npy") | abs @precision(f8) | show`,
		Right: `read("iq.npy") | abs @precision(f32) | show`},
	{Code: ArrayTooLarge, Title: "array too large",
		Explanation: "The number of elements or bytes exceeds what can be addressed.",
		Wrong:       `box(x: 0 mm .. 1 mm in 4_000_000_000, y: 0 mm .. 1 mm in 4_000_000_000, z: 0 mm .. 1 mm in 4_000_000_000) | show`,
		Right:       `box(x: 0 mm .. 1 mm in 64, y: 0 mm .. 1 mm in 64, z: 0 mm .. 1 mm in 64) | show`},
	{Code: NoSuchDevice, Title: "no such device",
		Explanation: "@device or --device names a device that this run does not have. `weft devices` lists those of the machine, with the reason where there is no GPU; " +
			"--devices FILE adds emulated ones. A name without its number, such as fast for fast:0 and fast:1, means all of them, and gpu any.",
		Wrong: "# weft run file.weft\nread(\"dsm.npy\") | sqrt @device(gpu7) | write(\"out.npy\")",
		Right: "# weft run file.weft\nread(\"dsm.npy\") | sqrt @device(cpu) | write(\"out.npy\")"},
	{Code: DeviceFile, Title: "devices cannot be described so",
		Explanation: "The file given with --devices cannot be read, or does not describe devices: docs/gpu.md has the keys. Emulated devices also need a C compiler.",
		Wrong:       "# weft run --devices dsm.npy file.weft\nread(\"dsm.npy\") | sqrt | write(\"out.npy\")",
		Right:       "# weft run file.weft\nread(\"dsm.npy\") | sqrt | write(\"out.npy\")"},
}

// Running.
const (
	StageFailed    = "E0701"
	StrictFallback = "E0703"
	ParityViolated = "E0704"
	CompileFailed  = "E0705"
	JournalForeign = "E0707"
	OutOfMemory    = "E0708"
	InternalError  = "E0709"
)

var runCodes = []Code{
	{Code: StageFailed, Title: "stage failed",
		Explanation: "A stage could not finish on any device. The message holds the reason of the last one.",
		Wrong:       "# WEFT_CC=broken-compiler weft run --strict file.weft\nread(\"iq.npy\") | envelope | show",
		Right:       `read("iq.npy") | envelope | show`},
	{Code: StrictFallback, Title: "fallback under --strict",
		Explanation: "A device failed, and --strict forbids to continue elsewhere.",
		Wrong:       "# WEFT_CC=none weft run --strict file.weft\nread(\"dsm.npy\") | sqrt | write(\"out.npy\")",
		Right:       "# WEFT_CC=none weft run file.weft\nread(\"dsm.npy\") | sqrt | write(\"out.npy\")"},
	{Code: ParityViolated, Title: "result differs from float64",
		Explanation: "A sample of the result, calculated again in float64, differs by more than the tolerance. --fuse-limit narrows down which fusion is at fault; --no-verify skips the comparison.",
		Wrong:       `read("iq.npy") | envelope @tolerance(1e-12) | show`,
		Right:       `read("iq.npy") | envelope @tolerance(1e-6) | show`},
	{Code: CompileFailed, Title: "kernel does not compile",
		Explanation: "The C compiler of the system rejected a kernel. The message holds its first complaint; `weft explain --kernels` shows the source.",
		Wrong:       "# CC=false weft run file.weft\nread(\"iq.npy\") | envelope | show",
		Right:       "# CC=gcc weft run file.weft\nread(\"iq.npy\") | envelope | show"},
	{Code: JournalForeign, Title: "journal of another run",
		Explanation: "--resume goes on with what an earlier run in blocks of rows left unfinished, if program, plan, inputs and weft are the same: otherwise the parts would not belong together. Run without --resume to start afresh.",
		Wrong:       "# weft run --resume changed.weft\nread(\"dsm.npy\") | sqrt | write(\"out.npy\")",
		Right:       "# weft run changed.weft\nread(\"dsm.npy\") | sqrt | write(\"out.npy\")"},
	{Code: OutOfMemory, Title: "out of memory",
		Explanation: "A device or the system had less memory than planned with. Lower --memory, or stop other programs.",
		Wrong:       "# weft run --memory 1TiB file.weft\nread(\"iq.npy\") | envelope | show",
		Right:       "# weft run file.weft\nread(\"iq.npy\") | envelope | show"},
	{Code: InternalError, Title: "mistake in weft itself",
		Explanation: "weft broke one of its own rules. Please report the message with the pipeline file.",
		Wrong:       "# a pipeline that weft should run, and does not\nread(\"iq.npy\") | show",
		Right:       "# any other pipeline\nread(\"iq.npy\") | show"},
}
