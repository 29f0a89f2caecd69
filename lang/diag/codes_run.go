package diag

// Planning and resources.
const (
	MemoryBudget         = "E0601"
	CannotHonour         = "E0602"
	NoSuchDevice         = "E0603"
	FusionRefused        = "E0604"
	ToleranceUnreachable = "E0605"
	BadTile              = "E0606"
	PlanMismatch         = "E0607"
	NoCompiler           = "E0608"
	UnsupportedPrecision = "E0609"
	ArrayTooLarge        = "E0610"
)

var planCodes = []Code{
	{Code: MemoryBudget, Title: "memory budget too small",
		Explanation: "Even the smallest tiles of the named stage do not fit the budget, so nothing was started. Raise --memory, or make the stage smaller.",
		Wrong:       "# weft run file.weft --memory 1KiB\nread(\"iq.npy\") | envelope | write(\"out.npy\")",
		Right:       "# weft run file.weft --memory 1GiB\nread(\"iq.npy\") | envelope | write(\"out.npy\")"},
	{Code: CannotHonour, Title: "annotation cannot be honoured",
		Explanation: "The annotation is well-formed, but the stage cannot do what it asks.",
		Wrong:       `read("iq.npy") @tile(sample: 8) | show`,
		Right:       `read("iq.npy") | show`},
	{Code: NoSuchDevice, Title: "no such device",
		Explanation: "This machine has no device of that name. `weft devices` lists those it has, and why others are missing.",
		Wrong:       `read("iq.npy") | envelope @device(gpu7) | show`,
		Right:       `read("iq.npy") | envelope @device(native) | show`},
	{Code: FusionRefused, Title: "fusion refused",
		Explanation: "@fuse asks for one kernel, and the planner has a reason that forbids it.",
		Wrong:       `read("iq.npy") | envelope | decibel(range: 60 dB) @fuse | show`,
		Right:       `read("iq.npy") | envelope | decibel(range: 60 dB) | show`},
	{Code: ToleranceUnreachable, Title: "tolerance cannot be reached",
		Explanation: "No precision that the devices offer meets the tolerance, float64 included.",
		Wrong:       `read("iq.npy") | envelope | decibel(range: 60 dB) @tolerance(1e-30 dB) | show`,
		Right:       `read("iq.npy") | envelope | decibel(range: 60 dB) @tolerance(0.1 dB) | show`},
	{Code: BadTile, Title: "tile does not fit",
		Explanation: "@tile names dimensions of the stage's output, with extents between one and theirs.",
		Wrong:       `read("iq.npy", dims: [sample, element]) | envelope @tile(depth: 8) | show`,
		Right:       `read("iq.npy", dims: [sample, element]) | envelope @tile(element: 8) | show`},
	{Code: PlanMismatch, Title: "plan does not match",
		Explanation: "The stored plan was made from another file, other inputs, or another version of weft.",
		Wrong:       "# weft run --plan old.yaml file.weft\nread(\"iq.npy\") | show",
		Right:       "# weft run file.weft\nread(\"iq.npy\") | show"},
	{Code: NoCompiler, Title: "no C compiler", Severity: Warning,
		Explanation: "Kernels are compiled with the C compiler of the system, and none was found (cc, gcc, clang, or $CC). The interpreter runs them instead, much slower.",
		Wrong:       "# PATH= weft run file.weft\nread(\"iq.npy\") | envelope | show",
		Right:       "# weft run file.weft\nread(\"iq.npy\") | envelope | show"},
	{Code: UnsupportedPrecision, Title: "unsupported precision",
		Explanation: "The stage or the device cannot calculate in the precision that the annotation asks for.",
		Wrong:       `read("iq.npy") | envelope @precision(f8) | show`,
		Right:       `read("iq.npy") | envelope @precision(f32) | show`},
	{Code: ArrayTooLarge, Title: "array too large",
		Explanation: "The number of elements or bytes exceeds what can be addressed.",
		Wrong:       `box(x: 0 mm .. 1 mm in 4_000_000_000, y: 0 mm .. 1 mm in 4_000_000_000, z: 0 mm .. 1 mm in 4_000_000_000) | show`,
		Right:       `box(x: 0 mm .. 1 mm in 64, y: 0 mm .. 1 mm in 64, z: 0 mm .. 1 mm in 64) | show`},
}

