// All kernels: the one translation unit.
#include "rows.cu"
#include "matmul.cu"
#include "attention.cu"
