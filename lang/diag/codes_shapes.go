package diag

import "weft/ops/problem"

var shapeCodes = []Code{
	{Code: problem.WrongDims, Title: "wrong dimensions",
		Explanation: "The arrays need the same dimensions. rename gives dimensions other names, transpose another order, and a slice takes one away.",
		Wrong:       "a = read(\"iq.npy\", dims: [x, y])\nshow(concat([a, a[y: 0]], x))",
		Right:       "a = read(\"iq.npy\", dims: [x, y])\nshow(concat([a, a], x))"},
	{Code: problem.MissingDim, Title: "missing dimension",
		Explanation: "The array lacks a dimension that the operator works along.",
		Wrong: `probe = matrix_probe(nx: 32, ny: 32, pitch: 0.3 mm)
grid = box(x: -1 mm .. 1 mm in 8, y: -1 mm .. 1 mm in 8, z: 20 mm .. 40 mm in 8)
iq = read("iq.npy", dims: [sample, element])
iq[element: 0] | beamform(probe, grid, fc: 3 MHz, fs: 12 MHz) | show`,
		Right: `probe = matrix_probe(nx: 32, ny: 32, pitch: 0.3 mm)
grid = box(x: -1 mm .. 1 mm in 8, y: -1 mm .. 1 mm in 8, z: 20 mm .. 40 mm in 8)
iq = read("iq.npy", dims: [sample, element])
iq | beamform(probe, grid, fc: 3 MHz, fs: 12 MHz) | show`},
	{Code: problem.ExtraDim, Title: "extra dimension",
		Explanation: "The array has a dimension that the operator has no use for. Reduce over it, or choose one index of it.",
		Wrong: `probe = matrix_probe(nx: 32, ny: 32, pitch: 0.3 mm)
grid = box(x: -1 mm .. 1 mm in 8, y: -1 mm .. 1 mm in 8, z: 20 mm .. 40 mm in 8)
iq = stack([read("iq.npy", dims: [sample, element])], subject)
iq | beamform(probe, grid, fc: 3 MHz, fs: 12 MHz) | show`,
		Right: `probe = matrix_probe(nx: 32, ny: 32, pitch: 0.3 mm)
grid = box(x: -1 mm .. 1 mm in 8, y: -1 mm .. 1 mm in 8, z: 20 mm .. 40 mm in 8)
iq = stack([read("iq.npy", dims: [sample, element])], subject)
iq[subject: 0] | beamform(probe, grid, fc: 3 MHz, fs: 12 MHz) | show`},
	{Code: problem.UnknownDim, Title: "unknown dimension",
		Explanation: "The array has no dimension of this name.",
		Wrong:       "a = read(\"iq.npy\", dims: [sample, element])\nshow(sum(a, over: [elemnt]))",
		Right:       "a = read(\"iq.npy\", dims: [sample, element])\nshow(sum(a, over: [element]))"},
	{Code: problem.DuplicateDim, Title: "dimension named twice",
		Explanation: "The dimensions of an array have different names, and a reduction or index names each once.",
		Wrong:       `read("iq.npy", dims: [x, x]) | show`,
		Right:       `read("iq.npy", dims: [x, y]) | show`},
	{Code: problem.ExtentMismatch, Title: "two extents of one dimension",
		Explanation: "Arrays that share a dimension have the same extent along it.",
		Wrong:       "a = read(\"iq.npy\", dims: [sample, element])\nb = a[sample: 0 .. 9]\nshow(a + b)",
		Right:       "a = read(\"iq.npy\", dims: [sample, element])\nb = a[sample: 0 .. 9]\nshow(b + b)"},
	{Code: problem.NotAnArray, Title: "not an array",
		Explanation: "The operator works on arrays, and the value is none.",
		Wrong:       `"iq.npy" | envelope | show`,
		Right:       `read("iq.npy") | envelope | show`},
	{Code: problem.WrongKind, Title: "wrong kind of value",
		Explanation: "The argument takes another kind of value: a number, a string, a list, a range, a probe or a grid.",
		Wrong:       `read(3) | show`,
		Right:       `read("iq.npy") | show`},
	{Code: problem.WrongElementType, Title: "wrong element type",
		Explanation: "The operator needs real, complex, whole or boolean elements and the array has others. abs, real, imag and cast convert.",
		Wrong:       "a = read(\"iq.npy\", dims: [sample, element])\nshow(a < 3)",
		Right:       "a = read(\"iq.npy\", dims: [sample, element])\nshow(abs(a) < 3)"},
	{Code: problem.IndexWithoutDim, Title: "index without a dimension",
		Explanation: "Dimensions have names, not positions: write a[x: 0], or a[x: 1 mm .. 3 mm] by coordinate.",
		Wrong:       "a = read(\"iq.npy\", dims: [x, y])\nshow(a[0])",
		Right:       "a = read(\"iq.npy\", dims: [x, y])\nshow(a[x: 0])"},
	{Code: problem.IndexOutOfRange, Title: "index out of range",
		Explanation: "Indices count from 0 to the extent less one.",
		Wrong:       "a = read(\"iq.npy\", dims: [sample, element])\nshow(a[sample: 100000])",
		Right:       "a = read(\"iq.npy\", dims: [sample, element])\nshow(a[sample: 0])"},
	{Code: problem.NoCoordinates, Title: "dimension without coordinates",
		Explanation: "An index with a unit asks for a coordinate, and the dimension has none. Index by number.",
		Wrong:       "a = read(\"iq.npy\", dims: [x, y])\nshow(a[x: 3 mm])",
		Right:       "a = read(\"iq.npy\", dims: [x, y])\nshow(a[x: 3])"},
	{Code: problem.OutsideCoordinates, Title: "outside the coordinates",
		Explanation: "The coordinate lies outside the range of the dimension.",
		Wrong: `probe = matrix_probe(nx: 32, ny: 32, pitch: 0.3 mm)
grid = box(x: -1 mm .. 1 mm in 8, y: -1 mm .. 1 mm in 8, z: 20 mm .. 40 mm in 8)
v = read("iq.npy", dims: [sample, element]) | beamform(probe, grid, fc: 3 MHz, fs: 12 MHz)
v[z: 50 mm] | show`,
		Right: `probe = matrix_probe(nx: 32, ny: 32, pitch: 0.3 mm)
grid = box(x: -1 mm .. 1 mm in 8, y: -1 mm .. 1 mm in 8, z: 20 mm .. 40 mm in 8)
v = read("iq.npy", dims: [sample, element]) | beamform(probe, grid, fc: 3 MHz, fs: 12 MHz)
v[z: 30 mm] | show`},
	{Code: problem.BadReshape, Title: "reshape changes the number of elements",
		Explanation: "The extents of the new dimensions multiply to those of the old ones.",
		Wrong:       "a = read(\"iq.npy\", dims: [sample, element])\na | reshape(dims: [x, y], extents: [7, 7]) | show",
		Right:       "a = read(\"iq.npy\", dims: [sample, element])\na | reshape(dims: [x, y], extents: [360, 2048]) | show"},
	{Code: problem.DimsCount, Title: "wrong number of dimensions",
		Explanation: "dims names every axis of the file, in the order of the file.",
		Wrong:       `read("iq.npy", dims: [sample]) | show`,
		Right:       `read("iq.npy", dims: [sample, element]) | show`},
	{Code: problem.CoordinateMismatch, Title: "two sets of coordinates of one dimension",
		Explanation: "Arrays that share a dimension lie on the same coordinates. Slice them alike, or rename the dimension of one.",
		Wrong: `probe = matrix_probe(nx: 32, ny: 32, pitch: 0.3 mm)
grid = box(x: -1 mm .. 1 mm in 8, y: -1 mm .. 1 mm in 8, z: 20 mm .. 40 mm in 8)
v = read("iq.npy", dims: [sample, element]) | beamform(probe, grid, fc: 3 MHz, fs: 12 MHz)
show(v[z: 0 .. 3] + v[z: 4 .. 7])`,
		Right: `probe = matrix_probe(nx: 32, ny: 32, pitch: 0.3 mm)
grid = box(x: -1 mm .. 1 mm in 8, y: -1 mm .. 1 mm in 8, z: 20 mm .. 40 mm in 8)
v = read("iq.npy", dims: [sample, element]) | beamform(probe, grid, fc: 3 MHz, fs: 12 MHz)
show(v[z: 0 .. 3] + v[z: 0 .. 3])`},
	{Code: problem.RecordAsArray, Title: "record where an array is expected",
		Explanation: "The value has several outputs. Choose one with a point and its name.",
		Wrong:       "dsm = read(\"dsm.npy\", dims: [y, x], unit: m) | with_coordinates(y, 63 m .. 0 m) | with_coordinates(x, 0 m .. 63 m)\ns = dsm | skyview\ns | abs | show",
		Right:       "dsm = read(\"dsm.npy\", dims: [y, x], unit: m) | with_coordinates(y, 63 m .. 0 m) | with_coordinates(x, 0 m .. 63 m)\ns = dsm | skyview\ns.total | write(\"sky.npy\")"},
	{Code: problem.MixedList, Title: "list of different kinds",
		Explanation: "The items of this list are of one kind.",
		Wrong: `probe = matrix_probe(nx: 32, ny: 32, pitch: 0.3 mm)
grid = box(x: -1 mm .. 1 mm in 8, y: -1 mm .. 1 mm in 8, z: 20 mm .. 40 mm in 8)
iq = read("iq.npy", dims: [sample, element])
shots = stack([iq, iq], transmit)
shots | beamform(probe, grid, fc: 3 MHz, fs: 12 MHz, transmit: [plane(5 deg), first_arrival()]) | show`,
		Right: `probe = matrix_probe(nx: 32, ny: 32, pitch: 0.3 mm)
grid = box(x: -1 mm .. 1 mm in 8, y: -1 mm .. 1 mm in 8, z: 20 mm .. 40 mm in 8)
iq = read("iq.npy", dims: [sample, element])
shots = stack([iq, iq], transmit)
shots | beamform(probe, grid, fc: 3 MHz, fs: 12 MHz, transmit: [plane(5 deg), plane(0 deg)]) | show`},
	{Code: problem.NotABoolean, Title: "not true or false",
		Explanation: "and, or, not and the condition of where take booleans. Compare the value with something.",
		Wrong:       "a = read(\"iq.npy\")\nshow(where(abs(a), 1, 0))",
		Right:       "a = read(\"iq.npy\")\nshow(where(abs(a) > 0, 1, 0))"},
	{Code: problem.NotANumber, Title: "not a number",
		Explanation: "The argument, or the end of a range, is a number.",
		Wrong:       `axis(x, 0 mm .. true in 3) | show`,
		Right:       `axis(x, 0 mm .. 1 mm in 3) | show`},
	{Code: problem.NotANameList, Title: "not a list of names",
		Explanation: "Dimensions are given as a list of bare names, such as [x, y].",
		Wrong:       `read("iq.npy", dims: [1, 2]) | show`,
		Right:       `read("iq.npy", dims: [sample, element]) | show`},
	{Code: problem.PlaceOutside, Title: "places that may lie outside",
		Explanation: "The places are computed, and nothing shows that all of them lie within the dimension: the message says where they may lie. " +
			"Say what is beyond its ends: a value, nearest, wrap or mirror.",
		Wrong: "x = axis(x, 0 mm .. 9 mm in 10)\nshow(x[x: here + 1] - x)",
		Right: "x = axis(x, 0 mm .. 9 mm in 10)\nshow(x[x: here + 1, outside: nearest] - x)"},
	{Code: problem.BetweenPoints, Title: "places between points",
		Explanation: "The places are coordinates, or fractions of a step, so they may lie between the points of the array. Say how values between them are made.",
		Wrong:       "x = axis(x, 0 mm .. 9 mm in 10)\nt = axis(t, 1 mm .. 2 mm in 5)\nshow((x * x)[x: t])",
		Right:       "x = axis(x, 0 mm .. 9 mm in 10)\nt = axis(t, 1 mm .. 2 mm in 5)\nshow((x * x)[x: t, interpolation: linear])"},
}
