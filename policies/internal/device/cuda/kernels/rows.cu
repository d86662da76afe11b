// What goes on row by row, or entry by entry: embedding, norms, activations, losses,
// sums over rows, the step. Matrices are row-major and without gaps unless there is an
// ld. Widths d are multiples of 32.
//
// Kernels that say "any grid" stride over their work: a grid and blocks of one
// dimension, blocks of a multiple of 32 threads, up to 256. A kernel that takes a warp
// per row gives each lane the columns lane, lane+32, ..., which is coalesced and is how
// the contract adds up a row.
//
// Several policies of one shape may go through a launch together. Such a kernel says "of
// cells": the grid's second side is the cells, one policy's each. The rows of cell c are
// cells[c] to cells[c+1]-1, and its parameters lie offsets[c] numbers behind those that the
// kernel is given.
#include "contract.cuh"

// embed_rows makes row r of x, of d columns, the sum of the table's rows of its
// features, features[starts[r]] to features[starts[r+1]-1], in that order, and zero if
// it has none. A warp per row of cells, any grid.
extern "C" __global__ void __launch_bounds__(256)
embed_rows(float *__restrict__ x, const float *__restrict__ table, const int *__restrict__ features,
           const int *__restrict__ starts, const int *__restrict__ cells, const long long *__restrict__ offsets, int d) {
  const int end = cells[blockIdx.y + 1];
  table += offsets[blockIdx.y];
  for (int r = cells[blockIdx.y] + warp_of_grid(); r < end; r += warps_of_grid()) {
    const int from = starts[r], to = starts[r + 1];
    for (int c = lane_of_warp(); c < d; c += LANES) {
      float sum = from < to ? table[(size_t)features[from] * d + c] : 0.0f;
      for (int i = from + 1; i < to; i++) sum = sum + table[(size_t)features[i] * d + c];
      x[(size_t)r * d + c] = sum;
    }
  }
}

// embed_grad adds to the d entries at grad + targets[p], for each pair p of a chunk and
// a feature, the rows row_list[from[p]] to row_list[from[p+1]-1] of dx, in that order.
// No two pairs have the same target. A warp per 32 columns of a pair, any grid.
extern "C" __global__ void __launch_bounds__(256)
embed_grad(float *__restrict__ grad, const int *__restrict__ targets, const int *__restrict__ from,
           const int *__restrict__ row_list, int pairs, const float *__restrict__ dx, int d) {
  const int stretches = d / LANES, lane = lane_of_warp();
  for (int w = warp_of_grid(); w < pairs * stretches; w += warps_of_grid()) {
    const int p = w / stretches, c = w % stretches * LANES + lane, end = from[p + 1];
    float *to = grad + (size_t)targets[p] + c;
    float sum = *to;
#pragma unroll 8  // so that loads are under way together; the sums stay in order
    for (int i = from[p]; i < end; i++) sum = sum + dx[(size_t)row_list[i] * d + c];
    *to = sum;
  }
}

// layer_norm is LayerNorm of package cpu: y, x are rows x d, mean and rstd have an
// entry per row, gain and bias d. A warp per row of cells, any grid.
extern "C" __global__ void __launch_bounds__(256)
layer_norm(float *__restrict__ y, float *__restrict__ mean, float *__restrict__ rstd, const float *__restrict__ x,
           const float *__restrict__ gain, const float *__restrict__ bias, const int *__restrict__ cells,
           const long long *__restrict__ offsets, int d) {
  const float inverse = 1.0f / (float)d;
  const int lane = lane_of_warp(), end = cells[blockIdx.y + 1];
  gain += offsets[blockIdx.y];
  bias += offsets[blockIdx.y];
  for (int r = cells[blockIdx.y] + warp_of_grid(); r < end; r += warps_of_grid()) {
    const float *row = x + (size_t)r * d;
    float sum = 0.0f, squares = 0.0f;
#pragma unroll 4
    for (int c = lane; c < d; c += LANES) sum = sum + row[c];
    const float mu = warp_sum(sum) * inverse;
#pragma unroll 4
    for (int c = lane; c < d; c += LANES) {
      const float off = row[c] - mu;
      squares = fma32(off, off, squares);
    }
    const float variance = warp_sum(squares) * inverse;
    const float rs = 1.0f / sqrt32(variance + LAYER_NORM_EPS);
#pragma unroll 4
    for (int c = lane; c < d; c += LANES) y[(size_t)r * d + c] = fma32((row[c] - mu) * rs, gain[c], bias[c]);
    if (lane == 0) {
      mean[r] = mu;
      rstd[r] = rs;
    }
  }
}

