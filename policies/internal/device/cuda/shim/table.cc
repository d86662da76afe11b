// The kernels by name, for a driver that runs them on the CPU.
#include "kernels.cu"

#include <utility>

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

const ShimKernel shim_kernels[] = {
    KERNEL(embed_rows),
    KERNEL(embed_grad),
    KERNEL(layer_norm),
    KERNEL(layer_norm_backward),
    KERNEL(layer_norm_sums),
    KERNEL(gelu),
    KERNEL(gelu_backward),
    KERNEL(add),
    KERNEL(axpy),
    KERNEL(pick_rows),
    KERNEL(spread_rows),
    KERNEL(log_softmax),
    KERNEL(reduce_chunks),
    KERNEL(sum_squares),
    KERNEL(adamw),
    KERNEL(matmul),
    KERNEL(matmul_small),
    KERNEL(matmul_chunks),
    KERNEL(attention),
    KERNEL(attention_backward_scores),
    KERNEL(attention_backward_queries),
    KERNEL(attention_backward_keys),
    KERNEL(decode_put),
    KERNEL(decode_copy),
    KERNEL(decode_attention),
};
const int shim_kernel_count = sizeof shim_kernels / sizeof shim_kernels[0];
