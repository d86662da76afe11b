// Attention, forward and backward over whole rollouts, and a step at a time over a cache.
//
// Rows. The rows of a batch lie one after the other, in segments: a prompt of p rows
// (none, where p is 0), then its rollouts. A row of qkv has the query, the key and the
// value of all heads, d floats each; head h takes the hd floats from h*hd on, d being
// heads*hd, and hd a multiple of 8 up to 64. A prompt's row sees the keys of all its
// rows. The rows of its rollouts are the nodes of a tree, in depth-first order: a row sees
// the keys of the prompt, then those of the path from a root to itself. What a row sees
// are its keys 0, 1, ..., length-1, and key j of all of a segment's rows that see it is
// entry j of those rows' weights:
//
//	weights [heads][rows][width], where width is a multiple of 4 and no less than the
//	        longest length; entries from a row's length to width are zero
//
// and ds, the gradient of the scores (the products of query and key), is laid out
// likewise. All matrices begin at a multiple of 16 bytes.
//
// Tiles. A block of threads works on a tile and a head: the grid has (tiles, heads)
// blocks, of ATTENTION_THREADS. A tile is up to ATTENTION_ROWS consecutive rows of one
// prompt, or of one run, whose rows are each the child of the row before. For the kernels
// that go by rows it is 7 ints:
//
//	row, rows    the first row, and how many
//	prompt, p    the first row of the prompt, and how many
//	own          the first row of the run; -1 if the rows are those of a prompt
//	path, depth  where the path to the run begins among the paths, and how many rows it has
//
// For attention_backward_keys, which goes by keys, it is 5. Its rows lie in one run, and all
// rows behind them that see one of them see all:
//
//	row, rows    the first row whose key it is, and how many
//	from, to     the first of the rows that see any of them, and the one after the last:
//	             of a prompt the segment's, of a run the rows and those below them
//	column       which key of those rows the first is: its number within the prompt, or p
//	             plus its depth
//
// The order of sums. Products of query and key run over e = 0, 1, ..., and sums over
// keys or rows over all of them in order, each in one accumulator. A sum over keys ends
// with the last one a row sees. (On the processor terms that are zero may follow, which can
// make a negative zero positive, and so nothing that any sum it enters could tell.) One
// over rows may begin with zeros, which change nothing.
//
// Key j belongs to lane j mod 32 of a row's sums, and that lane holds it throughout.
#include "contract.cuh"

#define ATTENTION_ROWS 16     // of a tile
#define ATTENTION_THREADS 128 // of a block
#define ATTENTION_WARPS (ATTENTION_THREADS / LANES)
#define ATTENTION_HEAD 64     // the widest head
#define ATTENTION_ROOM 128    // entries of a row that shared memory has room for

// Rows of shared memory are so far apart that lanes reading float4s of neighbouring
// ones, at the same place, do not wait for each other.
#define ATTENTION_APART (ATTENTION_HEAD + 4)
#define ATTENTION_ENTRIES (ATTENTION_ROOM + 4)

struct attention_tile {
  int row, rows, prompt, p, own, depth;
  const int *path;
};

DEVICE attention_tile row_tile_of(const int *tiles, const int *paths) {
  const int *t = tiles + 7 * blockIdx.x;
  attention_tile tile = {t[0], t[1], t[2], t[3], t[4], t[6], paths + t[5]};
  return tile;
}

// row_length is how many keys row r of the tile sees: in a run, one more than the
// row before.
DEVICE int row_length(const attention_tile &tile, int r) {
  return tile.own < 0 ? tile.p : tile.p + tile.depth + tile.row - tile.own + r + 1;
}

// key_row is the row of key j.
DEVICE int key_row(const attention_tile &tile, int j) {
  if (j < tile.p) return tile.prompt + j;
  j -= tile.p;
  return j < tile.depth ? tile.path[j] : tile.own + j - tile.depth;
}

// most_keys is how many the tile's last row sees.
DEVICE int most_keys(const attention_tile &tile) { return row_length(tile, tile.rows - 1); }

