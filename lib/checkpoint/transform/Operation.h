/// Operations on tensors: statements after the expansion of macros, with checked attributes.
#pragma once

#include "lib/checkpoint/transform/Statement.h"
#include "lib/checkpoint/transform/TensorInfo.h"

namespace proa::transform {

enum class OperationKind : uint8_t {
  Rename,    ///< a -> b
  Split,     ///< a -> b, c, along `axis`; `sizes` or equal pieces
  Merge,     ///< a, b -> c, along `axis`; `sizes`, if any, are the sizes of the sources
  Transpose, ///< result dim i is source dim permutation[i]; empty: all dims in reverse order
  Cast,      ///< to `dtype`
  Rotary,    ///< rows of heads are reordered along `axis` from one rotary style to the other
  Average,   ///< the mean of the sources, with weights
  Drop,      ///< a -> _
  Add,       ///< _ -> a, of `dtype` and `dims`, all elements are `value`
};

/// Where the two elements of a pair that rotary embeddings rotate are in a head.
enum class RotaryStyle : uint8_t {
  Half,        ///< elements i and i + dim / 2
  Interleaved, ///< elements 2 i and 2 i + 1
};

struct Operation {
  OperationKind kind = OperationKind::Rename;
  std::vector<std::string> sources, targets;
  /// Counted from the end if negative.
  int64_t axis = 0;
  std::vector<int64_t> sizes = {};
  std::vector<int64_t> permutation = {};
  /// Of a cast from a stated dtype (`src_dtype`).
  std::optional<DType> sourceDType = {};
  /// Of Cast and Add.
  std::optional<DType> dtype = {};
  /// Rotary: the style of the source, the number of heads, and the elements of a head that are rotated (0:
  /// all).
  RotaryStyle style = RotaryStyle::Half;
  int64_t heads = 1, rotaryDim = 0;
  /// Average: a weight for each source; their sum is 1.
  std::vector<double> weights = {};
  /// Add: dims without a value are the dims of the result's tensor.
  std::optional<std::vector<int64_t>> dims = {};
  double value = 0;
  /// Index of the statement in the list of expansions.
  size_t origin = 0;
};

/// The operation of a statement without macros, or an error.
struct OperationOrError {
  Operation operation = {};
  std::string error = {};
};
OperationOrError operationOf(const Statement &statement);

/// The operation that undoes `operation`, or the reason why there is none.
OperationOrError inverseOf(const Operation &operation);

} // namespace proa::transform
