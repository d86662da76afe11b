// Runs a grid of threads on the CPU: see shim.h.

// Jumps from one stack to another are what the checked longjmp refuses.
#undef _FORTIFY_SOURCE

#include "shim.h"

#include "shared.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <ucontext.h>

#include <memory>
#include <mutex>
#include <numeric>
#include <vector>

dim3 threadIdx, blockIdx, blockDim, gridDim;

namespace {

const unsigned warp_size = 32, most_threads = 1024;
const size_t stack_size = 64 << 10;

enum State { ready, at_warp, at_block, ended };

// A Fiber is one thread of a block. It outlives the block: a new context costs
// system calls, a jump back into an old one does not.
struct Fiber {
  ucontext_t begin;
  jmp_buf at;
  bool begun;
  State state;
  int line;           // of the barrier or shuffle it waits at
  unsigned shuffles;  // so far, of any block
  dim3 index;
};

std::mutex one_launch;
std::vector<Fiber> fibers;
std::unique_ptr<char[]> stacks;  // left as they come, so that only what is used is there
unsigned slots[2][most_threads];  // what lanes put into a shuffle, and into the next

unsigned current;  // the fiber that runs
jmp_buf scheduler;
ucontext_t from_scheduler;
void (*kernel)(void **);
void **arguments;
thread_local char message[256];
bool failed;
SharedArrays shared;
uint64_t blocks_seed = 1;  // of the order in which blocks run

__attribute__((format(printf, 1, 2))) const char *fail(const char *format, ...) {
  va_list values;
  va_start(values, format);
  vsnprintf(message, sizeof message, format, values);
  va_end(values);
  failed = true;
  return message;
}

// give_way lets the scheduler go on; it returns when the fiber's turn has come again.
void give_way(State state, int line) {
  Fiber &f = fibers[current];
  f.state = state, f.line = line;
  if (_setjmp(f.at) == 0) _longjmp(scheduler, 1);
}

void live() {
  for (;;) {
    kernel(arguments);
    give_way(ended, 0);
  }
}

// resume runs a fiber until it waits or ends.
void resume(unsigned t) {
  Fiber &f = fibers[t];
  current = t;
  threadIdx = f.index;
  if (_setjmp(scheduler) != 0) return;
  if (f.begun) _longjmp(f.at, 1);
  f.begun = true;
  getcontext(&f.begin);
  f.begin.uc_stack.ss_sp = &stacks[t * stack_size];
  f.begin.uc_stack.ss_size = stack_size;
  f.begin.uc_link = nullptr;
  makecontext(&f.begin, live, 0);
  swapcontext(&from_scheduler, &f.begin);
}

// agree checks that all threads from one on wait in a state, on one line.
const char *agree(unsigned from, unsigned to, State state, const char *what) {
  unsigned one = from;
  while (fibers[one].state != state) one++;
  const int line = fibers[one].line;
  for (unsigned t = from; t < to; t++) {
    const Fiber &f = fibers[t];
    if (f.state == ended) return fail("thread %u ended, and thread %u waits for it at the %s on line %d", t, one, what, line);
    if (f.state != state || f.line != line)
      return fail("thread %u waits at the %s on line %d, and thread %u elsewhere, on line %d", one, what, line, t, f.line);
  }
  return nullptr;
}

// run_warp runs the threads of a warp until each waits for the block or has ended.
const char *run_warp(unsigned from, unsigned to, bool descending) {
  for (;;) {
    unsigned waiting = 0;
    for (unsigned i = from; i < to; i++) {
      unsigned t = descending ? to - 1 - (i - from) : i;
      if (fibers[t].state == ready) resume(t);
      if (failed) return message;
      waiting += fibers[t].state == at_warp;
    }
    if (waiting == 0) return nullptr;
    if (to - from < warp_size)
      return fail("a shuffle or barrier of a warp on line %d, and the block's last warp has %u threads, want %u",
                  fibers[to - 1].line, to - from, warp_size);
    if (const char *wrong = agree(from, to, at_warp, "warp's shuffle or barrier")) return wrong;
    for (unsigned t = from; t < to; t++) fibers[t].state = ready;
  }
}

// run_block runs the block at blockIdx.
const char *run_block(unsigned threads, unsigned number) {
  shared.begin_block();
  for (unsigned t = 0; t < threads; t++) fibers[t].state = ready;
  for (unsigned phase = number;; phase++) {
    const bool descending = phase % 2 == 1;
    const unsigned warps = (threads + warp_size - 1) / warp_size;
    for (unsigned i = 0; i < warps; i++) {
      unsigned from = (descending ? warps - 1 - i : i) * warp_size;
      unsigned to = from + warp_size < threads ? from + warp_size : threads;
      if (const char *wrong = run_warp(from, to, descending)) return wrong;
    }
    unsigned waiting = 0;
    for (unsigned t = 0; t < threads; t++) waiting += fibers[t].state == at_block;
    if (waiting == 0) return nullptr;
    if (const char *wrong = agree(0, threads, at_block, "block's barrier")) return wrong;
    for (unsigned t = 0; t < threads; t++) fibers[t].state = ready;
  }
}

// An Order goes through the numbers below n, each once: from one of them on, in steps that
// share no divisor with n. Which of them and which steps comes from blocks_seed, which
// moves on.
class Order {
 public:
  explicit Order(uint64_t n) : n(n), at(draw() % n), step(1 + draw() % n) {
    while (std::gcd(step, n) != 1) step++;
  }
  uint64_t next() { return at = (at + step) % n; }

