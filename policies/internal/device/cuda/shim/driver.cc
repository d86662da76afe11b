// A stand-in for the library of the CUDA driver: the functions of the driver API that
// package cuda calls, over memory of the host, running the kernels of table.cc.
//
// It is stricter than a driver, so that what a card may forgive fails here:
//
//   - Launches and copies wait in their stream, and are done at some time until something
//     waits for it, in any order with those of other streams (streams.h). Who changes
//     memory of the host too early, or reads it, gets wrong values.
//   - Memory is full of NaNs (huge as ints) until it is written.
//   - Around each block lie guards; a kernel that has changed them, or memory that was
//     freed, is an illegal address, and the text of the error says where.
//   - A kernel whose module was unloaded before it ran is an illegal address.
//   - A call from a thread without a current context fails, as does a launch whose
//     array of arguments does not end with a null where the kernel's parameters do.
//
// After a fault all calls fail alike until the process ends (shim_reset, for tests), as on a
// card: CUDA's documentation has it that the process must be started again.
#include "shim.h"

#include "streams.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <deque>
#include <functional>
#include <map>
#include <mutex>
#include <set>
#include <string>
#include <vector>

#define API extern "C" __attribute__((visibility("default")))

namespace {

enum {
  SUCCESS = 0,
  INVALID_VALUE = 1,
  OUT_OF_MEMORY = 2,
  NOT_INITIALIZED = 3,
  NO_DEVICE = 100,
  INVALID_DEVICE = 101,
  INVALID_CONTEXT = 201,
  INVALID_PTX = 218,
  INVALID_HANDLE = 400,
  NOT_FOUND = 500,
  ILLEGAL_ADDRESS = 700,
  CONTEXT_ACTIVE = 708,
  LAUNCH_FAILED = 719,
};

const struct {
  int code;
  const char *name, *text;
} results[] = {
    {SUCCESS, "CUDA_SUCCESS", "no error"},
    {INVALID_VALUE, "CUDA_ERROR_INVALID_VALUE", "invalid argument"},
    {OUT_OF_MEMORY, "CUDA_ERROR_OUT_OF_MEMORY", "out of memory"},
    {NOT_INITIALIZED, "CUDA_ERROR_NOT_INITIALIZED", "initialization error"},
    {NO_DEVICE, "CUDA_ERROR_NO_DEVICE", "no CUDA-capable device is detected"},
    {INVALID_DEVICE, "CUDA_ERROR_INVALID_DEVICE", "invalid device ordinal"},
    {INVALID_CONTEXT, "CUDA_ERROR_INVALID_CONTEXT", "invalid device context"},
    {INVALID_PTX, "CUDA_ERROR_INVALID_PTX", "a PTX JIT compilation failed"},
    {INVALID_HANDLE, "CUDA_ERROR_INVALID_HANDLE", "invalid resource handle"},
    {NOT_FOUND, "CUDA_ERROR_NOT_FOUND", "named symbol not found"},
    {ILLEGAL_ADDRESS, "CUDA_ERROR_ILLEGAL_ADDRESS", "an illegal memory access was encountered"},
    {CONTEXT_ACTIVE, "CUDA_ERROR_PRIMARY_CONTEXT_ACTIVE", "primary context for the specified device has already been initialized"},
    {LAUNCH_FAILED, "CUDA_ERROR_LAUNCH_FAILED", "unspecified launch failure"},
};

const size_t GUARD = 8192, ALIGNMENT = 256;
const size_t MOST_FREED = 2 << 20; // bytes of freed blocks that are watched
const uint32_t UNWRITTEN = 0x7fbadbad;

struct Block {
  unsigned char *data;
  size_t size;
  unsigned char *start() const { return data - GUARD; }
  size_t room() const { return (size + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT + 2 * GUARD; }
};

// A Function is a kernel of a module. Of both only the addresses are used, which are given
// once: who uses one that was given back is found out.
struct Function {
  const ShimKernel *kernel;
  const void *module;
};

struct Card {
  int ordinal = 0;
  int retained = 0;
  unsigned flags = 0; // of the context
  std::map<unsigned char *, Block> blocks;
  std::map<unsigned char *, size_t> host;
  std::deque<Block> freed;
  size_t used = 0, watched = 0;
  Streams streams;
  std::set<const void *> modules;
  std::map<const void *, Function> functions;
  int fault = SUCCESS;
  std::string why;
};

struct Failure {
  int after, code;
};

std::mutex lock; // of all that follows
std::map<std::string, long long> settings;
std::map<std::string, Failure> failures;
std::map<std::string, long long> calls;
Card cards[8];
bool initialized = false;
std::string text; // of the last error's text

thread_local Card *current = nullptr;

long long setting(const char *name) {
  auto known = settings.find(name);
  if (known != settings.end()) return known->second;
  static const std::map<std::string, long long> usual = {
      {"version", 12040}, {"devices", 1}, {"major", 9}, {"minor", 0}, {"total", 1ll << 30}, {"execute", 1},
  };
  return usual.at(name);
}

void unwritten(unsigned char *p, size_t bytes) {
  for (size_t i = 0; i < bytes; i += 4) memcpy(p + i, &UNWRITTEN, 4);
}

// first_written is the first of the bytes that is not as unwritten leaves it; p may lie
// anywhere.
unsigned char *first_written(unsigned char *p, size_t bytes) {
  static unsigned char whole[GUARD + 4];
  if (!whole[0]) unwritten(whole, sizeof whole);
  while (bytes > 0) {
    size_t n = bytes < GUARD ? bytes : GUARD;
    const unsigned char *want = whole + (uintptr_t)p % 4;
    if (memcmp(p, want, n) != 0) {
      while (*p == *want) p++, want++;
      return p;
    }
    p += n;
    bytes -= n;
  }
  return nullptr;
}

void fault(Card &card, int code, const std::string &why) {
  if (card.fault != SUCCESS) return;
  card.fault = code;
  card.why = why;
}

void check_guards(Card &card, const std::string &by) {
  for (auto &entry : card.blocks) {
    const Block &b = entry.second;
    const char *where = "past the end";
    unsigned char *end = b.data + b.size;
    unsigned char *at = first_written(end, b.start() + b.room() - end);
    // In words: of a NaN some bytes may be what they were.
    size_t away = at ? (at - end) / 4 * 4 : 0;
    if (!at && (at = first_written(b.start(), GUARD))) where = "before the start", away = (b.data - at + 3) / 4 * 4;
    if (at)
      return fault(card, ILLEGAL_ADDRESS,
                   by + " wrote " + std::to_string(away) + " bytes " + where + " of a block of " + std::to_string(b.size) + " bytes");
  }
}

void check_freed(Card &card) {
  for (const Block &b : card.freed)
    if (first_written(b.start(), b.room()))
      return fault(card, ILLEGAL_ADDRESS, "a block of " + std::to_string(b.size) + " bytes was written after it was freed");
}

void *new_handle() {
  static uintptr_t last = 0;
  return (void *)(last += 16);
}

void run_all(Card &card) {
  card.streams.finish_all();
  check_guards(card, "something");
  check_freed(card);
}

int enqueue(Card &card, void *stream, std::function<void()> operation) {
  if (!card.streams.has(stream)) return INVALID_HANDLE;
  Card *on = &card;
  card.streams.add((Stream *)stream, [=] {
    if (on->fault == SUCCESS) operation();
  });
  return SUCCESS;
}

bool within(Card &card, unsigned char *p, size_t bytes) {
  auto after = card.blocks.upper_bound(p);
  if (after == card.blocks.begin()) return false;
  const Block &b = std::prev(after)->second;
  size_t from = p - b.data;
  return from <= b.size && bytes <= b.size - from;
}

bool within_host(Card &card, unsigned char *p, size_t bytes) {
  auto after = card.host.upper_bound(p);
  if (after == card.host.begin()) return false;
  auto b = std::prev(after);
  size_t from = p - b->first;
  return from <= b->second && bytes <= b->second - from;
}

void drop(Card &card, bool all) {
  while (!card.freed.empty() && (all || card.watched > MOST_FREED)) {
    card.watched -= card.freed.front().room();
    free(card.freed.front().start());
    card.freed.pop_front();
  }
}

void release(Card &card) {
  for (auto &entry : card.blocks) free(entry.second.start());
  card.blocks.clear();
  for (auto &entry : card.host) free(entry.first);
  card.host.clear();
  drop(card, true);
  card.streams.clear();
  card.modules.clear();
  card.functions.clear();
  card.used = 0;
}

// planned counts a call and says whether it was to fail.
int planned(const char *function) {
  calls[function]++;
  auto f = failures.find(function);
  if (f == failures.end() || f->second.after-- > 0) return SUCCESS;
  int code = f->second.code;
  failures.erase(f);
  return code;
}

// What each function begins with; ON_CARD, those that need a context without a fault.
#define ENTER                                                                                                          \
  std::lock_guard<std::mutex> held(lock);                                                                              \
  if (int code = planned(__func__)) return code
#define INITIALIZED                                                                                                    \
  ENTER;                                                                                                               \
  if (!initialized) return NOT_INITIALIZED
#define ON_CARD                                                                                                        \
  INITIALIZED;                                                                                                         \
  if (!current || !current->retained) return INVALID_CONTEXT;                                                          \
  Card &card = *current;                                                                                               \
  if (card.fault != SUCCESS) return card.fault

void seed(uint64_t value) {
  for (Card &card : cards) card.streams.seed(value);
  shim_seed_blocks(value);
}

bool is_device(int device) { return device >= 0 && device < setting("devices"); }

} // namespace

// For tests: shim_set changes what the driver says ("version", "devices", "major",
// "minor", "total" memory in bytes) or does ("execute": whether kernels run; "seed": from
// which the order of streams and blocks is drawn);
// shim_fail has one call of a function fail, after so many others of it; shim_reset
// takes both back, and faults; shim_count gives the calls of a function since then, the launches of
// a kernel by its name, or what is in use:
// "blocks", "bytes", "host", "contexts", "streams", "modules".
API void shim_set(const char *name, int64_t value) {
  std::lock_guard<std::mutex> held(lock);
  settings[name] = value;
  if (strcmp(name, "seed") == 0) seed(value);
}

API void shim_fail(const char *function, int after, int code) {
  std::lock_guard<std::mutex> held(lock);
  failures[function] = {after, code};
}

API void shim_reset() {
  std::lock_guard<std::mutex> held(lock);
  settings.clear();
  seed(1);
  failures.clear();
  calls.clear();
  for (Card &card : cards) {
    card.fault = SUCCESS;
    card.why.clear();
    card.flags = 0;
  }
}

API int64_t shim_count(const char *name) {
  std::lock_guard<std::mutex> held(lock);
  std::string what = name;
  int64_t sum = 0;
  for (Card &card : cards) {
    if (what == "blocks") sum += card.blocks.size();
    if (what == "bytes") sum += card.used;
    if (what == "host") sum += card.host.size();
    if (what == "contexts") sum += card.retained;
    if (what == "flags") sum += card.flags;
    if (what == "streams") sum += card.streams.size();
    if (what == "modules") sum += card.modules.size();
  }
  return calls.count(what) ? calls[what] : sum;
}

API int cuDriverGetVersion(int *version) {
  ENTER;
  *version = setting("version");
  return SUCCESS;
}

API int cuInit(unsigned flags) {
  ENTER;
  if (flags != 0) return INVALID_VALUE;
  if (setting("devices") == 0) return NO_DEVICE;
  initialized = true;
  return SUCCESS;
}

API int cuGetErrorName(int code, const char **name) {
  std::lock_guard<std::mutex> held(lock);
  *name = nullptr;
  for (auto &r : results)
    if (r.code == code) *name = r.name;
  return *name ? SUCCESS : INVALID_VALUE;
}

API int cuGetErrorString(int code, const char **out) {
  std::lock_guard<std::mutex> held(lock);
  *out = nullptr;
  for (auto &r : results) {
    if (r.code != code) continue;
    text = r.text;
    if (current && current->fault == code) text += ": " + current->why;
    *out = text.c_str();
  }
  return *out ? SUCCESS : INVALID_VALUE;
}

API int cuDeviceGetCount(int *count) {
  INITIALIZED;
  *count = setting("devices");
  return SUCCESS;
}

// Devices are one more than their ordinals, so that who mixes them up sees it.
API int cuDeviceGet(int *device, int ordinal) {
  INITIALIZED;
  if (!is_device(ordinal)) return INVALID_DEVICE;
  *device = ordinal + 1;
  return SUCCESS;
}

API int cuDeviceGetName(char *name, int length, int device) {
  INITIALIZED;
  if (!is_device(device - 1)) return INVALID_DEVICE;
  std::string all = "NVIDIA Shim " + std::to_string(device - 1);
  strncpy(name, all.c_str(), length);
  return SUCCESS;
}

API int cuDeviceGetAttribute(int *value, int attribute, int device) {
  INITIALIZED;
  if (!is_device(device - 1)) return INVALID_DEVICE;
  switch (attribute) {
  case 16: *value = 4; break;
  case 75: *value = setting("major"); break;
  case 76: *value = setting("minor"); break;
  default: return INVALID_VALUE;
  }
  return SUCCESS;
}

API int cuDeviceTotalMem_v2(size_t *bytes, int device) {
  INITIALIZED;
  if (!is_device(device - 1)) return INVALID_DEVICE;
  *bytes = setting("total");
  return SUCCESS;
}

// As before CUDA 11: of a context that is there, flags stay as they are.
API int cuDevicePrimaryCtxSetFlags_v2(int device, unsigned flags) {
  INITIALIZED;
  if (!is_device(device - 1) || device > 8) return INVALID_DEVICE;
  Card &card = cards[device - 1];
  if (card.fault != SUCCESS) return card.fault;
  if (card.retained) return CONTEXT_ACTIVE;
  card.flags = flags;
  return SUCCESS;
}

API int cuDevicePrimaryCtxRetain(void **context, int device) {
  INITIALIZED;
  if (!is_device(device - 1) || device > 8) return INVALID_DEVICE;
  Card &card = cards[device - 1];
  if (card.fault != SUCCESS) return card.fault;
  card.ordinal = device - 1;
  card.retained++;
  *context = &card;
  return SUCCESS;
}

API int cuDevicePrimaryCtxRelease_v2(int device) {
  INITIALIZED;
  if (device < 1 || device > 8 || !cards[device - 1].retained) return INVALID_CONTEXT;
  Card &card = cards[device - 1];
  if (--card.retained == 0) release(card);
  return SUCCESS;
}

API int cuCtxSetCurrent(void *context) {
  INITIALIZED;
  if (context && !((Card *)context)->retained) return INVALID_CONTEXT;
  current = (Card *)context;
  return SUCCESS;
}

API int cuModuleLoadDataEx(void **module, const void *image, unsigned count, const int *options, void **values) {
  std::lock_guard<std::mutex> held(lock);
  if (!initialized) return NOT_INITIALIZED;
  if (!current || !current->retained) return INVALID_CONTEXT;
  int code = planned(__func__);
  if (code == SUCCESS && !strstr((const char *)image, ".version ")) code = INVALID_PTX;
  if (code == INVALID_PTX) {
    char *log = nullptr;
    size_t room = 0;
    for (unsigned i = 0; i < count; i++) {
      if (options[i] == 5) log = (char *)values[i];
      if (options[i] == 6) room = (uintptr_t)values[i];
    }
    if (log && room) {
      strncpy(log, "\nptxas application ptx input, line 1; fatal : Missing .version directive\nptxas fatal : Ptx assembly aborted\n", room);
      log[room - 1] = 0;
    }
  }
  if (code != SUCCESS) return code;
  *module = new_handle();
  current->modules.insert(*module);
  return SUCCESS;
}

API int cuModuleUnload(void *module) {
  ON_CARD;
  if (!card.modules.erase(module)) return INVALID_HANDLE;
  for (auto f = card.functions.begin(); f != card.functions.end();) f = f->second.module == module ? card.functions.erase(f) : std::next(f);
  return SUCCESS;
}

API int cuModuleGetFunction(const void **function, void *module, const char *name) {
  ON_CARD;
  if (!card.modules.count(module)) return INVALID_HANDLE;
  for (int i = 0; i < shim_kernel_count; i++)
    if (strcmp(shim_kernels[i].name, name) == 0) {
      *function = new_handle();
      card.functions[*function] = {&shim_kernels[i], module};
      return SUCCESS;
    }
  return NOT_FOUND;
}

API int cuMemAlloc_v2(unsigned char **p, size_t bytes) {
  ON_CARD;
  if (bytes == 0) return INVALID_VALUE;
  size_t total = setting("total");
  if (bytes > total || card.used > total - bytes) return OUT_OF_MEMORY;
  Block b = {nullptr, bytes};
  unsigned char *start = (unsigned char *)aligned_alloc(ALIGNMENT, b.room());
  if (!start) return OUT_OF_MEMORY;
  unwritten(start, b.room());
  b.data = start + GUARD;
  card.blocks[b.data] = b;
  card.used += bytes;
  *p = b.data;
  return SUCCESS;
}

API int cuMemFree_v2(unsigned char *p) {
  ON_CARD;
  auto at = card.blocks.find(p);
  if (at == card.blocks.end()) return INVALID_VALUE;
  run_all(card);
  if (card.fault != SUCCESS) return card.fault;
  Block b = at->second;
  card.blocks.erase(at);
  card.used -= b.size;
  unwritten(b.start(), b.room());
  card.freed.push_back(b);
  card.watched += b.room();
  drop(card, false);
  return SUCCESS;
}

API int cuMemGetInfo_v2(size_t *free, size_t *total) {
  ON_CARD;
  *total = setting("total");
  *free = *total - card.used;
  return SUCCESS;
}

API int cuMemAllocHost_v2(unsigned char **p, size_t bytes) {
  ON_CARD;
  *p = (unsigned char *)malloc(bytes);
  if (!*p) return OUT_OF_MEMORY;
  card.host[*p] = bytes;
  return SUCCESS;
}

API int cuMemFreeHost(unsigned char *p) {
  ON_CARD;
  if (!card.host.count(p)) return INVALID_VALUE;
  run_all(card);
  card.host.erase(p);
  free(p);
  return card.fault;
}

API int cuMemcpyHtoDAsync_v2(unsigned char *to, unsigned char *from, size_t bytes, void *stream) {
  ON_CARD;
  if (!within(card, to, bytes)) return INVALID_VALUE;
  if (within_host(card, from, bytes)) return enqueue(card, stream, [=] { memcpy(to, from, bytes); });
  std::vector<unsigned char> copy(from, from + bytes);
  return enqueue(card, stream, [=] { memcpy(to, copy.data(), bytes); });
}

API int cuMemcpyDtoHAsync_v2(unsigned char *to, unsigned char *from, size_t bytes, void *stream) {
  ON_CARD;
  if (!within(card, from, bytes)) return INVALID_VALUE;
  if (!card.streams.has(stream)) return INVALID_HANDLE;
  // Whoever reads it too early gets no number. Of memory that a card reads by itself a copy
  // to the card may still be waiting, and it is left alone.
  if (!within_host(card, to, bytes)) unwritten(to, bytes / 4 * 4);
  return enqueue(card, stream, [=] { memcpy(to, from, bytes); });
}

API int cuMemcpyDtoDAsync_v2(unsigned char *to, unsigned char *from, size_t bytes, void *stream) {
  ON_CARD;
  if (!within(card, from, bytes) || !within(card, to, bytes)) return INVALID_VALUE;
  return enqueue(card, stream, [=] { memcpy(to, from, bytes); });
}

API int cuMemsetD8Async(unsigned char *to, unsigned char value, size_t bytes, void *stream) {
  ON_CARD;
  if (!within(card, to, bytes)) return INVALID_VALUE;
  return enqueue(card, stream, [=] { memset(to, value, bytes); });
}

API int cuStreamCreate(void **stream, unsigned flags) {
  ON_CARD;
  if (flags > 1) return INVALID_VALUE;
  *stream = card.streams.create();
  return SUCCESS;
}

API int cuStreamSynchronize(void *stream) {
  ON_CARD;
  if (!card.streams.has(stream)) return INVALID_HANDLE;
  card.streams.finish((Stream *)stream);
  check_guards(card, "something");
  check_freed(card);
  return card.fault;
}

API int cuStreamDestroy_v2(void *stream) {
  ON_CARD;
  if (!card.streams.has(stream)) return INVALID_HANDLE;
  card.streams.finish((Stream *)stream);
  card.streams.remove((Stream *)stream);
  return card.fault;
}

API int cuLaunchKernel(const void *function, unsigned gx, unsigned gy, unsigned gz, unsigned bx, unsigned by, unsigned bz,
                       unsigned shared_bytes, void *stream, void **params, void **extra) {
  ON_CARD;
  auto known = card.functions.find(function);
  if (known == card.functions.end()) return INVALID_HANDLE;
  const ShimKernel *k = known->second.kernel;
  const void *module = known->second.module;
  if (!gx || !gy || !gz || !bx || !by || !bz || gx > 0x7fffffff || gy > 65535 || gz > 65535) return INVALID_VALUE;
  if (bx > 1024 || by > 1024 || bz > 64 || (uint64_t)bx * by * bz > 1024) return INVALID_VALUE;
  if (extra || shared_bytes) return INVALID_VALUE; // no kernel has shared memory besides what it declares
  std::vector<uint64_t> values(k->params);
  for (int i = 0; i < k->params; i++) {
    if (!params[i]) return INVALID_VALUE;
    memcpy(&values[i], params[i], 8); // 8 bytes in any case: the caller keeps so many
  }
  if (params[k->params]) return INVALID_VALUE;
  calls[k->name]++;
  if (!setting("execute")) return SUCCESS;
  Card *on = &card;
  return enqueue(card, stream, [=]() mutable {
    if (!on->modules.count(module)) return fault(*on, ILLEGAL_ADDRESS, std::string(k->name) + " ran after its module was unloaded");
    std::vector<void *> addresses;
    for (uint64_t &v : values) addresses.push_back(&v);
    addresses.push_back(nullptr);
    const char *wrong = shim_launch({gx, gy, gz}, {bx, by, bz}, k->call, addresses.data());
    if (wrong) fault(*on, LAUNCH_FAILED, std::string(k->name) + ": " + wrong);
    check_guards(*on, k->name);
  });
}
