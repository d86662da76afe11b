// What all kernels share: the arithmetic of the contract in package device, and how a
// warp adds up a row. A translation unit of its own is made of it twice: clang compiles
// it to PTX against clang.h, with no CUDA installed, and any C++ compiler against
// shim.h, to be run on a CPU. Both are told not to contract expressions, so that only
// fma32 fuses, and + - * / round by themselves, to nearest: that is add.rn, mul.rn and
// div.rn in PTX, subnormals included.
#pragma once

#if defined(__CUDA__)
#include "clang.h"
#else
#include "shim.h"
#endif

#define DEVICE static __device__ __forceinline__

// Lanes of a sum over a row, as device.Lanes: the threads of a warp.
#define LANES 32
#define ALL_LANES 0xffffffffu

// fma32 is a b + c, rounded once.
DEVICE float fma32(float a, float b, float c) { return __builtin_fmaf(a, b, c); }

// sqrt32 is the square root, rounded to nearest.
DEVICE float sqrt32(float x) { return __builtin_sqrtf(x); }

// load4 and store4 move four floats at an address that is a multiple of 16.
DEVICE float4 load4(const float *p) {
  REQUIRE_ALIGNED(p, 16);
  return *(const float4 *)p;
}
DEVICE void store4(float *p, float4 v) {
  REQUIRE_ALIGNED(p, 16);
  *(float4 *)p = v;
}

// The constants of package cpu (vector_constants.go), which also says what they are.
#define LOG2E 0x1.715476p+0f
#define LN2_HI 0x1.62e43p-1f
#define LN2_LO -0x1.05c61p-29f
#define EXP_LOW -104.0f
#define EXP_SCALE 0x1p-24f
#define EXP_ROUND (0x1.8p23f + 127.0f + 24.0f)
#define EXP_C2 0x1.fffffcp-2f
#define EXP_C3 0x1.55548cp-3f
#define EXP_C4 0x1.55585ap-5f
#define EXP_C5 0x1.123d7p-7f
#define EXP_C6 0x1.6ab89ep-10f
#define LOG_SPLIT 0x3f350000
#define LOG_C2 -0.5f
#define LOG_C3 0x1.555554p-2f
#define LOG_C4 -0x1.000234p-2f
#define LOG_C5 0x1.99a052p-3f
#define LOG_C6 -0x1.546e46p-3f
#define LOG_C7 0x1.22d04p-3f
#define LOG_C8 -0x1.0db024p-3f
#define LOG_C9 0x1.057412p-3f
#define LOG_C10 -0x1.37318cp-4f
#define GELU_LINEAR -0x1.988454p+0f
#define GELU_CUBIC -0x1.2444f2p-4f
#define GELU_SLOPE 0x1.988454p+0f
#define GELU_SLOPE3 0x1.b6676cp-3f
#define GELU_LOW -9.0f
#define GELU_HIGH 9.0f
#define LAYER_NORM_EPS 1e-5f
#define SUM_BLOCK 1024
#define INFINITE (__builtin_huge_valf())

// exp32 is e^x for x <= 71: exp of package cpu, step by step.
DEVICE float exp32(float x) {
  if (x < EXP_LOW) x = EXP_LOW;  // NaN is let through
  float shifted = fma32(x, LOG2E, EXP_ROUND);
  float n = shifted - EXP_ROUND;
  float r = fma32(n, -(LN2_LO), fma32(n, -(LN2_HI), x));
  float p = fma32(EXP_C6, r, EXP_C5);
  p = fma32(p, r, EXP_C4);
  p = fma32(p, r, EXP_C3);
  p = fma32(p, r, EXP_C2);
  p = fma32(p, r, 1.0f);
  p = fma32(p, r, 1.0f);
  float scale = __int_as_float((int)((unsigned)__float_as_int(shifted) << 23));
  return p * scale * EXP_SCALE;
}

// log32 is the natural logarithm of a positive normal x: log of package cpu.
DEVICE float log32(float x) {
  unsigned bits = (unsigned)__float_as_int(x);
  int e = (int)(bits - LOG_SPLIT) >> 23;
  float f = __int_as_float((int)(bits - ((unsigned)e << 23))) - 1.0f;
  float q = fma32(LOG_C10, f, LOG_C9);
  q = fma32(q, f, LOG_C8);
  q = fma32(q, f, LOG_C7);
  q = fma32(q, f, LOG_C6);
  q = fma32(q, f, LOG_C5);
  q = fma32(q, f, LOG_C4);
  q = fma32(q, f, LOG_C3);
  q = fma32(q, f, LOG_C2);
  float exponent = (float)e;
  float t = fma32(f * f, q, fma32(exponent, LN2_LO, f));
  return fma32(exponent, LN2_HI, t) + (x - x);  // the last term makes NaN stay NaN
}

// gelu_exp is exp(-u) of GELU for an argument within GELU_LOW and GELU_HIGH.
DEVICE float gelu_exp(float b) { return exp32(b * fma32(b * b, GELU_CUBIC, GELU_LINEAR)); }

// lane_of_warp is the thread's place in its warp; blocks of threads are one row of a
// multiple of 32.
DEVICE int lane_of_warp() { return (int)(threadIdx.x % LANES); }

// warp_of_grid and warps_of_grid count the warps of a grid of one row of blocks;
// thread_of_grid and threads_of_grid its threads.
DEVICE int warp_of_grid() { return (int)(blockIdx.x * (blockDim.x / LANES) + threadIdx.x / LANES); }
DEVICE int warps_of_grid() { return (int)(gridDim.x * (blockDim.x / LANES)); }
DEVICE int thread_of_grid() { return (int)(blockIdx.x * blockDim.x + threadIdx.x); }
DEVICE int threads_of_grid() { return (int)(gridDim.x * blockDim.x); }

// warp_sum adds up the lanes' values, and gives the sum to all lanes. All 32 lanes must
// call it. The contract folds lane l with l+16, then l+8, and so on, into lane 0. Here
// each lane adds its partner's value at each step: lane 0 does just that, and
// every other lane adds the same pairs, at most in the other order, which changes no
// bit, since a + b = b + a (of NaN, only the payload, which the contract leaves open).
DEVICE float warp_sum(float v) {
#pragma unroll
  for (int half = LANES / 2; half > 0; half /= 2) v = v + __shfl_xor_sync(ALL_LANES, v, half);
  return v;
}

// warp_max is the largest of the lanes' values, none of which may be NaN: a caller
// leaves NaN out by comparing as here, starting from minus infinity.
DEVICE float warp_max(float v) {
#pragma unroll
  for (int half = LANES / 2; half > 0; half /= 2) {
    float other = __shfl_xor_sync(ALL_LANES, v, half);
    if (other > v) v = other;
  }
  return v;
}
