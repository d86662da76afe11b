// Products. Each output is one accumulator, k ascending: a block works on a tile of C,
// a thread on 4 x 4 or 8 x 8 outputs of it, and A and B come through shared memory, 16 steps
// of k at a time, the next ones being on their way to registers meanwhile. A stretch of k
// that ends early is cut short, not padded with zeros: adding a product that is zero
// would turn a negative zero into a positive one.
#include "contract.cuh"

// STEPS is how many steps of k are in shared memory at a time, in two buffers; QUAD the
// numbers that are loaded and stored together.
#define STEPS 16
#define QUAD 4

// A Tile is a square of outputs of C, edge x edge. A thread has quads x quads squares of
// 4 x 4 outputs, which lie edge / quads apart: so that threads beside each other read and
// write quads beside each other, also where each has several. Rows in shared memory are
// padded so that neighbours lie in other banks.
template <int tile_edge, int tile_quads> struct Tile {
  static constexpr int edge = tile_edge, quads = tile_quads;
  static constexpr int apart = edge / quads;
  static constexpr int spot = QUAD * quads;    // outputs of a thread in each direction
  static constexpr int across = edge / spot;   // threads in each direction
  static constexpr int threads = across * across;
  static constexpr int pitch = edge + 4;
  static constexpr int room = 2 * STEPS * pitch;
  // How many times a thread moves four numbers of a stretch of A or B.
  static constexpr int moves = STEPS * edge / (4 * threads);
};
typedef Tile<64, 2> Large;  // 64 threads with 8 x 8 outputs
typedef Tile<32, 1> Small;  // 64 threads with 4 x 4

// An Operand is a matrix of which element (k, i) is at[k*ks + i*is], i from 0 to edge-1,
// of which i < width are there.
struct Operand {
  const float *at;
  size_t ks, is;
  int width;
  bool along;    // four numbers that a thread moves follow each other in i, else in k
  bool vectors;  // and such four are one aligned vector in memory
};

// operand describes one, and chooses the direction that is contiguous, if any.
DEVICE Operand operand(const float *at, int ks, int is, int width) {
  Operand o = {at, (size_t)ks, (size_t)is, width, is == 1 || ks != 1, false};
  const size_t other = o.along ? o.ks : o.is;
  o.vectors = (is == 1 || ks == 1) && other % 4 == 0 && (size_t)at % 16 == 0;
  return o;
}

// fetch loads a thread's part of the stretch of k from k0 on, up to count. What is not
// there is zero: nothing reads it.
template <class T> DEVICE void fetch(float4 *part, const Operand &o, int k0, int count, int thread) {
#pragma unroll
  for (int move = 0; move < T::moves; move++) {
    const int four = move * T::threads + thread;
    int k, i, left;
    size_t step;
    if (o.along) {
      k = four / (T::edge / 4), i = four % (T::edge / 4) * 4;
      left = k0 + k < count ? o.width - i : 0, step = o.is;
    } else {
      i = four / (STEPS / 4), k = four % (STEPS / 4) * 4;
      left = i < o.width ? count - k0 - k : 0, step = o.ks;
    }
    const float *p = o.at + (size_t)(k0 + k) * o.ks + (size_t)i * o.is;
    float4 v = {0.0f, 0.0f, 0.0f, 0.0f};
    if (left >= 4 && o.vectors) {
      v = load4(p);
    } else {
      if (left > 0) v.x = p[0];
      if (left > 1) v.y = p[step];
      if (left > 2) v.z = p[2 * step];
      if (left > 3) v.w = p[3 * step];
    }
    part[move] = v;
  }
}

// put stores a thread's part in shared memory, element (k, i) at k*pitch + i.
template <class T> DEVICE void put(float *shared, const float4 *part, bool along, int thread) {
  const int pitch = T::pitch;
#pragma unroll
  for (int move = 0; move < T::moves; move++) {
    const int four = move * T::threads + thread;
    const float4 v = part[move];
    if (along) {
      store4(shared + four / (T::edge / 4) * pitch + four % (T::edge / 4) * 4, v);
    } else {
      float *to = shared + four % (STEPS / 4) * 4 * pitch + four / (STEPS / 4);
      to[0] = v.x, to[pitch] = v.y, to[2 * pitch] = v.z, to[3 * pitch] = v.w;
    }
  }
}

// quads loads a thread's numbers of a row of A or B.
template <class T> DEVICE void quads(float *to, const float *shared) {
#pragma unroll
  for (int q = 0; q < T::quads; q++) {
    const float4 v = load4(shared + q * T::apart);
    to[QUAD * q] = v.x, to[QUAD * q + 1] = v.y, to[QUAD * q + 2] = v.z, to[QUAD * q + 3] = v.w;
  }
}

