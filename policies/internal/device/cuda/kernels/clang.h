// What the kernels need of CUDA, for clang with no CUDA installed: keywords, the
// places of a thread, barriers and shuffles, from what the compiler itself has.
#pragma once

#define __global__ __attribute__((global))
#define __device__ __attribute__((device))
#define __shared__ __attribute__((shared))
#define __forceinline__ inline __attribute__((always_inline))
#define __launch_bounds__(threads) __attribute__((launch_bounds(threads)))

typedef __SIZE_TYPE__ size_t;

// Vectors of the compiler's own, so that each moves in one instruction.
typedef float float2 __attribute__((ext_vector_type(2), may_alias));
typedef float float4 __attribute__((ext_vector_type(4), may_alias));

#define REQUIRE_ALIGNED(pointer, bytes)

// A place reads special registers where its fields are used.
#define PLACE(name, sreg)                                                                    \
  struct name##_place {                                                                                \
    __declspec(property(get = get_x)) unsigned x;                                                      \
    __declspec(property(get = get_y)) unsigned y;                                                      \
    __declspec(property(get = get_z)) unsigned z;                                                      \
    static __device__ __forceinline__ unsigned get_x() { return __nvvm_read_ptx_sreg_##sreg##_x(); }   \
    static __device__ __forceinline__ unsigned get_y() { return __nvvm_read_ptx_sreg_##sreg##_y(); }   \
    static __device__ __forceinline__ unsigned get_z() { return __nvvm_read_ptx_sreg_##sreg##_z(); }   \
  };                                                                                                   \
  extern const __device__ name##_place name;
PLACE(threadIdx, tid)
PLACE(blockIdx, ctaid)
PLACE(blockDim, ntid)
PLACE(gridDim, nctaid)
#undef PLACE

static __device__ __forceinline__ int __float_as_int(float x) { return __builtin_bit_cast(int, x); }
static __device__ __forceinline__ float __int_as_float(int x) { return __builtin_bit_cast(float, x); }

static __device__ __forceinline__ void __syncwarp() { __nvvm_bar_warp_sync(0xffffffffu); }

// The last argument says that lanes are those of a whole warp.
static __device__ __forceinline__ int __shfl_sync(unsigned mask, int value, int lane) {
  return __nvvm_shfl_sync_idx_i32(mask, value, lane, 0x1f);
}
static __device__ __forceinline__ float __shfl_sync(unsigned mask, float value, int lane) {
  return __int_as_float(__nvvm_shfl_sync_idx_i32(mask, __float_as_int(value), lane, 0x1f));
}
static __device__ __forceinline__ int __shfl_xor_sync(unsigned mask, int value, int bits) {
  return __nvvm_shfl_sync_bfly_i32(mask, value, bits, 0x1f);
}
static __device__ __forceinline__ float __shfl_xor_sync(unsigned mask, float value, int bits) {
  return __int_as_float(__nvvm_shfl_sync_bfly_i32(mask, __float_as_int(value), bits, 0x1f));
}