// Running.
const (
	StageFailed    = "E0701"
	FellBack       = "E0702"
	StrictFallback = "E0703"
	ParityViolated = "E0704"
	CompileFailed  = "E0705"
	Cancelled      = "E0706"
	JournalForeign = "E0707"
	OutOfMemory    = "E0708"
	InternalError  = "E0709"
)

var runCodes = []Code{
	{Code: StageFailed, Title: "stage failed",
		Explanation: "A stage could not finish on any device. Finished tiles are kept in the journal; --resume continues from them.",
		Wrong:       `read("iq.npy") | envelope @device(broken) | show`,
		Right:       `read("iq.npy") | envelope | show`},
	{Code: FellBack, Title: "stage fell back to another device", Severity: Warning,
		Explanation: "The device failed, and its tiles were calculated elsewhere. The result is complete; the summary counts the tiles.",
		Wrong:       `read("iq.npy") | envelope @device(cuda) | show`,
		Right:       `read("iq.npy") | envelope | show`},
	{Code: StrictFallback, Title: "fallback under --strict",
		Explanation: "A device failed, and --strict forbids to continue elsewhere.",
		Wrong:       "# weft run --strict file.weft\nread(\"iq.npy\") | envelope @device(cuda) | show",
		Right:       "# weft run file.weft\nread(\"iq.npy\") | envelope @device(cuda) | show"},
	{Code: ParityViolated, Title: "result differs from float64",
		Explanation: "A sample of the result, calculated again in float64, differs by more than the tolerance. `weft verify` finds the stage.",
		Wrong:       `read("iq.npy") | envelope @precision(f16) @tolerance(1e-9) | show`,
		Right:       `read("iq.npy") | envelope @tolerance(1e-6) | show`},
	{Code: CompileFailed, Title: "kernel does not compile",
		Explanation: "The C compiler of the system rejected a kernel. The message holds its first complaint; `weft explain --kernels` shows the source.",
		Wrong:       "# CC=false weft run file.weft\nread(\"iq.npy\") | envelope | show",
		Right:       "# CC=gcc weft run file.weft\nread(\"iq.npy\") | envelope | show"},
	{Code: Cancelled, Title: "cancelled",
		Explanation: "The run was stopped between tiles. Finished tiles are kept in the journal; --resume continues from them.",
		Wrong:       "# weft run file.weft, then Ctrl-C\nread(\"iq.npy\") | envelope | write(\"out.npy\")",
		Right:       "# weft run --resume file.weft\nread(\"iq.npy\") | envelope | write(\"out.npy\")"},
	{Code: JournalForeign, Title: "journal of another run",
		Explanation: "--resume found a journal that belongs to another plan. Run without --resume to start afresh.",
		Wrong:       "# weft run --resume changed.weft\nread(\"iq.npy\") | envelope | write(\"out.npy\")",
		Right:       "# weft run changed.weft\nread(\"iq.npy\") | envelope | write(\"out.npy\")"},
	{Code: OutOfMemory, Title: "out of memory",
		Explanation: "A device or the system had less memory than planned with. Lower --memory, or stop other programs.",
		Wrong:       "# weft run --memory 1TiB file.weft\nread(\"iq.npy\") | envelope | show",
		Right:       "# weft run file.weft\nread(\"iq.npy\") | envelope | show"},
	{Code: InternalError, Title: "mistake in weft itself",
		Explanation: "weft broke one of its own rules. Please report the message with the pipeline file.",
		Wrong:       "# a pipeline that weft should run, and does not\nread(\"iq.npy\") | show",
		Right:       "# any other pipeline\nread(\"iq.npy\") | show"},
}