 private:
  uint64_t n, at, step;
  static uint64_t draw() {  // xorshift
    for (int shift : {13, -7, 17}) blocks_seed ^= shift > 0 ? blocks_seed << shift : blocks_seed >> -shift;
    return blocks_seed >> 8;
  }
};

}  // namespace

void shim_seed_blocks(uint64_t seed) {
  std::lock_guard<std::mutex> lock(one_launch);
  blocks_seed = seed * 0x9e3779b97f4a7c15 | 1;
}

void shim_sync_block(int line) { give_way(at_block, line); }

void shim_sync_warp(unsigned mask, int line) {
  if (mask != ~0u) fail("the barrier of a warp on line %d leaves lanes out: mask %#x", line, mask);
  give_way(at_warp, line);
}

unsigned shim_shuffle(unsigned mask, unsigned bits, unsigned lane, int line) {
  if (mask != ~0u) fail("the shuffle on line %d leaves lanes out: mask %#x", line, mask);
  // Lanes that have read may put into the next shuffle while others have yet to read;
  // into the one after it they cannot, since the next waits for all.
  const unsigned t = current, parity = fibers[t].shuffles++ % 2;
  slots[parity][t] = bits;
  give_way(at_warp, line);
  return slots[parity][t / warp_size * warp_size + lane % warp_size];
}

void shim_misaligned(const void *pointer, int bytes, int line) {
  fail("line %d moves a vector of %d bytes at the address %p", line, bytes, pointer);
  give_way(ended, line);
}

const char *shim_launch(dim3 grid, dim3 block, void (*call)(void **), void **params) {
  std::lock_guard<std::mutex> lock(one_launch);
  const unsigned threads = block.x * block.y * block.z;
  if (fibers.empty()) {
    fibers.resize(most_threads);
    stacks.reset(new char[most_threads * stack_size]);
  }
  kernel = call, arguments = params, failed = false;
  gridDim = grid, blockDim = block;
  for (unsigned t = 0; t < threads; t++) {
    fibers[t].index = dim3{t % block.x, t / block.x % block.y, t / (block.x * block.y)};
    fibers[t].shuffles = 0;
  }
  static const std::string unknown = shared.find();
  if (!unknown.empty()) return fail("%s", unknown.c_str());
  const uint64_t blocks = (uint64_t)grid.x * grid.y * grid.z;
  Order order(blocks);
  for (uint64_t number = 0; number < blocks; number++) {
    const uint64_t b = order.next();
    blockIdx = dim3{(unsigned)(b % grid.x), (unsigned)(b / grid.x % grid.y), (unsigned)(b / grid.x / grid.y)};
    if (const char *wrong = run_block(threads, number)) {
      // Fibers that stand somewhere in a kernel must begin anew.
      for (Fiber &f : fibers) f.begun = false;
      return wrong;
    }
  }
  const std::string overrun = shared.overrun();
  return overrun.empty() ? nullptr : fail("%s", overrun.c_str());
}
