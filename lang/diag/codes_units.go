package diag

// Units and numbers.
const (
	UnknownUnit         = "E0301"
	WrongUnit           = "E0302"
	UnitMismatch        = "E0303"
	MissingUnit         = "E0304"
	UnexpectedUnit      = "E0305"
	OutOfBounds         = "E0306"
	NotWhole            = "E0307"
	EmptyRange          = "E0308"
	ZeroExtent          = "E0309"
	BadStep             = "E0310"
	RangeWithoutCount   = "E0311"
	BadPower            = "E0312"
	UnitInFunction      = "E0313"
	OffsetUnit          = "E0314"
	DivisionByZero      = "E0315"
	NotFiniteConstant   = "E0316"
	Undersampled        = "E0317"
	GridBehindProbe     = "E0318"
	ContradictArguments = "E0319"
)

var unitCodes = []Code{
	{Code: UnknownUnit, Title: "unknown unit",
		Explanation: "The name behind the number is no unit that weft knows. Units take SI prefixes; multiplication by a variable needs a *.",
		Wrong:       `show(5 mhz)`,
		Right:       `show(5 MHz)`},
	{Code: WrongUnit, Title: "wrong unit",
		Explanation: "The argument is a quantity of another dimension. Any unit of the right dimension will do.",
		Wrong:       `matrix_probe(nx: 32, ny: 32, pitch: 0.3 MHz) | show`,
		Right:       `matrix_probe(nx: 32, ny: 32, pitch: 0.3 mm) | show`},
	{Code: UnitMismatch, Title: "units do not go together",
		Explanation: "Adding, subtracting, comparing and ranges need the same dimension on both sides.",
		Wrong:       `show(3 mm + 5 MHz)`,
		Right:       `show(3 mm + 5 um)`},
	{Code: MissingUnit, Title: "missing unit",
		Explanation: "The argument is a physical quantity, and a plain number has no unit. Write the unit behind the number.",
		Wrong:       `matrix_probe(nx: 32, ny: 32, pitch: 0.3) | show`,
		Right:       `matrix_probe(nx: 32, ny: 32, pitch: 0.3 mm) | show`},
	{Code: UnexpectedUnit, Title: "unit where a plain number is expected",
		Explanation: "The argument counts or scales something, so it has no unit.",
		Wrong:       `matrix_probe(nx: 32 mm, ny: 32, pitch: 0.3 mm) | show`,
		Right:       `matrix_probe(nx: 32, ny: 32, pitch: 0.3 mm) | show`},
	{Code: OutOfBounds, Title: "value out of bounds",
		Explanation: "The value lies outside what the argument allows. `weft ops NAME` shows the bounds.",
		Wrong:       `matrix_probe(nx: 32, ny: 32, pitch: -0.3 mm) | show`,
		Right:       `matrix_probe(nx: 32, ny: 32, pitch: 0.3 mm) | show`},
	{Code: NotWhole, Title: "not a whole number",
		Explanation: "The value counts something, so it is a whole number.",
		Wrong:       `matrix_probe(nx: 31.5, ny: 32, pitch: 0.3 mm) | show`,
		Right:       `matrix_probe(nx: 32, ny: 32, pitch: 0.3 mm) | show`},
	{Code: EmptyRange, Title: "empty range",
		Explanation: "The range starts where it should end, or ends before it starts, so it holds no points.",
		Wrong:       `box(x: 10 mm .. -10 mm in 64, y: 0 mm .. 1 mm in 2, z: 20 mm .. 40 mm in 128) | show`,
		Right:       `box(x: -10 mm .. 10 mm in 64, y: 0 mm .. 1 mm in 2, z: 20 mm .. 40 mm in 128) | show`},
	{Code: ZeroExtent, Title: "no points",
		Explanation: "The number of points or elements is zero or negative, and an array needs at least one.",
		Wrong:       `box(x: -10 mm .. 10 mm in 0, y: 0 mm .. 1 mm in 2, z: 20 mm .. 40 mm in 128) | show`,
		Right:       `box(x: -10 mm .. 10 mm in 64, y: 0 mm .. 1 mm in 2, z: 20 mm .. 40 mm in 128) | show`},
	{Code: BadStep, Title: "step does not lead anywhere",
		Explanation: "The step of a range is positive, not zero, and no longer than the range.",
		Wrong:       `show(0 mm .. 10 mm by 0 mm)`,
		Right:       `show(0 mm .. 10 mm by 2 mm)`},
	{Code: RangeWithoutCount, Title: "range without a number of points",
		Explanation: "Here the range is sampled, so it needs in and a number of points, or by and a step.",
		Wrong:       `box(x: -10 mm .. 10 mm, y: 0 mm .. 1 mm in 2, z: 20 mm .. 40 mm in 128) | show`,
		Right:       `box(x: -10 mm .. 10 mm in 64, y: 0 mm .. 1 mm in 2, z: 20 mm .. 40 mm in 128) | show`},
	{Code: BadPower, Title: "power without a unit",
		Explanation: "A quantity with a unit is raised to a whole constant power only; the square root needs even exponents.",
		Wrong:       `show((3 m) ^ 0.5)`,
		Right:       `show((3 m) ^ 2)`},
	{Code: UnitInFunction, Title: "function of a quantity with a unit",
		Explanation: "exp, log and the like are defined for plain numbers, trigonometric functions for angles. Divide by a reference quantity first.",
		Wrong:       `show(exp(3 mm))`,
		Right:       `show(exp(3 mm / (1 mm)))`},
	{Code: OffsetUnit, Title: "temperature scale in a product",
		Explanation: "degC counts from an arbitrary zero, so products and powers of it mean nothing. Use K.",
		Wrong:       `show(2 * 20 degC)`,
		Right:       `show(2 * 293.15 K)`},
	{Code: DivisionByZero, Title: "division by zero",
		Explanation: "The divisor is the constant zero.",
		Wrong:       `show(1 / 0)`,
		Right:       `show(1 / 2)`},
	{Code: NotFiniteConstant, Title: "constant is not finite",
		Explanation: "The value of the constant expression is infinite, or no number.",
		Wrong:       `show(1e200 * 1e200)`,
		Right:       `show(1e100 * 1e100)`},
	{Code: Undersampled, Title: "frequency too high for the sampling rate",
		Explanation: "The centre frequency exceeds the sampling frequency, so the two are swapped or one has the wrong prefix.",
		Wrong: `probe = matrix_probe(nx: 32, ny: 32, pitch: 0.3 mm)
grid = box(x: -1 mm .. 1 mm in 8, y: -1 mm .. 1 mm in 8, z: 20 mm .. 40 mm in 8)
read("iq.npy", dims: [sample, element]) | beamform(probe, grid, fc: 30 MHz, fs: 12 MHz) | show`,
		Right: `probe = matrix_probe(nx: 32, ny: 32, pitch: 0.3 mm)
grid = box(x: -1 mm .. 1 mm in 8, y: -1 mm .. 1 mm in 8, z: 20 mm .. 40 mm in 8)
read("iq.npy", dims: [sample, element]) | beamform(probe, grid, fc: 3 MHz, fs: 12 MHz) | show`},
	{Code: GridBehindProbe, Title: "grid behind the probe",
		Explanation: "The probe looks towards positive z, and the grid reaches behind its elements.",
		Wrong: `probe = matrix_probe(nx: 32, ny: 32, pitch: 0.3 mm)
grid = box(x: -1 mm .. 1 mm in 8, y: -1 mm .. 1 mm in 8, z: -40 mm .. -20 mm in 8)
read("iq.npy", dims: [sample, element]) | beamform(probe, grid, fc: 3 MHz, fs: 12 MHz) | show`,
		Right: `probe = matrix_probe(nx: 32, ny: 32, pitch: 0.3 mm)
grid = box(x: -1 mm .. 1 mm in 8, y: -1 mm .. 1 mm in 8, z: 20 mm .. 40 mm in 8)
read("iq.npy", dims: [sample, element]) | beamform(probe, grid, fc: 3 MHz, fs: 12 MHz) | show`},
	{Code: ContradictArguments, Title: "arguments contradict each other",
		Explanation: "Each argument is valid, but not together with the other.",
		Wrong:       `read("iq.npy", member: "iq") | show`,
		Right:       `read("arrays.npz", member: "iq") | show`},
}
