// What the C++ that package ptxcc writes is made of. Registers are unsigned ints, floats or
// bools; operations that only move bits take an int's for a float's.
#include "shim.h"

#include <math.h>
#include <stdint.h>
#include <utility>

static inline float as_float(float x) { return x; }
static inline float as_float(uint32_t bits) {
  float x;
  __builtin_memcpy(&x, &bits, 4);
  return x;
}
static inline uint32_t as_bits(uint32_t bits) { return bits; }
static inline uint32_t as_bits(float x) {
  uint32_t bits;
  __builtin_memcpy(&bits, &x, 4);
  return bits;
}

static inline void set(float &to, float x) { to = x; }
static inline void set(float &to, uint32_t bits) { to = as_float(bits); }
static inline void set(uint32_t &to, float x) { to = as_bits(x); }
static inline void set(bool &to, bool x) { to = x; }
template <typename D, typename T> static inline void set(D &to, T x) { to = (D)x; }

// load and store move a value at an address, of whatever type it is there.
template <typename T> static inline T load(uint64_t at) {
  T x;
  __builtin_memcpy(&x, (const void *)at, sizeof x);
  return x;
}
template <typename T> static inline void store(uint64_t at, T x) { __builtin_memcpy((void *)at, &x, sizeof x); }

static inline float negated(float x) { return as_float(as_bits(x) ^ 0x80000000u); }
static inline float absolute(float x) { return as_float(as_bits(x) & 0x7fffffffu); }

// Shifts by the width or more leave nothing, or the sign.
template <typename T> static inline T shl(T x, uint32_t by) { return by < 8 * sizeof x ? x << by : 0; }
template <typename T> static inline T shr(T x, uint32_t by) { return by < 8 * sizeof x ? x >> by : x < 0 ? -1 : 0; }

// bits gives so many bits of x from one on, the highest of them being the sign of a signed T.
template <typename T> static inline T bits(T x, uint32_t from, uint32_t count) {
  const uint32_t width = 8 * sizeof x;
  from &= 255, count &= 255;
  if (count == 0) return 0;
  if (from >= width) return x < 0 ? -1 : 0;
  if (count > width - from) return x >> from;
  return (T)(x << (width - from - count)) >> (width - count);
}

// A Kernel takes the types of a kernel's parameters from the function, and calls it.
template <auto function> struct Kernel;
template <typename... P, void (*function)(P...)> struct Kernel<function> {
  static constexpr int params = sizeof...(P);
  static void call(void **values) { call(values, std::index_sequence_for<P...>{}); }
  template <size_t... i> static void call(void **values, std::index_sequence<i...>) {
    function(*static_cast<P *>(values[i])...);
  }
};
#define KERNEL(name) {#name, Kernel<name>::params, Kernel<name>::call}