// tile_keys are keys or values of a head, or rows of some other matrix, LANES at a time.
struct tile_keys {
  alignas(16) float at[LANES][ATTENTION_APART];
};

// tile_room is what a block keeps in shared memory.
struct tile_room {
  alignas(16) float rows[ATTENTION_ROWS][ATTENTION_HEAD];
  tile_keys keys;
  alignas(16) float entries[ATTENTION_ROWS * ATTENTION_ENTRIES]; // scores or weights
};

// A tile_entries says where the tile's scores are worked on, rows ld apart: in shared
// memory if they fit, else where they end up.
struct tile_entries {
  float *at;
  int ld;
};

DEVICE tile_entries entries_of(tile_room &room, float *kept, int width) {
  tile_entries in_room = {room.entries, ATTENTION_ENTRIES}, in_place = {kept, width};
  return width <= ATTENTION_ROOM ? in_room : in_place;
}

// load_keys copies a head's hd entries of keys first to first+31, or of their values;
// zeros where the tile has no more keys. y holds them by row, ld apart.
DEVICE void load_keys(tile_keys &keys, const attention_tile &tile, const float *y, int ld, int hd, int first) {
  int own = threadIdx.x / 4, j = first + own;
  bool there = j < most_keys(tile);
  const float *from = y + (size_t)(there ? key_row(tile, j) : 0) * ld;
  for (int e = threadIdx.x % 4 * 4; e < hd; e += 16) {
    float4 zero = {0, 0, 0, 0};
    store4(&keys.at[own][e], there ? load4(from + e) : zero);
  }
}

// tile_products makes entry (r, j) the product of row r of x and key j in y, for the
// keys that r sees. A warp takes every fourth row, and its lanes a key each, so that a
// lane writes those entries of a row which belong to it.
DEVICE void tile_products(tile_room &room, const attention_tile &tile, tile_entries to, const float *x, int x_ld,
                          const float *y, int y_ld, int hd) {
  const int lane = lane_of_warp(), warp = threadIdx.x / LANES, each = ATTENTION_ROWS / ATTENTION_WARPS;
  int r = threadIdx.x / 8;
  if (r < tile.rows) {
    const float *from = x + (size_t)(tile.row + r) * x_ld;
    for (int e = threadIdx.x % 8 * 4; e < hd; e += 32) store4(&room.rows[r][e], load4(from + e));
  }
  for (int first = 0; first < most_keys(tile); first += LANES) {
    __syncthreads(); // whoever reads the keys before these has done so
    load_keys(room.keys, tile, y, y_ld, hd, first);
    __syncthreads();
    float sum[each] = {};
    for (int e = 0; e < hd; e += 4) {
      float4 key = load4(&room.keys.at[lane][e]);
#pragma unroll
      for (int i = 0; i < each; i++) {
        int r = warp + i * ATTENTION_WARPS;
        if (r < tile.rows && first < row_length(tile, r)) {
          float4 own = load4(&room.rows[r][e]);
          sum[i] = fma32(own.x, key.x, sum[i]);
          sum[i] = fma32(own.y, key.y, sum[i]);
          sum[i] = fma32(own.z, key.z, sum[i]);
          sum[i] = fma32(own.w, key.w, sum[i]);
        }
      }
    }
#pragma unroll
    for (int i = 0; i < each; i++) {
      int r = warp + i * ATTENTION_WARPS, j = first + lane;
      if (r < tile.rows && j < row_length(tile, r)) to.at[(size_t)r * to.ld + j] = sum[i];
    }
  }
}

