// The driver of driver.cc, which also tells a test of each launch: what is started and what
// lies in memory, before the kernel runs and after.
#include "shim.h"

static const char *told_launch(dim3 grid, dim3 block, size_t shared_bytes, void (*call)(void **), void **params);
#define shim_launch told_launch
#include "driver.cc"
#undef shim_launch

struct ToldBlock {
  unsigned char *data;
  uint64_t size;
};

// params holds the 8 bytes that the caller keeps for each parameter.
struct Told {
  const char *kernel;
  int32_t grid[3], block[3];
  uint64_t param_count;
  const uint64_t *params;
  uint64_t block_count;
  const ToldBlock *blocks;
};

// before says whether it wants to hear what has come of the launch.
static intptr_t (*before)(const Told *);
static void (*after)();

// For tests: shim_tell sets the functions that are told.
API void shim_tell(intptr_t (*to_before)(const Told *), void (*to_after)()) {
  std::lock_guard<std::mutex> held(lock);
  before = to_before, after = to_after;
}

static const char *told_launch(dim3 grid, dim3 block, size_t shared_bytes, void (*call)(void **), void **params) {
  if (!before) return shim_launch(grid, block, shared_bytes, call, params);
  const ShimKernel *kernel = shim_kernels;
  while (kernel->call != call) kernel++;
  std::vector<ToldBlock> blocks;
  for (auto &entry : current->blocks) blocks.push_back({entry.second.data, entry.second.size});
  std::vector<uint64_t> values;
  for (int i = 0; i < kernel->params; i++) values.push_back(*(const uint64_t *)params[i]);
  const Told told = {kernel->name,
                     {(int)grid.x, (int)grid.y, (int)grid.z},
                     {(int)block.x, (int)block.y, (int)block.z},
                     values.size(),
                     values.data(),
                     blocks.size(),
                     blocks.data()};
  const bool wanted = before(&told);
  const char *wrong = shim_launch(grid, block, shared_bytes, call, params);
  if (wanted && !wrong) after();
  return wrong;
}
