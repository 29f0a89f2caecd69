// Package simulate makes data that looks like an instrument's, so that pipelines run without any.
package simulate
