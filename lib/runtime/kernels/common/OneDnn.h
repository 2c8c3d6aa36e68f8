/// Helpers of the kernels on top of oneDNN.
#pragma once

#include "lib/runtime/memory/WeightStore.h"
#include "lib/runtime/plan/Library.h"

#include <dnnl.hpp>

#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace proa::runtime {

const dnnl::engine &dnnlEngine();
/// The calling thread's stream; execution on a CPU is synchronous.
dnnl::stream &dnnlStream();
/// oneDNN's name of a dtype, where it has one.
std::optional<dnnl::memory::data_type> dnnlType(DType dtype);
/// The element types of the factors and of the result of a matmul or a convolution.
struct ProductTypes {
  DType x, y, out;
  ProductTypes(DType all) : x(all), y(all), out(all) {}
  ProductTypes(DType x, DType y, DType out) : x(x), y(y), out(out) {}
};
/// Whether oneDNN's sums of products of 8-bit integers are exact on this processor: without VNNI, sums of two
/// products saturate in 16 bits, or weights are halved.
bool sumsBytesExactly();
/// Attributes of a primitive whose scratch memory comes from the caller, so that several sessions may run it
/// at once.
dnnl::primitive_attr userScratchpad();
/// Whether this number of multiplications and additions takes less time than waking a second thread.
bool isSmallWork(double operations);
/// Whether the chosen implementation is oneDNN's slow reference code.
bool isReference(const char *implementation);
/// Whether oneDNN has float32 GEMMs for this processor that need the constant one packed.
bool packsMatrices();
/// oneDNN's dims for a tensor; a rank of 0 becomes one dim of 1.
dnnl::memory::dims dnnlDims(std::span<const int64_t> dims);
/// Strides of a dense row-major tensor, in elements.
std::vector<int64_t> rowMajorStrides(std::span<const int64_t> dims);

/// Memory for packed weights, owned.
class PackedTensor {
public:
  PackedTensor() = default;
  /// Memory that its maker fills.
  explicit PackedTensor(const dnnl::memory::desc &layout);
  /// `source` as described by `from`, reordered to `to`.
  PackedTensor(const dnnl::memory::desc &from, const void *source, const dnnl::memory::desc &to);
  explicit operator bool() const { return bytes != nullptr; }
  const dnnl::memory::desc &desc() const { return layout; }
  void *data() const { return bytes.get(); }

private:
  dnnl::memory::desc layout;
  AlignedMemory bytes;
  dnnl::memory memory;
};

/// The packed forms of one constant tensor, for all kernels that read it. Any number of threads may use it.
class PackedForms {
public:
  /// How the tensor was packed: the algorithm, its description, and the layout of the result.
  struct Key {
    std::string algorithm;
    dnnl::memory::desc from, to;
    bool operator==(const Key &) const = default;
  };
  using Make = std::function<std::shared_ptr<const PackedTensor>()>;

  /// The form, created by the first call with an equal key.
  std::shared_ptr<const PackedTensor> get(const Key &key, const Make &make);
  /// Layouts to which the tensor, described by `from`, was reordered so far.
  std::vector<dnnl::memory::desc> layouts(const dnnl::memory::desc &from) const;

private:
  mutable std::mutex mutex;
  std::vector<std::pair<Key, std::shared_ptr<const PackedTensor>>> forms;
};

/// The packed forms of a constant input of a kernel.
class PackedCache {
public:
  /// Forgets all forms; `source` is null where the tensor is not constant.
  void reset(const void *source, WeightStore &packed);
  bool isConstant() const { return source != nullptr; }
  /// Counts resets, so that a session drops what it packed before.
  uint64_t generation() const { return resets; }
  /// The tensor, described by `from`, reordered to the layout `to`.
  std::shared_ptr<const PackedTensor> get(const dnnl::memory::desc &from, const dnnl::memory::desc &to) const;
  /// The form of another algorithm.
  std::shared_ptr<const PackedTensor> get(const PackedForms::Key &key, const PackedForms::Make &make) const;
  /// See PackedForms.
  std::vector<dnnl::memory::desc> layouts(const dnnl::memory::desc &from) const;

private:
  const void *source = nullptr;
  uint64_t resets = 0;
  std::shared_ptr<PackedForms> forms; ///< null where the tensor is not constant
};

/// Cuts one block of scratch memory into pieces at aligned offsets.
class ScratchPieces {
public:
  /// The offset of the new piece.
  size_t add(size_t bytes) {
    size_t offset = total;
    total += (bytes + 63) / 64 * 64;
    return offset;
  }
  size_t bytes() const { return total; }

private:
  size_t total = 0;
};

/// A primitive with memory objects whose addresses are set before each execution; belongs to one session.
class Execution {
public:
  /// `small`: created and run under a SingleThreadScope.
  Execution(const dnnl::primitive &primitive, const dnnl::memory::desc &scratchpad, bool small);
  /// Adds an argument; its slot is the number of arguments added before.
  void add(int argument, const dnnl::memory::desc &desc);
  void set(size_t slot, void *data) { memories[slot].set_data_handle(data); }
  size_t scratchBytes() const { return scratchSize; }
  /// `scratch` has at least scratchBytes.
  void run(void *scratch);

private:
  dnnl::primitive primitive;
  std::vector<dnnl::memory> memories;
  std::vector<dnnl_exec_arg_t> arguments;
  size_t scratchSize;
  bool small;
  dnnl::memory scratchpad;
};

} // namespace proa::runtime