// tile_mix makes row r of out the sum, over the keys j that r sees, of entry (r, j) times
// row j of y. There are as many groups of threads as heads fit side by side: each takes
// the rows that many apart, and a thread of it one e.
DEVICE void tile_mix(tile_keys &keys, const attention_tile &tile, tile_entries of, float *out, int out_ld,
                     const float *y, int y_ld, int hd) {
  const int most = ATTENTION_ROWS * ATTENTION_HEAD / ATTENTION_THREADS;
  const int groups = ATTENTION_THREADS / hd, group = threadIdx.x / hd, e = threadIdx.x - group * hd;
  const int mine = group < groups ? (tile.rows - group + groups - 1) / groups : 0;
  float sum[most] = {};
  for (int first = 0; first < most_keys(tile); first += LANES) {
    __syncthreads(); // the entries are there, and the keys before these not needed any more
    load_keys(keys, tile, y, y_ld, hd, first);
    __syncthreads();
    for (int j = 0; j < LANES && first + j < most_keys(tile); j += 4) {
      const float v0 = keys.at[j][e], v1 = keys.at[j + 1][e], v2 = keys.at[j + 2][e], v3 = keys.at[j + 3][e];
      const bool all = first + j + 4 <= row_length(tile, 0); // most often: every row sees all four
#pragma unroll
      for (int i = 0; i < most; i++) {
        const int r = group + i * groups;
        if (i >= mine) continue;
        const float4 weight = load4(of.at + (size_t)r * of.ld + first + j);
        if (all) {
          sum[i] = fma32(weight.w, v3, fma32(weight.z, v2, fma32(weight.y, v1, fma32(weight.x, v0, sum[i]))));
        } else {
          const int left = row_length(tile, r) - first - j;
          if (left > 0) sum[i] = fma32(weight.x, v0, sum[i]);
          if (left > 1) sum[i] = fma32(weight.y, v1, sum[i]);
          if (left > 2) sum[i] = fma32(weight.z, v2, sum[i]);
          if (left > 3) sum[i] = fma32(weight.w, v3, sum[i]);
        }
      }
    }
  }
#pragma unroll
  for (int i = 0; i < most; i++)
    if (i < mine) out[(size_t)(tile.row + group + i * groups) * out_ld + e] = sum[i];
}

// softmax_entries is Softmax of package cpu on a row of so many entries, by a warp, and
// zeros from there to width. The result goes to s and to kept, which may be s.
DEVICE void softmax_entries(float *s, float *kept, int length, int width, float scale) {
  const int lane = lane_of_warp();
  float top = -INFINITE;
  for (int j = lane; j < length; j += LANES)
    if (s[j] > top) top = s[j];
  top = warp_max(top);
  float sum = 0;
  for (int j = lane; j < length; j += LANES) {
    float e = exp32((s[j] - top) * scale);
    s[j] = e;
    sum = sum + e;
  }
  float inverse = 1.0f / warp_sum(sum);
  for (int j = lane; j < width; j += LANES) {
    float weight = j < length ? s[j] * inverse : 0.0f;
    s[j] = weight;
    kept[j] = weight;
  }
}

// attention fills the weights, and mixed [rows][d], what they make of the values. It is
// one kernel, not one for each, so that the weights are still in shared memory when the
// values are mixed, and for one launch less. scale is that of the softmax.
//
// Scores are worked on in shared memory if width is up to ATTENTION_ROOM, else in weights.
extern "C" __global__ void __launch_bounds__(ATTENTION_THREADS)
attention(const float *__restrict__ qkv, float *weights, float *__restrict__ mixed, const int *__restrict__ tiles,
          const int *__restrict__ paths, int rows, int hd, int width, float scale) {
  __shared__ tile_room room;
  attention_tile tile = row_tile_of(tiles, paths);
  const int h = blockIdx.y, d = gridDim.y * hd;
  const float *q = qkv + h * hd;
  float *kept = weights + ((size_t)h * rows + tile.row) * width;
  tile_entries scores = entries_of(room, kept, width);
  tile_products(room, tile, scores, q, 3 * d, q + d, 3 * d, hd);
  for (int r = threadIdx.x / LANES; r < tile.rows; r += ATTENTION_WARPS)
    softmax_entries(scores.at + (size_t)r * scores.ld, kept + (size_t)r * width, row_length(tile, r), width, scale);
  tile_mix(room.keys, tile, scores, mixed + h * hd, d, q + 2 * d, 3 * d, hd);
}