// step adds the products of one k to a thread's outputs.
template <class T> DEVICE void step(float (*sum)[T::spot], const float *a, const float *b) {
  float u[T::spot], v[T::spot];
  quads<T>(u, a);
  quads<T>(v, b);
#pragma unroll
  for (int i = 0; i < T::spot; i++)
#pragma unroll
    for (int j = 0; j < T::spot; j++) sum[i][j] = fma32(u[i], v[j], sum[i][j]);
}

// accumulate adds the products of all k to a thread's outputs, whose first is at (row,
// column) of the tile, and where sums is set those of a column of B to its total: rows
// that are in shared memory anyway. All threads of a block must call it.
template <class T, bool sums>
DEVICE void accumulate(float (*sum)[T::spot], const Operand &a, const Operand &b, int count, float *shared_a, float *shared_b,
                       int thread, int row, int column, bool adding, float &total) {
  const int pitch = T::pitch;
  float4 part_a[T::moves], part_b[T::moves];
  int half = 0;
  fetch<T>(part_a, a, 0, count, thread);
  fetch<T>(part_b, b, 0, count, thread);
  for (int k0 = 0; k0 < count; k0 += STEPS) {
    // The half written here was read two stretches ago, before the last barrier.
    float *own_a = shared_a + half, *own_b = shared_b + half;
    put<T>(own_a, part_a, a.along, thread);
    put<T>(own_b, part_b, b.along, thread);
    __syncthreads();
    if (k0 + STEPS < count) {
      fetch<T>(part_a, a, k0 + STEPS, count, thread);
      fetch<T>(part_b, b, k0 + STEPS, count, thread);
    }
    const bool whole = count - k0 >= STEPS;
    if (whole) {
#pragma unroll
      for (int k = 0; k < STEPS; k++) step<T>(sum, own_a + k * pitch + row, own_b + k * pitch + column);
    } else {
      for (int k = 0; k < count - k0; k++) step<T>(sum, own_a + k * pitch + row, own_b + k * pitch + column);
    }
    if (sums && adding) {
      if (whole) {
#pragma unroll
        for (int k = 0; k < STEPS; k++) total = total + own_b[k * pitch + thread];
      } else {
        for (int k = 0; k < count - k0; k++) total = total + own_b[k * pitch + thread];
      }
    }
    half = STEPS * pitch - half;
  }
}

// place is where output i of a thread lies in its tile, from the first one on.
template <class T> DEVICE int place(int i) { return i / QUAD * T::apart + i % QUAD; }

// store writes a thread's outputs to c, the tile's corner, of which rows x columns are
// there.
template <class T> DEVICE void store(float *c, int ldc, float (*sum)[T::spot], int row, int column, int rows, int columns) {
  const bool vectors = ldc % 4 == 0 && (size_t)c % 16 == 0;
#pragma unroll
  for (int i = 0; i < T::spot; i++) {
    const int y = row + place<T>(i);
    if (y >= rows) return;
#pragma unroll
    for (int q = 0; q < T::quads; q++) {
      const int x = column + q * T::apart, j = QUAD * q;
      float *to = c + (size_t)y * ldc + x;
      if (vectors && x + QUAD <= columns) {
        const float4 v = {sum[i][j], sum[i][j + 1], sum[i][j + 2], sum[i][j + 3]};
        store4(to, v);
      } else {
#pragma unroll
        for (int k = 0; k < QUAD; k++)
          if (x + k < columns) to[k] = sum[i][j + k];
      }
    }
  }
}

// product is matmul with tiles of a size. Where sums is set, the blocks of the first row
// of tiles also add the rows of B to the n numbers at totals, in order; a null pointer
// has none.
template <class T, bool sums>
DEVICE void product(float *c, int ldc, const float *a, int rs, int ks, const float *b, int bks, int bjs, int m, int n,
                    int count, const float *from, int ldf, const float *bias, float *totals, float *shared_a,
                    float *shared_b) {
  const int thread = (int)threadIdx.x, top = (int)blockIdx.y * T::edge, left = (int)blockIdx.x * T::edge;
  const int row = thread / T::across * QUAD, column = thread % T::across * QUAD;
  float sum[T::spot][T::spot];
#pragma unroll
  for (int i = 0; i < T::spot; i++)
#pragma unroll
    for (int j = 0; j < T::spot; j++) {
      const int y = top + row + place<T>(i), x = left + column + place<T>(j);
      sum[i][j] = 0.0f;
      if (y < m && x < n) {
        if (from && bias)
          sum[i][j] = from[(size_t)y * ldf + x] + bias[x];
        else if (from)
          sum[i][j] = from[(size_t)y * ldf + x];
        else if (bias)
          sum[i][j] = bias[x];
      }
    }
  static_assert(!sums || T::threads >= T::edge, "a thread adds up one column");
  const bool adding = sums && totals && top == 0 && thread < T::edge && left + thread < n;
  float total = adding ? totals[left + thread] : 0.0f;
  accumulate<T, sums>(sum, operand(a + (size_t)top * rs, ks, rs, m - top),
                      operand(b + (size_t)left * bjs, bks, bjs, n - left), count, shared_a, shared_b, thread, row, column,
                      adding, total);
  if (adding) totals[left + thread] = total;
  store<T>(c + (size_t)top * ldc + left, ldc, sum, row, column, m - top, n - left);
}

