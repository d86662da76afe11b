// Kernels that go wrong in the ways that shim_launch is to notice, and some that do
// not: a program of its own for the shim's test. It prints a line per launch: the name,
// a colon, and what was wrong.
#include "shim.h"

#include <stdio.h>

static float out[4096];

static unsigned thread() { return threadIdx.x + blockDim.x * (threadIdx.y + blockDim.y * threadIdx.z); }

// Each thread reads what its neighbour wrote, round after round.
static void neighbours(void **) {
  __shared__ float shared[1024];
  const unsigned t = thread(), n = blockDim.x * blockDim.y * blockDim.z;
  float v = (float)t;
  for (int round = 0; round < 3; round++) {
    shared[t] = v;
    __syncthreads();
    v = shared[(t + 1) % n] + 1;
    __syncthreads();
  }
  out[t] = v;
}

// A warp's sum to all lanes, and then the value of lane 5 of each warp.
static void shuffles(void **) {
  float v = (float)thread();
  for (int bits = 16; bits > 0; bits /= 2) v += __shfl_xor_sync(~0u, v, bits);
  __syncwarp();
  const int five = __shfl_sync(~0u, (int)thread(), 5);
  out[thread()] = v + (float)(1000 * five);
}

static void unset(void **) {
  __shared__ float shared[32];
  out[thread()] = shared[thread()];
}

static void ends_before_block(void **) {
  if (thread() == 40) return;
  __syncthreads();
}
static void ends_before_warp(void **) {
  if (thread() == 7) return;
  __syncwarp();
}
static void two_barriers(void **) {
  if (thread() < 3) {
    __syncthreads();
  } else {
    __syncthreads();
  }
}
static void two_shuffles(void **) {
  if (thread() < 3) {
    out[0] = __shfl_sync(~0u, 1.0f, 0);
  } else {
    out[0] = __shfl_sync(~0u, 1.0f, 0);
  }
}
static void block_and_warp(void **) {
  if (thread() < 3) {
    __syncthreads();
  } else {
    __syncwarp();
  }
}
static void mask(void **) { out[0] = __shfl_sync(0xffffu, 1.0f, 0); }
static void misaligned(void **) { REQUIRE_ALIGNED(out + 1 + (size_t)out % 16 / 4, 16); }

// Indices that the compiler cannot foresee.
static volatile int past_end = 32, before_start = -1;

// Two arrays side by side, as a card lays them: what is past the end of one is in the other.
static void reads_past_end(void **) {
  __shared__ float first[32], second[32];
  first[thread()] = second[thread()] = 1;
  __syncthreads();
  out[thread()] = thread() % 2 ? first[past_end] : second[past_end];
}
static void writes_past_end(void **) {
  __shared__ float room[32];
  room[thread() == 31 ? past_end : (int)thread()] = 1;
  out[thread()] = room[thread()];
}
static void writes_before_start(void **) {
  __shared__ float room[32];
  room[thread() == 0 ? before_start : (int)thread()] = 1;
  out[thread()] = room[thread()];
}
// A whole page, behind which there is room too.
static void writes_past_page(void **) {
  __shared__ float page[1024];
  page[32 * past_end + thread()] = 1;
  out[thread()] = page[thread()];
}

// Each block goes on from what the one before it left, as if they ran in their order.
static void after_each_other(void **) { out[blockIdx.x] = blockIdx.x == 0 ? 0 : out[blockIdx.x - 1] + 1; }

static void run(const char *name, dim3 grid, dim3 block, void (*kernel)(void **)) {
  for (float &x : out) x = -1;
  const char *wrong = shim_launch(grid, block, kernel, nullptr);
  printf("%s: %s\n", name, wrong ? wrong : "");
}

// expect prints what differs from what out is to hold.
template <typename F> static void expect(unsigned n, F value) {
  for (unsigned t = 0; t < n; t++)
    if (out[t] != value(t)) {
      printf("thread %u has %g, want %g\n", t, out[t], (double)value(t));
      return;
    }
}

int main() {
  const dim3 one = {1, 1, 1};
  run("neighbours", one, {7, 5, 3}, neighbours);
  expect(105, [](unsigned t) { return (float)((t + 3) % 105 + 3); });
  run("neighbours of 1024 in 2 blocks", {1, 2, 1}, {1024, 1, 1}, neighbours);
  expect(1024, [](unsigned t) { return (float)((t + 3) % 1024 + 3); });
  run("shuffles", {2, 1, 2}, {16, 6, 1}, shuffles);
  expect(96, [](unsigned t) { return (float)(16 * 31 + 32 * (t / 32) * 32 + 1000 * (t / 32 * 32 + 5)); });

  run("unset", one, {32, 1, 1}, unset);
  printf("shared memory that nobody wrote is %s\n", out[3] != out[3] ? "NaN" : "a number");

  run("ends before a block's barrier", one, {64, 1, 1}, ends_before_block);
  run("ends before a warp's barrier", one, {64, 1, 1}, ends_before_warp);
  run("two barriers", one, {64, 1, 1}, two_barriers);
  run("two shuffles", one, {64, 1, 1}, two_shuffles);
  run("block and warp", one, {64, 1, 1}, block_and_warp);
  run("a mask that leaves lanes out", one, {32, 1, 1}, mask);
  run("a shuffle in half a warp", one, {48, 1, 1}, shuffles);
  run("a misaligned vector", one, {1, 1, 1}, misaligned);
  run("reads past the end", one, {32, 1, 1}, reads_past_end);
  printf("what is there is %s\n", out[2] != out[2] && out[3] != out[3] ? "NaN" : "a number");
  run("writes past the end", one, {32, 1, 1}, writes_past_end);
  run("writes before the start", one, {32, 1, 1}, writes_before_start);
  run("writes past the end of a page", one, {32, 1, 1}, writes_past_page);
  run("blocks after each other", {64, 1, 1}, {1, 1, 1}, after_each_other);
  expect(64, [](unsigned b) { return (float)b; });
  run("neighbours after all that", one, {7, 5, 3}, neighbours);
  expect(105, [](unsigned t) { return (float)((t + 3) % 105 + 3); });
}