// attention_backward_scores fills ds from dmixed [rows][d], the gradient of mixed: that of
// a weight is the product of dmixed and the value, and SoftmaxBackward of package cpu
// takes it to the score.
extern "C" __global__ void __launch_bounds__(ATTENTION_THREADS)
attention_backward_scores(float *ds, const float *__restrict__ dmixed, const float *__restrict__ qkv,
                          const float *__restrict__ weights, const int *__restrict__ tiles,
                          const int *__restrict__ paths, int rows, int hd, int width, float scale) {
  __shared__ tile_room room;
  attention_tile tile = row_tile_of(tiles, paths);
  const int h = blockIdx.y, d = gridDim.y * hd, lane = lane_of_warp();
  size_t at = ((size_t)h * rows + tile.row) * width;
  tile_entries products = entries_of(room, ds + at, width);
  tile_products(room, tile, products, dmixed + h * hd, d, qkv + 2 * d + h * hd, 3 * d, hd);
  for (int r = threadIdx.x / LANES; r < tile.rows; r += ATTENTION_WARPS) {
    const float *g = products.at + (size_t)r * products.ld, *s = weights + at + (size_t)r * width;
    float *out = ds + at + (size_t)r * width, sum = 0;
    int length = row_length(tile, r);
    for (int j = lane; j < length; j += LANES) sum = fma32(s[j], g[j], sum);
    float dot = warp_sum(sum);
    for (int j = lane; j < width; j += LANES) out[j] = j < length ? scale * s[j] * (g[j] - dot) : 0.0f;
  }
}

// attention_backward_queries fills the queries' part of dqkv [rows][3d]: a row's is the
// sum of ds times the keys.
extern "C" __global__ void __launch_bounds__(ATTENTION_THREADS)
attention_backward_queries(float *__restrict__ dqkv, float *ds, const float *__restrict__ qkv,
                           const int *__restrict__ tiles, const int *__restrict__ paths, int rows, int hd,
                           int width) {
  __shared__ tile_keys keys;
  attention_tile tile = row_tile_of(tiles, paths);
  const int h = blockIdx.y, d = gridDim.y * hd;
  tile_entries of = {ds + ((size_t)h * rows + tile.row) * width, width};
  tile_mix(keys, tile, of, dqkv + h * hd, 3 * d, qkv + d + h * hd, 3 * d, hd);
}

// key_room is what a block of attention_backward_keys keeps of LANES rows that see its
// keys.
struct key_room {
  tile_keys queries, dmixed;
  alignas(16) float ds[LANES][ATTENTION_ROWS]; // of the tile's keys
  alignas(16) float weights[LANES][ATTENTION_ROWS];
};

