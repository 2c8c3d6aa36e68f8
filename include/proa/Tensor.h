/// Tensors in host memory: feeds, fetches and weights.
#pragma once

#include "proa/Result.h"

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace proa {

/// Element types. A Bool is one byte, 0 or 1; a complex number is a pair (real, imaginary).
enum class DType : uint8_t {
  Bool,
  UInt8,
  UInt16,
  UInt32,
  UInt64,
  Int8,
  Int16,
  Int32,
  Int64,
  Float8E4M3FN,
  Float8E5M2,
  Float16,
  BFloat16,
  Float32,
  Float64,
  Complex64,
  Complex128,
};

/// Size of one element in bytes.
size_t sizeOf(DType dtype);
/// Name of the dtype: "float32", "bool", "complex64", ...
std::string_view nameOf(DType dtype);
/// The dtype of this name, the inverse of nameOf; empty for an unknown name.
std::optional<DType> dtypeFromName(std::string_view name);
/// Number of elements; empty if a dim is negative or the number does not fit in 63 bits.
std::optional<int64_t> elementCount(std::span<const int64_t> dims);
/// Text of a tensor type: "float32[2, 3]".
std::string describe(DType dtype, std::span<const int64_t> dims);

/// Level of detail: the sequences that the rows of a tensor form. One list of ascending offsets for each
/// level, from the outermost to the innermost. Offsets of the innermost level are row indices; offsets of
/// another level are indices of sequences of the next level. {{0, 2, 5}} has two sequences: rows 0 to 1 and
/// rows 2 to 4.
using Lod = std::vector<std::vector<int64_t>>;

/// A dense row-major tensor. Copies share the data, which a shared owner keeps alive (a buffer or a mapped
/// file).
class Tensor {
public:
  Tensor() = default;
  /// A tensor of uninitialized memory, aligned to 64 bytes. `dims` must have an elementCount.
  Tensor(DType dtype, std::vector<int64_t> dims);
  /// A view of memory that `owner` keeps alive: `elementCount(dims)` elements, row-major without gaps.
  Tensor(DType dtype, std::vector<int64_t> dims, void *data, std::shared_ptr<const void> owner);

  DType dtype() const { return elementType; }
  const std::vector<int64_t> &dims() const { return shape; }
  /// Number of elements.
  int64_t size() const { return count; }
  /// Size of the data in bytes.
  size_t bytes() const { return static_cast<size_t>(count) * sizeOf(elementType); }
  void *data() { return storage; }
  const void *data() const { return storage; }
  /// The data as elements of type T, which must have the size of the dtype.
  template <class T> T *as() { return static_cast<T *>(storage); }
  template <class T> const T *as() const { return static_cast<const T *>(storage); }
  /// Text of the type: "float32[2, 3]".
  std::string describe() const { return proa::describe(elementType, shape); }
  /// The same data with other dims; a tensor without data if their element count differs.
  Tensor reshaped(std::vector<int64_t> dims) const;
  /// The LoD; empty for a tensor without sequences.
  const Lod &lod() const { return levels; }
  void setLod(Lod lod) { levels = std::move(lod); }

private:
  DType elementType = DType::Float32;
  std::vector<int64_t> shape{0};
  Lod levels;
  int64_t count = 0;
  void *storage = nullptr;
  std::shared_ptr<const void> owner;
};

} // namespace proa