// product_of_cells is product for the cell of the block, in whose rows of A, C and from the
// matrices begin, and in whose parameters b and bias: see rows.cu.
template <typename T>
DEVICE void product_of_cells(float *c, int ldc, const float *a, int rs, int ks, const float *b, int bks, int bjs,
                             const int *cells, const long long *offsets, int n, int count, const float *from, int ldf,
                             const float *bias, float *shared_a, float *shared_b) {
  const size_t first = (size_t)cells[blockIdx.z];
  const int m = cells[blockIdx.z + 1] - (int)first;
  if ((int)blockIdx.y * T::edge >= m) return;  // all of the block: another cell has more rows
  const long long own = offsets[blockIdx.z];
  product<T, false>(c + first * ldc, ldc, a + first * rs, rs, ks, b + own, bks, bjs, m, n, count,
                from ? from + first * ldf : nullptr, ldf, bias ? bias + own : nullptr, nullptr, shared_a, shared_b);
}

// matmul multiplies, for the rows i of each cell, cells[cell] to cells[cell+1]-1 (see
// rows.cu): C(i,j) = start(i,j) + sum over k of A(i,k) B(k,j), for j < n and k from 0 to
// count-1, with A(i,k) = a[i*rs+k*ks], B(k,j) = b[offsets[cell]+k*bks+j*bjs] and
// C(i,j) = c[i*ldc+j]. Sums start from from[i*ldf+j] + bias[offsets[cell]+j], where NULL adds
// nothing, and from zero where both are NULL; from is C itself or does not overlap it, and
// ldf may be 0. Strides are not negative; reads are coalesced where one of those of A is 1,
// and one of those of B. A grid of ceil(n/64) by ceil(m/64) by cells blocks of 64 threads,
// m being the most rows of a cell.
extern "C" __global__ void __launch_bounds__(64)
matmul(float *c, int ldc, const float *__restrict__ a, int rs, int ks, const float *__restrict__ b, int bks, int bjs,
       const int *__restrict__ cells, const long long *__restrict__ offsets, int n, int count, const float *from, int ldf,
       const float *bias) {
  __shared__ __attribute__((aligned(16))) float shared_a[Large::room], shared_b[Large::room];
  product_of_cells<Large>(c, ldc, a, rs, ks, b, bks, bjs, cells, offsets, n, count, from, ldf, bias, shared_a, shared_b);
}

// matmul_small is the same with smaller tiles, for products that would not keep all of
// a card busy with large ones. A grid of ceil(n/32) by ceil(m/32) by cells blocks of 64
// threads.
extern "C" __global__ void __launch_bounds__(64)
matmul_small(float *c, int ldc, const float *__restrict__ a, int rs, int ks, const float *__restrict__ b, int bks, int bjs,
             const int *__restrict__ cells, const long long *__restrict__ offsets, int n, int count, const float *from,
             int ldf, const float *bias) {
  __shared__ __attribute__((aligned(16))) float shared_a[Small::room], shared_b[Small::room];
  product_of_cells<Small>(c, ldc, a, rs, ks, b, bks, bjs, cells, offsets, n, count, from, ldf, bias, shared_a, shared_b);
}

// matmul_chunks adds A^T B over each chunk's rows, starts[chunk] to starts[chunk+1]-1, to
// the chunk's C, which lies at c + chunk*stride: C(i,j) += sum over rows r, in order, of
// a[r*lda+i] b[r*ldb+j], for i < m and j < n. To the n numbers at totals + chunk*stride it
// adds the same rows of B, in order, each by itself; a null pointer has none. A grid of
// ceil(n/32) by ceil(m/32) by chunks blocks of 64 threads.
extern "C" __global__ void __launch_bounds__(64)
matmul_chunks(float *c, float *totals, int stride, int ldc, const float *__restrict__ a, int lda, const float *__restrict__ b,
              int ldb, const int *__restrict__ starts, int chunks, int m, int n) {
  __shared__ __attribute__((aligned(16))) float shared_a[Small::room], shared_b[Small::room];
  const int chunk = (int)blockIdx.z;
  if (chunk >= chunks) return;  // all of the block
  const size_t first = (size_t)starts[chunk];
  c += (size_t)chunk * stride;
  if (totals) totals += (size_t)chunk * stride;
  product<Small, true>(c, ldc, a + first * lda, 1, lda, b + first * ldb, ldb, 1, m, n, starts[chunk + 1] - starts[chunk], c,
                       ldc, nullptr, totals, shared_a, shared_b);
}