// attention_backward_keys fills the keys' and the values' part of dqkv: a key's is the
// sum, over the rows that see it, of ds times the query, a value's that of the weight
// times dmixed. A thread takes one e of 4 neighbouring keys, or of 8 if the heads are so
// wide that there are not enough threads.
extern "C" __global__ void __launch_bounds__(ATTENTION_THREADS)
attention_backward_keys(float *__restrict__ dqkv, const float *__restrict__ ds, const float *__restrict__ weights,
                        const float *__restrict__ dmixed, const float *__restrict__ qkv,
                        const int *__restrict__ tiles, int rows, int hd, int width) {
  __shared__ key_room room;
  const int *tile = tiles + 5 * blockIdx.x;
  const int row = tile[0], keys = tile[1], from = tile[2], to = tile[3], column = tile[4];
  const int h = blockIdx.y, d = gridDim.y * hd, wide = 3 * d;
  const int groups = ATTENTION_THREADS / hd, group = threadIdx.x / hd, e = threadIdx.x - group * hd;
  const int quads = groups >= ATTENTION_ROWS / 4 ? 1 : 2, mine = 4 * quads * group; // keys from mine on
  const bool active = mine < keys;
  float dk[8] = {}, dv[8] = {};

  for (int first = from; first < to; first += LANES) {
    __syncthreads(); // the rows before these are not needed any more
    int r = threadIdx.x / 4;
    if (first + r < to) {
      const float *query = qkv + (size_t)(first + r) * wide + h * hd;
      const float *grad = dmixed + (size_t)(first + r) * d + h * hd;
      for (int q = threadIdx.x % 4 * 4; q < hd; q += 16) {
        store4(&room.queries.at[r][q], load4(query + q));
        store4(&room.dmixed.at[r][q], load4(grad + q));
      }
    }
    int key = threadIdx.x % ATTENTION_ROWS;
    for (r = threadIdx.x / ATTENTION_ROWS; r < LANES && first + r < to; r += ATTENTION_THREADS / ATTENTION_ROWS) {
      size_t at = ((size_t)h * rows + first + r) * width + column + key;
      if (key < keys) {
        room.ds[r][key] = ds[at];
        room.weights[r][key] = weights[at];
      }
    }
    __syncthreads();
    for (r = 0; active && r < LANES && first + r < to; r++) {
      float query = room.queries.at[r][e], grad = room.dmixed.at[r][e];
#pragma unroll
      for (int i = 0; i < 2; i++) {
        if (i < quads) {
          float4 by = load4(&room.ds[r][mine + 4 * i]), weight = load4(&room.weights[r][mine + 4 * i]);
          dk[4 * i] = fma32(by.x, query, dk[4 * i]);
          dk[4 * i + 1] = fma32(by.y, query, dk[4 * i + 1]);
          dk[4 * i + 2] = fma32(by.z, query, dk[4 * i + 2]);
          dk[4 * i + 3] = fma32(by.w, query, dk[4 * i + 3]);
          dv[4 * i] = fma32(weight.x, grad, dv[4 * i]);
          dv[4 * i + 1] = fma32(weight.y, grad, dv[4 * i + 1]);
          dv[4 * i + 2] = fma32(weight.z, grad, dv[4 * i + 2]);
          dv[4 * i + 3] = fma32(weight.w, grad, dv[4 * i + 3]);
        }
      }
    }
  }
#pragma unroll
  for (int i = 0; i < 8; i++) {
    if (active && i < 4 * quads && mine + i < keys) {
      float *out = dqkv + (size_t)(row + mine + i) * wide + h * hd + e;
      out[d] = dk[i];
      out[2 * d] = dv[i];
    }
  }
}

// Decoding: attention of one row per lane (a rollout under way) over its prompt, whose
// keys and values all lanes of it share, and over the lane's own positions. There is a
// number of caches for prompts and one for lanes, laid out alike, capacity positions each, a
// multiple of 32:
//
//	values [caches][capacity][d]
//	keys   [caches][capacity/32][d][32]: of 32 positions, which a warp works on at once,
//	       entry by entry
//
// where to find a row's are 4 ints, its place:
//
//	cache, position   its own cache, and the position in it that is the row's
//	prompt, p         the cache of its prompt, and how many positions that has
DEVICE size_t cached_key(int cache, int position, int capacity, int d) {
  int in = position % LANES;
  return ((size_t)cache * capacity + position - in) * d + in;
}

DEVICE size_t cached_value(int cache, int position, int capacity, int d) {
  return ((size_t)cache * capacity + position) * d;
}

// decode_put copies the rows' keys and values from qkv [rows][3d] to the caches, each to
// the position of its place; the rest of the place is not looked at. It fills the caches
// of prompts. Any grid of one row of blocks will do.
extern "C" __global__ void __launch_bounds__(ATTENTION_THREADS)
decode_put(float *__restrict__ keys, float *__restrict__ values, const float *__restrict__ qkv,
           const int *__restrict__ places, int rows, int d, int capacity) {
  for (int i = thread_of_grid(); i < rows * d; i += threads_of_grid()) {
    int r = i / d, e = i - r * d, cache = places[4 * r], position = places[4 * r + 1];
    const float *row = qkv + (size_t)r * 3 * d + e;
    keys[cached_key(cache, position, capacity, d) + (size_t)e * LANES] = row[d];
    values[cached_value(cache, position, capacity, d) + e] = row[2 * d];
  }
}