// layer_norm_backward is what LayerNormBackward of package cpu adds to dx; what it adds
// to the gain and the bias is layer_norm_sums. A warp per row of cells, any grid.
extern "C" __global__ void __launch_bounds__(256)
layer_norm_backward(float *__restrict__ dx, const float *__restrict__ dy, const float *__restrict__ x,
                    const float *__restrict__ mean, const float *__restrict__ rstd, const float *__restrict__ gain,
                    const int *__restrict__ cells, const long long *__restrict__ offsets, int d) {
  const float inverse = 1.0f / (float)d;
  const int lane = lane_of_warp(), end = cells[blockIdx.y + 1];
  gain += offsets[blockIdx.y];
  for (int r = cells[blockIdx.y] + warp_of_grid(); r < end; r += warps_of_grid()) {
    const size_t at = (size_t)r * d;
    const float mu = mean[r], rs = rstd[r];
    float sum_t = 0.0f, sum_th = 0.0f;
#pragma unroll 4
    for (int c = lane; c < d; c += LANES) {
      const float h = (x[at + c] - mu) * rs, t = dy[at + c] * gain[c];
      sum_t = sum_t + t;
      sum_th = fma32(t, h, sum_th);
    }
    const float a = warp_sum(sum_t) * inverse, b = warp_sum(sum_th) * inverse;
#pragma unroll 4
    for (int c = lane; c < d; c += LANES) {
      const float h = (x[at + c] - mu) * rs, t = dy[at + c] * gain[c];
      dx[at + c] = fma32(t - fma32(h, b, a), rs, dx[at + c]);
    }
  }
}

// layer_norm_sums adds to the gradients of the gain and the bias of each chunk, at
// dgain + chunk*stride and dbias + chunk*stride, what LayerNormBackward of package cpu
// adds for the chunk's rows, starts[chunk] to starts[chunk+1]-1, in order. A thread per
// column and chunk: a grid of at least d / threads by chunks blocks.
extern "C" __global__ void __launch_bounds__(256)
layer_norm_sums(float *__restrict__ dgain, float *__restrict__ dbias, int stride, const float *__restrict__ dy,
                const float *__restrict__ x, const float *__restrict__ mean, const float *__restrict__ rstd,
                const int *__restrict__ starts, int chunks, int d) {
  const int c = thread_of_grid(), chunk = (int)blockIdx.y;
  if (c >= d || chunk >= chunks) return;
  const size_t to = (size_t)chunk * stride + c;
  const int end = starts[chunk + 1];
  float sum_gain = dgain[to], sum_bias = dbias[to];
#pragma unroll 8
  for (int r = starts[chunk]; r < end; r++) {
    const size_t at = (size_t)r * d + c;
    const float h = (x[at] - mean[r]) * rstd[r];
    sum_gain = fma32(dy[at], h, sum_gain);
    sum_bias = sum_bias + dy[at];
  }
  dgain[to] = sum_gain;
  dbias[to] = sum_bias;
}

// gelu is Gelu of package cpu for n entries. y may be x. Any grid.
extern "C" __global__ void __launch_bounds__(256) gelu(float *y, const float *x, int n) {
  for (int i = thread_of_grid(); i < n; i += threads_of_grid()) {
    float a = x[i];
    if (a < GELU_LOW) a = GELU_LOW;  // NaN is let through
    float b = a;
    if (b > GELU_HIGH) b = GELU_HIGH;
    y[i] = a / (1.0f + gelu_exp(b));
  }
}

// gelu_backward multiplies the n entries of dx by the derivative of gelu at x. Any grid.
extern "C" __global__ void __launch_bounds__(256) gelu_backward(float *__restrict__ dx, const float *__restrict__ x, int n) {
  for (int i = thread_of_grid(); i < n; i += threads_of_grid()) {
    float b = x[i];
    if (b < GELU_LOW) b = GELU_LOW;
    if (b > GELU_HIGH) b = GELU_HIGH;
    const float e = gelu_exp(b);
    const float s = 1.0f / (1.0f + e);
    const float slope = b * fma32(b * b, GELU_SLOPE3, GELU_SLOPE);
    dx[i] = dx[i] * (s * fma32(slope, e * s, 1.0f));
  }
}

// add adds src to dst, n entries. src may be dst. Any grid.
extern "C" __global__ void __launch_bounds__(256) add(float *dst, const float *src, int n) {
  for (int i = thread_of_grid(); i < n; i += threads_of_grid()) dst[i] = dst[i] + src[i];
}

// axpy is dst = fma(a, x, dst), n entries. x may be dst. Any grid.
extern "C" __global__ void __launch_bounds__(256) axpy(float *dst, float a, const float *x, int n) {
  for (int i = thread_of_grid(); i < n; i += threads_of_grid()) dst[i] = fma32(a, x[i], dst[i]);
}

// pick_rows makes row r of dst, of d columns, row index[r] of src, which is another
// matrix. A warp per row, any grid.
extern "C" __global__ void __launch_bounds__(256)
pick_rows(float *__restrict__ dst, const float *__restrict__ src, const int *__restrict__ index, int rows, int d) {
  for (int r = warp_of_grid(); r < rows; r += warps_of_grid()) {
    const size_t from = (size_t)index[r] * d, to = (size_t)r * d;
    for (int c = lane_of_warp(); c < d; c += LANES) dst[to + c] = src[from + c];
  }
}

