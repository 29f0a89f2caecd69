package tiff

import (
	"fmt"
	"math"
	"slices"

	"weft/ops/files/element"
	"weft/ops/files/tiff/gdal"
	"weft/ops/files/tiff/packing"
)

// Compression says how the bytes of a block are packed. Create takes 0 for Deflate.
type Compression = packing.Method

// The compressions that are written.
const (
	None    = packing.None
	Deflate = packing.Deflate
	LZW     = packing.LZW
)

// Predictor says what is done to the rows of a block before they are compressed. Create takes 0 for FloatingPoint of floats and Horizontal of
// integers of up to 32 bits. Without a compression there is no prediction.
type Predictor = packing.Predictor

// The predictors.
const (
	NoPredictor   = packing.NoPredictor
	Horizontal    = packing.Horizontal
	FloatingPoint = packing.FloatingPoint
)

// Header is what a file says of its raster. Row 0 is the first in the file: the northernmost, unless Geo says otherwise.
type Header struct {
	DType         element.DType
	Height, Width int
	Geo           Geo
	Nodata        *float64 // the value of elements that are missing, or nil
	Masked        bool     // a mask in the file says which elements are missing
	// Bands is how many bands there are, if several, of which Band is read, from 1; 0: all of them. Mixed says that the elements of a place lie side
	// by side in the blocks, band by band, and not in blocks of their own.
	Bands, Band int
	Mixed       bool
	Across      gdal.Across // what bands are of
	// Scale and Offset turn elements into what they stand for, Scale v + Offset, in files that store it so. A Scale
	// of 0 means that elements stand for themselves. Reading does not apply them.
	Scale, Offset float64

	// Tiled says that blocks are tiles of BlockH x BlockW, which may reach beyond the raster; otherwise they are
	// strips of BlockH rows. Rectangles that are made up of whole blocks are read and written fastest.
	Tiled          bool
	BlockH, BlockW int
	Compression    Compression
	Predictor      Predictor
	BigEndian      bool // byte order of the file
	Big            bool // BigTIFF

	Software, Description string  // free text
	Ignored               Ignored // what else the file holds
}

// Ignored counts the images of a file that are not read: reduced copies, masks of those or further ones, and further images.
type Ignored struct{ Overviews, Masks, Images int }

// together is how many elements of a place lie side by side in a block.
func (h *Header) together() int64 {
	if h.Mixed {
		return int64(h.Bands)
	}
	return 1
}

// Bytes is the size of all elements.
func (h Header) Bytes() int64 { return int64(h.Height) * int64(h.Width) * int64(h.DType.Size()) }

// photometrics names the values of the tag PhotometricInterpretation that are not read. 0 and 1 are plain values.
var photometrics = map[int64]string{
	2: "an RGB picture", 3: "a picture with a colour table (palette)", 4: "a mask", 5: "a CMYK picture",
	6: "a YCbCr picture", 8: "a CIE L*a*b* picture", 9: "an ICC L*a*b* picture", 10: "an ITU L*a*b* picture",
}

// readHeader reads what the directory says of the elements and their blocks, without looking at the blocks.
func readHeader(d directory, band int) (h Header, err error) {
	h.Band = band
	h.BigEndian = d.order.String() == "BigEndian"
	h.Big = d.big
	steps := []func(directory) error{h.readSize, h.readType, h.readCompression, h.readBlocks, h.readText}
	for _, step := range steps {
		if err := step(d); err != nil {
			return h, err
		}
	}
	h.Geo, err = readGeo(d)
	return h, err
}

func (h *Header) readSize(d directory) error {
	height, err := d.int(tagHeight, 0)
	if err != nil {
		return err
	}
	width, err := d.int(tagWidth, 0)
	if err != nil {
		return err
	}
	if height == 0 || width == 0 {
		return &Error{Reason: fmt.Sprintf("has a raster of %d x %d elements", height, width)}
	}
	if height > math.MaxInt32 || width > math.MaxInt32 {
		return &Error{Reason: fmt.Sprintf("claims a raster of %d x %d elements; at most %d along an axis are read", height, width, math.MaxInt32)}
	}
	h.Height, h.Width = int(height), int(width)
	return nil
}

// readType checks that there is one band of plain numbers, or several alike of which one is chosen.
func (h *Header) readType(d directory) error {
	var values [5]int64
	for i, f := range []struct {
		tag     tag
		missing int64
	}{{tagSamplesPerPixel, 1}, {tagPhotometric, 1}, {tagSampleFormat, int64(formatUint)}, {tagBitsPerSample, 1}, {tagOrientation, 1}} {
		var err error
		if values[i], err = d.int(f.tag, f.missing); err != nil {
			return err
		}
	}
	bands, photometric, format, bits, orientation := values[0], values[1], values[2], values[3], values[4]
	picture, isPicture := photometrics[photometric]
	switch {
	case bands != 1 && d.alpha():
		return &Error{
			Reason: fmt.Sprintf("holds %d bands, of which one is alpha (transparency), which is not read", bands),
			Help:   fmt.Sprintf("make a mask of it: gdal_translate -b 1 -mask %d --config GDAL_TIFF_INTERNAL_MASK YES in.tif out.tif", bands),
		}
	case h.Band < 0 || int64(h.Band) > bands:
		return &Error{Reason: fmt.Sprintf("holds %d bands, of which none has the number %d", bands, h.Band), Help: "they are numbered from 1"}
	case bands != 1 && photometric == 2: // of red, green and blue each is plain numbers
		isPicture = false
		photometric = 1
	}
	if err := h.readBands(d, bands); err != nil {
		return err
	}
	switch {
	case isPicture:
		return &Error{Reason: fmt.Sprintf("holds %s, not plain numbers", picture), Help: "extract the numbers first, e.g. gdal_translate -co PHOTOMETRIC=MINISBLACK in.tif out.tif"}
	case photometric > 1:
		return &Error{Reason: fmt.Sprintf("holds a picture of an unusual kind (%v %d), not plain numbers", tagPhotometric, photometric)}
	case orientation != 1:
		return &Error{
			Reason: fmt.Sprintf("does not begin at its top left corner (%v is %d)", tagOrientation, orientation),
			Help:   "write it again from the top left, e.g. with tiffcrop or an image program",
		}
	case format > math.MaxUint16:
		return malformed(tagSampleFormat, "has the value %d", format)
	}
	var err error
	if h.DType, err = dtypeOf(sampleFormat(format), bits); err != nil {
		return err
	}
	if int64(h.Height) > math.MaxInt64/8/int64(h.Width) {
		return &Error{Reason: fmt.Sprintf("claims a raster of %d x %d %v, more bytes than can be addressed", h.Height, h.Width, h.DType)}
	}
	return nil
}

