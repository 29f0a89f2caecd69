package shape

import (
	"fmt"
	"slices"

	"weft/ops"
	"weft/ops/matrix"
	"weft/ops/operand"
	"weft/ops/problem"
)

const nowhere = "none" // stands for a block that is not there

func blockSpec() *ops.Spec {
	made := "i = axis(i, 0 .. 1 in 2)\nk = axis(k, 0 .. 2 in 3)\n"
	return &ops.Spec{
		Name: "block", Doc: "A matrix of matrices.", Group: "linear algebra", Error: operand.Rounded,
		Long: "A list of rows of blocks. In place of a block that is zero stands `none`: of a row and of a column at least one is there, which says how many rows or columns these have. " +
			"Blocks have the same dimensions, with as many rows as those beside them and as many columns as those above and below. It is an array as any other, of a type that holds all of them; its " +
			"rows and columns are numbered anew, without coordinates. Blocks are read where they are, and not copied. A product with such a matrix, and with what is made of it (see `assume`), leaves out what stands before " +
			"the first block of a row that is there, and behind the last one, to the same bits as the product of what it would be with zeros. Of blocks on the diagonal that are square, " +
			"what all are the whole is (a triangle, where there is none on the other side), and `solve` and `inverse` know it.",
		Returns: "an array over the dimensions of the first block.",
		Params: []ops.Param{
			{Name: "rows", Doc: "list of lists: of the blocks of each row", Accept: ops.KList},
			{Name: "down", Doc: "dimension of the rows; the first of the first block, where blocks have two", Accept: ops.KSymbol, Optional: true},
			{Name: "across", Doc: "dimension of the columns", Accept: ops.KSymbol, Optional: true},
		},
		Examples: []ops.Example{
			{Title: "Two rows of blocks", Code: made + "a = i + k\nb = rename(k, from: k, to: i)[i: 0 .. 0] + 10 * k\nshow(block([[a, a[k: 0 .. 0]], [none, b[k: 0 .. 0]]]))"},
			{Title: "A product", Code: made + "a = 1 + i + k\nm = block([[a, none], [none, 2 * a]])\nx = axis(k, 0 .. 5 in 6)\nshow(dot(m, x, over: k))"},
		},
		Bind: bindBlock,
	}
}

// blocks is a use of block: rows of blocks one below the other, each of some side by side.
type blocks struct {
	joined
	rows    []joined
	known   *matrix.Blocks
	r, c    string
	squares []ops.Array // those on the diagonal; nil: some are not there, or no squares
}

func bindBlock(c *ops.Call) (ops.Op, error) {
	var xs []operand.Operand
	var at [][2]int // where in the grid each of them stands
	list := c.List("rows")
	if len(list) == 0 {
		return nil, problem.Wrong(problem.NotAnArray, "rows", "", "`block` of no blocks")
	}
	width := 0
	for r, row := range list {
		items, ok := row.(ops.List)
		if !ok {
			return nil, problem.Wrong(problem.WrongKind, fmt.Sprintf("rows.%d", r), "a matrix of one row of blocks is block([[a, b]])", "each row of blocks is a list, and this is %s", row)
		}
		if r == 0 {
			width = len(items)
		}
		if len(items) != width || width == 0 {
			return nil, problem.Wrong(problem.WrongDims, fmt.Sprintf("rows.%d", r), "`none` stands for one that is zero", "a row of %d blocks, and the first has %d", len(items), width)
		}
		for k, item := range items {
			if a, ok := item.(ops.Array); ok {
				xs = append(xs, operand.Operand{Name: fmt.Sprintf("item %d.%d", r, k), Value: a, Type: a.Type()})
				at = append(at, [2]int{r, k})
			} else if item != ops.Value(ops.Symbol(nowhere)) {
				return nil, problem.Wrong(problem.NotAnArray, fmt.Sprintf("rows.%d.%d", r, k), "`none` stands for one that is zero", "blocks are arrays, and this is %s", item)
			}
		}
	}
	if len(xs) == 0 {
		return nil, problem.Wrong(problem.NotAnArray, "rows", "fill makes an array of a number", "no block is there")
	}
	b := &blocks{r: c.Symbol("down"), c: c.Symbol("across")}
	if first := xs[0].Type; !c.Has("down") && !c.Has("across") && len(first.Dims) == 2 {
		b.r, b.c = first.Dims[0].Name, first.Dims[1].Name
	}
	if b.r == "" || b.c == "" || b.r == b.c {
		return nil, problem.Wrong(problem.MissingDim, "rows", "name both of them: down: ..., across: ...", "which dimensions are those of rows and columns: blocks are over %s", xs[0].Type)
	}
	return b, b.assemble(xs, at, len(list), width)
}