// decode_copy gives caches the keys and values of the first positions of others, of which a
// copy is 3 ints: the cache, the other one, and how many positions. No cache that is written
// to is read. The grid has a block for each copy. Keys are copied in blocks of LANES
// positions, so those of a few positions more go along, which are written before they are
// read.
extern "C" __global__ void __launch_bounds__(ATTENTION_THREADS)
decode_copy(float *keys, float *values, const int *__restrict__ copies, int d, int capacity) {
  const int *copy = copies + 3 * blockIdx.x;
  const size_t to = (size_t)copy[0] * capacity * d, from = (size_t)copy[1] * capacity * d;
  const int n = copy[2] * d, all = (copy[2] + LANES - 1) / LANES * LANES * d;
  for (int i = threadIdx.x; i < all; i += blockDim.x) {
    keys[to + i] = keys[from + i];
    if (i < n) values[to + i] = values[from + i];
  }
}

// decode_attention fills mixed [rows][d]. It puts the row's own key and value into its
// lane's cache first, which must have those of all positions before: decode_put need not
// be called for lanes. A warp takes a row and a head, a block 4 neighbouring rows, likely
// of the same prompt: the grid has (rows/4 rounded up, heads) blocks of ATTENTION_THREADS.
//
// width is no less than the largest p+position+1. If it is above ATTENTION_ROOM, scores
// are worked on in scratch [rows][heads][width], which is not looked at else.
extern "C" __global__ void __launch_bounds__(ATTENTION_THREADS)
decode_attention(float *__restrict__ mixed, const float *__restrict__ qkv, const int *__restrict__ places,
                 const float *__restrict__ prompt_keys, const float *__restrict__ prompt_values,
                 int prompt_capacity, float *keys, float *values, int capacity, float *scratch, int rows, int hd,
                 int width, float scale) {
  __shared__ float room[ATTENTION_WARPS][ATTENTION_ROOM];
  const int lane = lane_of_warp(), warp = threadIdx.x / LANES, row = blockIdx.x * ATTENTION_WARPS + warp;
  if (row >= rows) return;
  const int h = blockIdx.y, heads = gridDim.y, d = heads * hd;
  const int cache = places[4 * row], position = places[4 * row + 1];
  const int prompt = places[4 * row + 2], p = places[4 * row + 3];
  const int length = p + position + 1;
  const float *query = qkv + (size_t)row * 3 * d + h * hd;
  float *s = width <= ATTENTION_ROOM ? room[warp] : scratch + ((size_t)row * heads + h) * width;
  const float *shared_keys = prompt_keys + (size_t)h * hd * LANES, *shared_values = prompt_values + h * hd;
  keys += (size_t)h * hd * LANES;
  values += h * hd;

  for (int e = lane; e < hd; e += LANES) {
    keys[cached_key(cache, position, capacity, d) + e * LANES] = query[d + e];
    values[cached_value(cache, position, capacity, d) + e] = query[2 * d + e];
  }
  __syncwarp(); // now the other lanes see them

  for (int j = lane; j - lane < length; j += LANES) {
    int k = j < length ? j : length - 1; // a lane without a key goes along
    const float *key = k < p ? shared_keys + cached_key(prompt, k, prompt_capacity, d)
                             : keys + cached_key(cache, k - p, capacity, d);
    float sum = 0;
#pragma unroll 8
    for (int e = 0; e < hd; e++) sum = fma32(query[e], key[e * LANES], sum);
    if (j < length) s[j] = sum;
  }
  softmax_entries(s, s, length, length, scale);
  __syncwarp(); // the weights of all lanes are there

  for (int e = lane; e < hd; e += LANES) {
    const float *value = shared_values + cached_value(prompt, 0, prompt_capacity, d) + e;
    float sum = 0;
#pragma unroll 8
    for (int j = 0; j < p; j++) sum = fma32(s[j], value[(size_t)j * d], sum);
    value = values + cached_value(cache, 0, capacity, d) + e;
#pragma unroll 8
    for (int j = 0; j <= position; j++) sum = fma32(s[p + j], value[(size_t)j * d], sum);
    mixed[(size_t)row * d + h * hd + e] = sum;
  }
}
