// What the kernels need of CUDA, as plain C++: the same .cu files compile against
// this header and run on the CPU, thread by thread. Each thread of a block is a fiber
// that runs until it comes to a barrier or a shuffle; there it waits for the others.
//
// What would go unseen on a card, or go wrong at times, is an error here: threads of
// a block at different barriers, threads that end before a barrier of the others,
// shuffles in a warp of less than 32 threads or with a mask that leaves lanes out,
// vectors at addresses that are not multiples of their size.
// Shared memory is full of NaNs when a block begins, and threads run in ascending order
// up to one barrier and in descending order up to the next, so that a missing barrier
// shows. Blocks run in an order that is drawn for each launch. Past the end of a shared
// array there are NaNs too, and to write there is an error (shared.h).
#pragma once

#include <stddef.h>
#include <stdint.h>

struct dim3 {
  unsigned x, y, z;
};

// A kernel by its name, with the number of its parameters. call runs one thread of it;
// params holds the addresses of the arguments, as cuLaunchKernel takes them.
struct ShimKernel {
  const char *name;
  int params;
  void (*call)(void **params);
};

extern const ShimKernel shim_kernels[];
extern const int shim_kernel_count;

// shim_launch runs all blocks of a grid, one after the other in any order, and returns NULL, or
// what is wrong as text that stays valid until the next call. A block has 1 to 1024 threads.
// Calls from several threads wait for each other.
const char *shim_launch(dim3 grid, dim3 block, void (*call)(void **), void **params);

// shim_seed_blocks says from which seed the orders of blocks are drawn from now on.
void shim_seed_blocks(uint64_t seed);

// The rest is for kernels.

#define __global__
#define __device__
#define __forceinline__ inline __attribute__((always_inline))
#define __launch_bounds__(threads)
// One block runs at a time, so that what is static belongs to the block. The section
// is how shim_launch finds it. A page of its own, and a gap before it, leave room around
// it; the gap of the file that is linked last is behind all of them.
#define SHIM_SHARED static __attribute__((section("shim_shared"), aligned(4096)))
#define SHIM_PASTE(name, number) name##number
#define SHIM_GAP(number) SHIM_SHARED __attribute__((used)) char SHIM_PASTE(shim_gap_, number)[4096];
#define __shared__ SHIM_GAP(__COUNTER__) SHIM_SHARED
SHIM_GAP(of_file)

struct float2 {
  float x, y;
} __attribute__((aligned(8), may_alias));
struct float4 {
  float x, y, z, w;
} __attribute__((aligned(16), may_alias));

// Of the thread that runs.
extern __attribute__((visibility("hidden"))) dim3 threadIdx, blockIdx, blockDim, gridDim;

// Barriers and shuffles say on which line they stand: where threads wait for each
// other, they must all wait on the same one.
__attribute__((visibility("hidden"))) void shim_sync_block(int line);
__attribute__((visibility("hidden"))) void shim_sync_warp(unsigned mask, int line);
// shim_shuffle gives each thread the bits that the thread of the lane that it names,
// modulo 32, has put in.
__attribute__((visibility("hidden"))) unsigned shim_shuffle(unsigned mask, unsigned bits, unsigned lane, int line);

static inline unsigned shim_lane() { return (threadIdx.x + blockDim.x * (threadIdx.y + blockDim.y * threadIdx.z)) % 32; }

template <typename T> static inline T shim_shuffle_value(unsigned mask, T value, unsigned lane, int line) {
  static_assert(sizeof(T) == 4, "a shuffle moves 4 bytes");
  unsigned bits;
  __builtin_memcpy(&bits, &value, 4);
  bits = shim_shuffle(mask, bits, lane, line);
  __builtin_memcpy(&value, &bits, 4);
  return value;
}

#define __syncthreads() shim_sync_block(__LINE__)
#define __syncwarp() shim_sync_warp(~0u, __LINE__)
#define __shfl_sync(mask, value, lane) shim_shuffle_value(mask, value, lane, __LINE__)
#define __shfl_xor_sync(mask, value, bits) shim_shuffle_value(mask, value, shim_lane() ^ (bits), __LINE__)

// A card takes no vector from an address that is not a multiple of its size.
__attribute__((visibility("hidden"))) void shim_misaligned(const void *pointer, int bytes, int line);
#define REQUIRE_ALIGNED(pointer, bytes)                                                    \
  do {                                                                                     \
    if ((size_t)(pointer) % (bytes) != 0) shim_misaligned((pointer), (bytes), __LINE__);   \
  } while (0)

// Bits of a float, and back.
static inline int __float_as_int(float x) {
  int bits;
  __builtin_memcpy(&bits, &x, 4);
  return bits;
}
static inline float __int_as_float(int bits) {
  float x;
  __builtin_memcpy(&x, &bits, 4);
  return x;
}
