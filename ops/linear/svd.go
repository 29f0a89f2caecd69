package linear

import "weft/ops"

// svd is randomised: what it reads of a matrix are products with a few vectors, so that it takes one of any size, of which blocks of rows go by.
var svd = &ops.Spec{
	Name: "svd", Doc: "The largest singular values of a matrix, nearly, and their vectors, by a few readings of it.", Group: "linear algebra",
	Long: "Random vectors over the columns, ten more than are asked for, are multiplied by the matrix and by it transposed in turn, and made to be at right angles in " +
		"between; the matrix is then small in the space of what that leaves. It is read `passes` times, an even number: the more, the nearer values come that lie " +
		"close to those left out. All is in float64. Values are off by rounding of the largest, so that of a matrix of fewer modes than are asked for the others are " +
		"nearly 0; vectors are of length 1 and at right angles for these too. A matrix that does not fit the memory is read in blocks of rows where these are its " +
		"first dimension. Halko, Martinsson and Tropp, SIAM Review 53, 2011.",
	Returns: "a record of value, the largest first, over mode, left over the rows and mode, and right over the columns and mode, in f64.",
	Params: append([]ops.Param{ops.In("a", "matrix: real")}, append(sides("left out of an array of two dimensions, the first that it has"),
		ops.Num("rank", "", "how many singular values").Whole().Within(1, 100).Or(ops.Integer(10)),
		ops.Num("passes", "", "how often the matrix is read").Whole().Within(2, 100).Or(ops.Integer(4)),
		ops.Num("seed", "", "of the random vectors").Whole().Or(ops.Integer(0)))...),
	Examples: []ops.Example{{Title: "Of a smooth one", Code: "i = axis(i, 0 .. 1 in 40)\nj = axis(j, 0 .. 1 in 30)\ns = svd(cos(3 * i * j) + 0.1 * i, rank: 2)\nshow(s.value)"}},
	Deduce:   nameSides,
	Body:     svdBody,
}

// svdBody makes what vectors over rows or columns are multiplied by, `onto` and `back`, and orthonormal ones: rounding in a triangular root is that of a square, so it takes some turns
// until nothing is left of it (Fukaya et al., SIAM Journal on Scientific Computing 42, 2020). Sums over some rows are made at a time, and then added, so that
// blocks of rows go by: so many rows that these and what is made of all take about as much memory.
const svdBody = `use simulate
most = min(size(a, rows), size(a, columns))
require(mod(passes, 2) == 0, "readings go by twos, with the matrix and with it transposed: passes must be even")
require(most > 1, "a matrix of one row or column has one singular value, its norm")
require(rank <= most, "the matrix has {most} singular values, fewer than a rank of {rank}")
number = indices(axis(probe, 0 .. 1 in min(rank + 10, most)), probe)
noise = (along, seed) -> cast(simulate.normal(indices(a, along) * 128 + number, seed), f64)

onto = x -> sum(cast(a, f64) * x, over: columns)  @keep
fn back(y[probe]) {
    blocks = max(1, round(sqrt(size(a, rows) / size(y, probe))))
    turns = floor_div(size(a, rows) - 1, blocks) + 1
    cut = (of, along) -> reshape(pad(transpose(of, order: [rows, along]), rows, after: blocks * turns - size(a, rows)), dims: [block, turn, along], extents: [blocks, turns, size(of, along)])
    parts = sum(cast(cut(a, columns), f64) * cut(y, probe), over: turn)  @keep
    sum(parts, over: block)  @keep
}

fn diagonal(c[probe, other]) = indices(c, probe) == rename(indices(c, probe), from: probe, to: other)
fn products(z[probe], along) = sum(z * rename(z, from: probe, to: other), over: along)
fn squares(c[probe, other]) = sum(where(diagonal(c), c, 0))
fn turned(z[probe], along) {
    c = products(z, along)  @keep
    least = squares(c) * 1e-15 + 1e-300  @keep
    root = cholesky(c + where(diagonal(c), least, 0), rows: probe, columns: other)
    out = rename(sum(z * inverse(root, rows: probe, columns: other, triangle: lower), over: probe), from: other, to: probe)  @keep
    out
}
fn apart(z[probe], along) = turned(turned(z, along), along)
fn orthonormal(z[probe], along, seed) {  # vectors that are nothing beside the others, or lie in their space but for rounding, become what noise is apart from the others
    length = sqrt(squares(products(z, along)))  @keep
    spare = noise(along, seed)[probe: 0 .. size(z, probe) - 1]
    apart(apart(z + spare * where(length > 0, length / sqrt(size(z, along)) * 1e-15, 1), along), along)
}

found = reduce(1 .. passes / 2 - 1, (y, turn) -> onto(apart(back(apart(y, rows)), columns)), from: onto(noise(columns, seed)))
base = orthonormal(found, rows, seed + 1)
small = back(base)
e = eigen(products(small, columns), count: max(rank, 2), method: lanczos, tolerance: 1e-14)
ways = rename(rename(e.vector[eigenvalue: 0 .. rank - 1], from: probe, to: part), from: eigenvalue, to: probe)
image = sum(rename(small, from: probe, to: part) * ways, over: part)  @keep
value = norm(image, over: columns)  @keep
right = orthonormal(where(value > 0, image / value, 0), columns, seed + 2)
left = sum(rename(base, from: probe, to: part) * ways, over: part)
(value: rename(value, from: probe, to: mode), left: rename(left, from: probe, to: mode), right: rename(right, from: probe, to: mode))`