// spread_rows does the same, but for rows whose index is -1, which become zero: with
// the places of the rows that pick_rows has picked it puts them back. A warp per row,
// any grid.
extern "C" __global__ void __launch_bounds__(256)
spread_rows(float *__restrict__ dst, const float *__restrict__ src, const int *__restrict__ index, int rows, int d) {
  for (int r = warp_of_grid(); r < rows; r += warps_of_grid()) {
    const int i = index[r];
    for (int c = lane_of_warp(); c < d; c += LANES) dst[(size_t)r * d + c] = i < 0 ? 0.0f : src[(size_t)i * d + c];
  }
}

// log_softmax is LogSoftmax of package cpu: of the first n entries of each row, rows
// lying ld apart. A warp per row, any grid.
extern "C" __global__ void __launch_bounds__(256)
log_softmax(float *__restrict__ p, float *__restrict__ logp, const float *__restrict__ z, int ld, int rows, int n,
            float scale) {
  const int lane = lane_of_warp();
  for (int r = warp_of_grid(); r < rows; r += warps_of_grid()) {
    const size_t at = (size_t)r * ld;
    float top = -INFINITE;
#pragma unroll 4
    for (int c = lane; c < n; c += LANES) {
      const float v = z[at + c];
      if (v > top) top = v;
    }
    top = warp_max(top);
    float sum = 0.0f;
    for (int c = lane; c < n; c += LANES) {
      const float x = (z[at + c] - top) * scale, e = exp32(x);
      logp[at + c] = x;
      p[at + c] = e;
      sum = sum + e;
    }
    sum = warp_sum(sum);
    const float inverse = 1.0f / sum, shift = log32(sum);
    for (int c = lane; c < n; c += LANES) {  // the lane's own entries, as it wrote them
      p[at + c] = p[at + c] * inverse;
      logp[at + c] = logp[at + c] - shift;
    }
  }
}

// reduce_chunks makes each of n entries of grad the sum of those of the cell's chunks, of
// which chunk c lies at parts + c*stride: the first one's, and the others added in order;
// zero if there are none. Of cells, in whose stead of rows there are chunks, any grid.
extern "C" __global__ void __launch_bounds__(256)
reduce_chunks(float *__restrict__ grad, const float *__restrict__ parts, int stride, const int *__restrict__ cells,
              const long long *__restrict__ offsets, int n) {
  const int first = cells[blockIdx.y], end = cells[blockIdx.y + 1];
  grad += offsets[blockIdx.y];
  for (int i = thread_of_grid(); i < n; i += threads_of_grid()) {
    float sum = first < end ? parts[(size_t)first * stride + i] : 0.0f;
#pragma unroll 4
    for (int chunk = first + 1; chunk < end; chunk++) sum = sum + parts[(size_t)chunk * stride + i];
    grad[i] = sum;
  }
}

// sum_squares makes partial[b] the row sum of squares of the entries from 1024 b on,
// 1024 of them or what is left of n: the float32 part of SumSquares of package cpu,
// the host adding the partial sums in float64, in order. A warp per sum of cells, whose
// sums lie one cell's after the other's, any grid.
extern "C" __global__ void __launch_bounds__(256)
sum_squares(float *__restrict__ partial, const float *__restrict__ x, const long long *__restrict__ offsets, int n) {
  const int blocks = (n + SUM_BLOCK - 1) / SUM_BLOCK;
  x += offsets[blockIdx.y];
  partial += (size_t)blockIdx.y * blocks;
  for (int b = warp_of_grid(); b < blocks; b += warps_of_grid()) {
    const int end = n - b * SUM_BLOCK < SUM_BLOCK ? n : (b + 1) * SUM_BLOCK;
    float squares = 0.0f;
#pragma unroll 8
    for (int i = b * SUM_BLOCK + lane_of_warp(); i < end; i += LANES) squares = fma32(x[i], x[i], squares);
    squares = warp_sum(squares);
    if (lane_of_warp() == 0) partial[b] = squares;
  }
}

// adamw makes one step of n parameters p with gradients g and moments m and v, as
// device.AdamW says, which also says what a cell's nine scalars at by are, in that order.
// Parameters whose entry of decays is 0 do not decay, those with 1 do: so that one launch
// does for all. Of cells, any grid.
extern "C" __global__ void __launch_bounds__(256)
adamw(float *__restrict__ p, const float *__restrict__ g, float *__restrict__ m, float *__restrict__ v,
      const float *__restrict__ decays, const float *__restrict__ by, const long long *__restrict__ offsets, int n) {
  by += 9 * blockIdx.y;
  const float scale = by[0], beta1 = by[1], rest1 = by[2], beta2 = by[3], rest2 = by[4], rate = by[5], root = by[6],
              eps = by[7], decay = by[8];
  p += offsets[blockIdx.y];
  g += offsets[blockIdx.y];
  m += offsets[blockIdx.y];
  v += offsets[blockIdx.y];
  for (int i = thread_of_grid(); i < n; i += threads_of_grid()) {
    const float grad = scale * g[i];
    const float first = fma32(beta1, m[i], rest1 * grad);
    const float second = fma32(beta2, v[i], rest2 * grad * grad);
    m[i] = first;
    v[i] = second;
    const float step = rate * (first / fma32(sqrt32(second), root, eps));
    p[i] = p[i] - fma32(decay * decays[i], p[i], step);
  }
}
