package tiff

import "fmt"

// tag names a field of an image file directory.
type tag uint16

const (
	tagNewSubfileType  tag = 254
	tagSubfileType     tag = 255
	tagWidth           tag = 256
	tagHeight          tag = 257
	tagBitsPerSample   tag = 258
	tagCompression     tag = 259
	tagPhotometric     tag = 262
	tagFillOrder       tag = 266
	tagDescription     tag = 270
	tagStripOffsets    tag = 273
	tagOrientation     tag = 274
	tagSamplesPerPixel tag = 277
	tagRowsPerStrip    tag = 278
	tagStripByteCounts tag = 279
	tagPlanarConfig    tag = 284
	tagSoftware        tag = 305
	tagPredictor       tag = 317
	tagTileWidth       tag = 322
	tagTileHeight      tag = 323
	tagTileOffsets     tag = 324
	tagTileByteCounts  tag = 325
	tagExtraSamples    tag = 338
	tagSampleFormat    tag = 339
	tagPixelScale      tag = 33550
	tagTiepoint        tag = 33922
	tagTransformation  tag = 34264
	tagGeoKeys         tag = 34735
	tagGeoDoubles      tag = 34736
	tagGeoASCII        tag = 34737
	tagMetadata        tag = 42112
	tagNodata          tag = 42113
)

var tagNames = map[tag]string{
	tagNewSubfileType: "NewSubfileType", tagSubfileType: "SubfileType", tagWidth: "ImageWidth", tagHeight: "ImageLength",
	tagBitsPerSample: "BitsPerSample", tagCompression: "Compression", tagPhotometric: "PhotometricInterpretation",
	tagFillOrder: "FillOrder", tagDescription: "ImageDescription", tagStripOffsets: "StripOffsets",
	tagOrientation: "Orientation", tagSamplesPerPixel: "SamplesPerPixel", tagRowsPerStrip: "RowsPerStrip",
	tagStripByteCounts: "StripByteCounts", tagPlanarConfig: "PlanarConfiguration", tagSoftware: "Software",
	tagPredictor: "Predictor", tagTileWidth: "TileWidth", tagTileHeight: "TileLength", tagTileOffsets: "TileOffsets",
	tagTileByteCounts: "TileByteCounts", tagExtraSamples: "ExtraSamples", tagSampleFormat: "SampleFormat", tagPixelScale: "ModelPixelScale",
	tagTiepoint: "ModelTiepoint", tagTransformation: "ModelTransformation", tagGeoKeys: "GeoKeyDirectory",
	tagGeoDoubles: "GeoDoubleParams", tagGeoASCII: "GeoAsciiParams", tagMetadata: "GDAL_METADATA", tagNodata: "GDAL_NODATA",
}

// String gives the name in the standard and the number.
func (t tag) String() string {
	if name, ok := tagNames[t]; ok {
		return fmt.Sprintf("%s (tag %d)", name, uint16(t))
	}
	return fmt.Sprintf("tag %d", uint16(t))
}

// fieldType is how the values of a field are stored.
type fieldType uint16

const (
	typeByte   fieldType = 1
	typeASCII  fieldType = 2
	typeShort  fieldType = 3
	typeLong   fieldType = 4
	typeDouble fieldType = 12
	typeLong8  fieldType = 16
)

// fieldTypes gives the bytes of one value, the bytes that are swapped together between byte orders, and whether the
// value is an unsigned integer.
var fieldTypes = map[fieldType]struct {
	size, word int
	unsigned   bool
}{
	typeByte:   {1, 1, true},
	typeASCII:  {1, 1, false},
	typeShort:  {2, 2, true},
	typeLong:   {4, 4, true},
	5:          {8, 4, false}, // RATIONAL
	6:          {1, 1, false}, // SBYTE
	7:          {1, 1, false}, // UNDEFINED
	8:          {2, 2, false}, // SSHORT
	9:          {4, 4, false}, // SLONG
	10:         {8, 4, false}, // SRATIONAL
	11:         {4, 4, false}, // FLOAT
	typeDouble: {8, 8, false},
	13:         {4, 4, true}, // IFD
	typeLong8:  {8, 8, true},
	17:         {8, 8, false}, // SLONG8
	18:         {8, 8, true},  // IFD8
}
