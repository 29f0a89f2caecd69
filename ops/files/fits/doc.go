// Package fits reads and writes FITS files: images and binary tables, as the FITS Standard, version 4.0, describes them.
//
// What keywords say is read by the library fitsio, and what is written of them is its. It is given headers alone: it takes whole files into memory
// and believes the sizes that they claim, so the data is read here, part by part, once their sizes are compared with that of the file.
package fits
