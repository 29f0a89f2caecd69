package diag

// Files and data.
const (
	MissingFile        = "E0501"
	IsDirectory        = "E0502"
	Unreadable         = "E0503"
	UnknownFormat      = "E0504"
	NotThisFormat      = "E0505"
	TruncatedFile      = "E0506"
	ObjectArray        = "E0507"
	HugeHeader         = "E0508"
	BadHeader          = "E0509"
	UnsupportedType    = "E0510"
	EmptyArray         = "E0511"
	NonFinite          = "E0512"
	MissingMember      = "E0513"
	Unwritable         = "E0514"
	DiskFull           = "E0515"
	DuplicateOutput    = "E0516"
	OutputIsInput      = "E0517"
	CannotStore        = "E0518"
	InputChanged       = "E0519"
	MissingFolder      = "E0520"
	TrailingData       = "E0521"
	ReadFailed         = "E0522"
	AmbiguousMember    = "E0523"
	PipelineUnreadable = "E0524"
	UnplacedRaster     = "E0525"
	RotatedRaster      = "E0526"
	NoHeights          = "E0527"
)

var fileCodes = []Code{
	{Code: MissingFile, Title: "no such file",
		Explanation: "The file does not exist. Relative paths start at the folder where weft runs.",
		Wrong:       `read("missing.npy") | show`,
		Right:       `read("iq.npy") | show`},
	{Code: IsDirectory, Title: "folder instead of a file",
		Explanation: "The path names a folder. Name a file in it.",
		Wrong:       `read("data") | show`,
		Right:       `read("data/iq.npy") | show`},
	{Code: Unreadable, Title: "file may not be read",
		Explanation: "The system refuses to open the file for reading. Check its permissions.",
		Wrong:       `read("locked.npy") | show`,
		Right:       `read("iq.npy") | show`},
	{Code: UnknownFormat, Title: "unknown file format",
		Explanation: "The format follows from the ending of the name, and this one is not known. `weft ops read` and `weft ops write` list the formats.",
		Wrong:       `read("iq.doc") | show`,
		Right:       `read("iq.npy") | show`},
	{Code: NotThisFormat, Title: "file is not what its name says",
		Explanation: "The first bytes of the file are not those of the format that its ending announces.",
		Wrong:       `read("text.npy") | show`,
		Right:       `read("iq.npy") | show`},
	{Code: TruncatedFile, Title: "file is cut short",
		Explanation: "The header announces more bytes than the file holds. Copy or write it again.",
		Wrong:       `read("truncated.npy") | show`,
		Right:       `read("iq.npy") | show`},
	{Code: ObjectArray, Title: "array of Python objects",
		Explanation: "The elements are pickled Python objects, which can run code when read, so weft does not read them. Save the array with a numeric dtype.",
		Wrong:       `read("objects.npy") | show`,
		Right:       `read("iq.npy") | show`},
	{Code: HugeHeader, Title: "header is implausibly large",
		Explanation: "The length of the header is far beyond that of any real array, so the file is damaged or hostile.",
		Wrong:       `read("huge_header.npy") | show`,
		Right:       `read("iq.npy") | show`},
	{Code: BadHeader, Title: "header cannot be read",
		Explanation: "The header of the file does not follow its format.",
		Wrong:       `read("bad_header.npy") | show`,
		Right:       `read("iq.npy") | show`},
	{Code: UnsupportedType, Title: "unsupported element type",
		Explanation: "Files may hold booleans, integers, floats and complex numbers of the common sizes, in either byte order.",
		Wrong:       `read("strings.npy") | show`,
		Right:       `read("iq.npy") | show`},
	{Code: EmptyArray, Title: "array without elements",
		Explanation: "A dimension of the file has extent zero, so there is nothing to calculate with.",
		Wrong:       `read("empty.npy") | show`,
		Right:       `read("iq.npy") | show`},
	{Code: NonFinite, Title: "data is not finite", Severity: Warning,
		Explanation: "The file holds NaN or infinite values. They are kept and spread to every output that uses them.",
		Wrong:       "# weft run file.weft\nread(\"nan.npy\") | show",
		Right:       "# weft run file.weft\nread(\"dsm.npy\") | show"},
	{Code: MissingMember, Title: "no such array in the archive",
		Explanation: "The NPZ file has no array of this name.",
		Wrong:       `read("arrays.npz", member: "missing") | show`,
		Right:       `read("arrays.npz", member: "iq") | show`},
	{Code: Unwritable, Title: "file may not be written",
		Explanation: "The system refuses to create or replace the output. It is tried before anything runs.",
		Wrong:       `read("iq.npy") | write("/locked/out.npy")`,
		Right:       `read("iq.npy") | write("out.npy")`},
	{Code: DiskFull, Title: "disk full",
		Explanation: "The output does not fit on its disk. Nothing partial is left behind. Free some space, or write to another disk.",
		Wrong:       `read("iq.npy") | write("/full/out.npy")`,
		Right:       `read("iq.npy") | write("out.npy")`},
	{Code: DuplicateOutput, Title: "two outputs to one file",
		Explanation: "Two sinks write the same file, and the second would replace the first.",
		Wrong:       "a = read(\"iq.npy\")\na | write(\"out.npy\")\na | envelope | write(\"out.npy\")",
		Right:       "a = read(\"iq.npy\")\na | write(\"out.npy\")\na | envelope | write(\"envelope.npy\")"},
	{Code: OutputIsInput, Title: "output replaces an input",
		Explanation: "The file is read and written by the same pipeline, so a second run would start from other data.",
		Wrong:       `read("iq.npy") | envelope | write("iq.npy")`,
		Right:       `read("iq.npy") | envelope | write("envelope.npy")`},
	{Code: CannotStore, Title: "format cannot hold the array",
		Explanation: "Images hold real values over two dimensions, or three that are shown as projections; other formats hold other types. abs, real and cast convert.",
		Wrong:       `read("iq.npy", dims: [x, y]) | write("out.png")`,
		Right:       `read("iq.npy", dims: [x, y]) | abs | write("out.png")`},
	{Code: InputChanged, Title: "input changed since the check",
		Explanation: "The file was replaced after its shape was read. Run again.",
		Wrong:       `read("changing.npy") | show`,
		Right:       `read("iq.npy") | show`},
	{Code: MissingFolder, Title: "no such folder",
		Explanation: "The folder of the output does not exist. weft does not create folders.",
		Wrong:       `read("iq.npy") | write("missing/out.npy")`,
		Right:       `read("iq.npy") | write("out.npy")`},
	{Code: TrailingData, Title: "file is longer than its header says",
		Explanation: "Bytes follow the array. The file may be damaged, or hold several arrays: save each in a file of its own, or all in one NPZ archive.",
		Wrong:       `read("trailing.npy") | show`,
		Right:       `read("iq.npy") | show`},
	{Code: ReadFailed, Title: "reading failed",
		Explanation: "The system reported an error while the file was read.",
		Wrong:       `read("failing.npy") | show`,
		Right:       `read("iq.npy") | show`},
	{Code: AmbiguousMember, Title: "archive with several arrays",
		Explanation: "The NPZ file holds more than one array. Choose one with member.",
		Wrong:       `read("arrays.npz") | show`,
		Right:       `read("arrays.npz", member: "iq") | show`},
	{Code: PipelineUnreadable, Title: "pipeline file cannot be read",
		Explanation: "The pipeline file itself is missing, a folder, not permitted, or no text in UTF-8.",
		Wrong:       "# weft run missing.weft\nshow(1)",
		Right:       "# weft run file.weft\nshow(1)"},
	{Code: UnplacedRaster, Title: "raster without a full georeference", Severity: Warning,
		Explanation: "The GeoTIFF file does not say where its pixels are, how large they are, or in which system. What it says is used; sizes without a unit count as metres.",
		Wrong:       `read("no_crs.tif") | show`,
		Right:       `read("dsm.tif") | show`},
	{Code: RotatedRaster, Title: "raster that is not north up",
		Explanation: "Rows and columns of the raster do not run along the axes of its coordinate system from the north-west corner, so they have no coordinates of their own.",
		Wrong:       `read("rotated.tif") | show`,
		Right:       `read("dsm.tif") | show`},
	{Code: NoHeights, Title: "surface without a single height",
		Explanation: "Every pixel of the raster is missing: it is marked as nodata, masked, or NaN. Rays and walls need a surface. A raster with some pixels missing is fine; what depends on them is NaN.",
		Wrong:       "# weft run file.weft\nw = read(\"nodata.tif\") | walls\nw.height | show",
		Right:       "# weft run file.weft\nw = read(\"dsm.tif\") | walls\nw.height | show"},
}