// readBands checks that bands are alike.
func (h *Header) readBands(d directory, bands int64) error {
	if bands == 1 {
		h.Band = 0
		return nil
	}
	if bands < 1 || bands > math.MaxUint16 {
		return malformed(tagSamplesPerPixel, "has the value %d", bands)
	}
	h.Bands = int(bands)
	planes, err := d.int(tagPlanarConfig, 1)
	if err != nil {
		return err
	}
	if h.Mixed = planes == 1; !h.Mixed && planes != 2 {
		return malformed(tagPlanarConfig, "has the value %d", planes)
	}
	for _, t := range []tag{tagBitsPerSample, tagSampleFormat} {
		if !d.has(t) {
			continue
		}
		kinds, err := d.ints(t, bands)
		if err != nil {
			return err
		}
		if slices.ContainsFunc(kinds, func(k int64) bool { return k != kinds[0] }) {
			return &Error{Reason: fmt.Sprintf("holds %d bands of several element types", bands), Help: extractBand}
		}
	}
	return nil
}

// alpha reports whether the last band is transparency: ExtraSamples of 1 or 2.
func (d directory) alpha() bool {
	n := d.fields[tagExtraSamples].count
	if n < 1 || n > math.MaxUint16 {
		return false
	}
	kinds, err := d.ints(tagExtraSamples, n)
	return err == nil && (kinds[n-1] == 1 || kinds[n-1] == 2)
}

const (
	oneBand     = "choose one: band: 1"
	extractBand = "extract one first, e.g. gdal_translate -b 1 in.tif out.tif"
)

func (h *Header) readCompression(d directory) error {
	compression, err := d.int(tagCompression, 1)
	if err != nil {
		return err
	}
	order, err := d.int(tagFillOrder, 1)
	if err != nil {
		return err
	}
	if order != 1 {
		return &Error{Reason: fmt.Sprintf("has the bits of each byte in the unusual order %d (%v)", order, tagFillOrder), Help: rewrite}
	}
	var name string
	if h.Compression, name = packing.Of(compression); h.Compression == 0 {
		return &Error{Reason: fmt.Sprintf("is compressed with %s (%d); read are none, deflate, LZW, PackBits and Zstandard", name, compression), Help: rewrite}
	}
	predictor, err := d.int(tagPredictor, 1)
	if err != nil {
		return err
	}
	h.Predictor = NoPredictor
	switch {
	case h.Compression == None: // the field means nothing then
	case predictor < 1 || predictor > int64(FloatingPoint):
		return &Error{Reason: fmt.Sprintf("has the predictor %d; known are 1 to 3", predictor), Help: rewrite}
	case predictor == int64(FloatingPoint) && !h.DType.Float():
		return &Error{Reason: fmt.Sprintf("has a floating-point predictor (3) for %v elements", h.DType), Help: rewrite}
	default:
		h.Predictor = Predictor(predictor)
	}
	return nil
}

const rewrite = "write it again, e.g. gdal_translate -co COMPRESS=DEFLATE -co TILED=YES in.tif out.tif"

// readBlocks reads the size of strips or tiles.
func (h *Header) readBlocks(d directory) error {
	h.Tiled = d.has(tagTileOffsets) || d.has(tagTileWidth)
	rowsTag := tagRowsPerStrip
	rows, columns, err := int64(h.Height), int64(h.Width), error(nil)
	if h.Tiled {
		rowsTag = tagTileHeight
		if columns, err = d.int(tagTileWidth, 0); err != nil {
			return err
		}
		rows = 0
	}
	if rows, err = d.int(rowsTag, rows); err != nil {
		return err
	}
	if rows == 0 || columns == 0 {
		return &Error{Reason: fmt.Sprintf("is damaged: its blocks are %d x %d elements", rows, columns)}
	}
	if !h.Tiled {
		rows = min(rows, int64(h.Height)) // one strip is often written as 2^32 - 1 rows
	}
	if rows > math.MaxInt32 || columns > math.MaxInt32 {
		return &Error{Reason: fmt.Sprintf("claims blocks of %d x %d elements", rows, columns)}
	}
	h.BlockH, h.BlockW = int(rows), int(columns)
	return nil
}

func (h *Header) readText(d directory) (err error) {
	if h.Software, err = d.text(tagSoftware); err != nil {
		return err
	}
	if h.Description, err = d.text(tagDescription); err != nil {
		return err
	}
	if h.Nodata, err = readNodata(d); err != nil {
		return err
	}
	return h.readMetadata(d)
}
