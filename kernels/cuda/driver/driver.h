//go:build cuda

// weft_cu_open loads the driver and directs the trampolines to it. It returns 0; or below 0, with the loader's words in
// why; or what cuInit answered. missing is the first symbol without which nothing works that the driver lacks.
int weft_cu_open(char *why, int n, char *missing, int m);
