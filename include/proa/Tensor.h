/// A tensor in host memory: what is fed to a program, fetched from it, and read from weight files.
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

/// Element types. Bool takes one byte (0 or 1).
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

/// Bytes of one element.
size_t sizeOf(DType dtype);
/// "float32", "bool", "complex64", ...
std::string_view nameOf(DType dtype);
/// The inverse of nameOf.
std::optional<DType> dtypeFromName(std::string_view name);
/// Number of elements, or nothing where a dimension is negative or the product does not fit in 63 bits.
std::optional<int64_t> elementCount(std::span<const int64_t> dims);
/// "float32[2, 3]".
std::string describe(DType dtype, std::span<const int64_t> dims);

/// How the rows of a tensor belong to sequences: one list of ascending offsets a level, from the outermost to
/// the innermost. The offsets of the innermost level count rows, those of another the sequences of the next
/// one: {{0, 2, 5}} are two sequences, rows 0 and 1, and rows 2 to 4.
using Lod = std::vector<std::vector<int64_t>>;

/// A dense row-major tensor. Copies share the bytes; the owner keeps them alive (a buffer of its own, or a
/// mapped file).
class Tensor {
public:
  Tensor() = default;
  /// Uninitialized memory, aligned to 64 bytes. `dims` must have an elementCount.
  Tensor(DType dtype, std::vector<int64_t> dims);
  /// A view of memory that `owner` keeps alive.
  Tensor(DType dtype, std::vector<int64_t> dims, void *data, std::shared_ptr<const void> owner);

  DType dtype() const { return elementType; }
  const std::vector<int64_t> &dims() const { return shape; }
  int64_t size() const { return count; }
  size_t bytes() const { return static_cast<size_t>(count) * sizeOf(elementType); }
  void *data() { return storage; }
  const void *data() const { return storage; }
  template <class T> T *as() { return static_cast<T *>(storage); }
  template <class T> const T *as() const { return static_cast<const T *>(storage); }
  std::string describe() const { return proa::describe(elementType, shape); }
  /// The same bytes under other dims of the same element count.
  Tensor reshaped(std::vector<int64_t> dims) const;
  /// The sequences that the rows form; empty for most tensors.
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
