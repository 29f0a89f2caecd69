package library

// Elsewhere are the names that Instead knows and no library has.
var Elsewhere = elsewhere