// assemble lays the blocks out, where they fit each other.
func (b *blocks) assemble(xs []operand.Operand, at [][2]int, height, width int) error {
	heights, widths := make([]int, height), make([]int, width)
	others := slices.Clone(xs)
	for n, x := range xs {
		sides := [2]struct {
			of   []int
			name string
			like string
		}{{heights, b.r, "beside it"}, {widths, b.c, "above it"}}
		others[n].Type.Dims = slices.Clone(x.Type.Dims)
		for side, s := range sides {
			d := x.Type.Dim(s.name)
			if d < 0 {
				return operand.About("rows", operand.UnknownDim("rows", s.name, x.Type))
			}
			size := &s.of[at[n][side]]
			if has := x.Type.Dims[d].Size; *size == 0 {
				*size = has
			} else if *size != has {
				return problem.Wrong(problem.ExtentMismatch, fmt.Sprintf("rows.%d.%d", at[n][0], at[n][1]), "", "block %d of row %d has %d of %s, and one %s %d", at[n][1]+1, at[n][0]+1, has, s.name, s.like, *size)
			}
			others[n].Type.Dims[d] = ops.Dim{Name: s.name, Size: 1}
		}
		if len(x.Type.Dims) != len(xs[0].Type.Dims) {
			return problem.Wrong(problem.WrongDims, fmt.Sprintf("rows.%d.%d", at[n][0], at[n][1]), "", "block %d of row %d is over %s, and the first over %s", at[n][1]+1, at[n][0]+1, x.Type, xs[0].Type)
		}
	}
	if k := slices.Index(heights, 0); k >= 0 {
		return problem.Wrong(problem.WrongDims, fmt.Sprintf("rows.%d", k), "leave the row out, or fill one of its blocks with 0", "nothing says how many rows the blocks of row %d have: none is there", k+1)
	}
	if k := slices.Index(widths, 0); k >= 0 {
		return problem.Wrong(problem.WrongDims, "rows", "leave the column out, or fill one of its blocks with 0", "nothing says how many columns the blocks of column %d have: none is there", k+1)
	}
	dims, err := operand.Broadcast("block", others)
	if err != nil {
		return operand.About("rows", err)
	}
	if len(dims) != len(xs[0].Type.Dims) {
		return problem.Wrong(problem.WrongDims, "rows", "", "the blocks have different dimensions")
	}
	b.out.Elem = promoteKeepingBool(xs)
	if b.out.Unit, err = operand.SameUnit("block", xs); err != nil {
		return operand.About("rows", err)
	}
	b.out.Dims = dims
	down, across := b.out.Dim(b.r), b.out.Dim(b.c)
	rowEnds, columnEnds := ends(heights), ends(widths)
	dims[down], dims[across] = ops.Dim{Name: b.r, Size: rowEnds[height-1]}, ops.Dim{Name: b.c, Size: columnEnds[width-1]}
	b.known = &matrix.Blocks{Rows: rowEnds, Columns: columnEnds}
	b.dim = down
	whole := operand.Operand{}
	for d := range dims {
		whole.Pick = append(whole.Pick, d)
	}
	for r := range heights {
		row := joined{out: b.out, dim: across}
		row.out.Dims = slices.Clone(dims)
		row.out.Dims[down].Size = heights[r]
		b.rows = append(b.rows, row)
		b.parts, b.starts, b.lengths = append(b.parts, whole), append(b.starts, rowEnds[r]-heights[r]), append(b.lengths, heights[r])
		b.known.There = append(b.known.There, make([]bool, width))
	}
	for n, x := range xs {
		r, k := at[n][0], at[n][1]
		x.Pick = others[n].Pick
		row := &b.rows[r]
		row.parts, row.starts, row.lengths = append(row.parts, x), append(row.starts, columnEnds[k]-widths[k]), append(row.lengths, widths[k])
		b.known.There[r][k] = true
		if r == k && heights[r] == widths[k] {
			b.squares = append(b.squares, x.Value.(ops.Array))
		}
	}
	if height != width || len(b.squares) < height {
		b.squares = nil
	}
	return nil
}

func ends(lengths []int) (out []int) {
	end := 0
	for _, n := range lengths {
		end += n
		out = append(out, end)
	}
	return out
}

// Structure implements matrix.Structured.
func (b *blocks) Structure(*ops.Call, int) matrix.Structure {
	var diagonal []matrix.Structure
	for _, a := range b.squares {
		diagonal = append(diagonal, matrix.StructureOf(a).Over(b.r, b.c))
	}
	return matrix.Assembled(b.r, b.c, b.known, diagonal)
}

// Lower joins the blocks of each row, and then the rows.
func (b *blocks) Lower(l *ops.Lowering) []*ops.Stage {
	inputs := l.Lists["rows"]
	var rows []*ops.Stage
	for r, row := range b.rows {
		n := len(row.parts)
		of := inputs[:n]
		inputs = inputs[n:]
		for len(of) > mostJoined {
			row, of = row.groups(l, of)
		}
		s := row.stage(l, fmt.Sprintf("row %d", r), of)
		s.Steps = []string{"blocks side by side"}
		rows = append(rows, s)
	}
	p := b.joined
	for len(rows) > mostJoined {
		p, rows = p.groups(l, rows)
	}
	s := p.stage(l, "", rows)
	s.Steps = []string{"rows of blocks"}
	return []*ops.Stage{s}
}

// Reference finds the block of each element.
func (b *blocks) Reference(in map[string]ops.Dense) ([]ops.Dense, error) {
	out := ops.NewDense(b.out.Elem.Complex, b.out.Shape()...)
	across := b.rows[0].dim
	for i, index := range ops.Indices(out.Shape) {
		n := 0 // blocks before those of the row
		for r, row := range b.rows {
			if down := index[b.dim] - b.starts[r]; down >= 0 && down < b.lengths[r] {
				for k, x := range row.parts {
					along := index[across] - row.starts[k]
					if along < 0 || along >= row.lengths[k] {
						continue
					}
					a, at := in[ops.ReferenceKey("rows", n+k)], 0
					for j, stride := range a.Strides() {
						switch d := x.Pick[j]; d {
						case b.dim:
							at += down * stride
						case across:
							at += along * stride
						default:
							at += index[d] * stride
						}
					}
					out.Set(i, a.At(at))
				}
			}
			n += len(row.parts)
		}
	}
	return []ops.Dense{out}, nil
}
