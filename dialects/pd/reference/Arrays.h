/// Values of tensors and tensor arrays on the host, which reference kernels of ops on arrays compute.
#pragma once

#include "proa/Tensor.h"

#include "mlir/IR/Value.h"

#include "llvm/ADT/DenseMap.h"

#include <optional>
#include <vector>

namespace proa::pd {

/// The value of an array at one point of a run. Elements that were never written have no tensor.
using HostArray = std::vector<std::optional<Tensor>>;

/// Thrown by a lookup of a value that nothing has computed.
struct MissingValue {};

/// A map by the program's values whose lookups are checked.
template <class T> class ValueMap {
public:
  T &operator[](mlir::Value value) { return map[value]; }
  bool contains(mlir::Value value) const { return map.contains(value); }
  /// The entry of a value; throws MissingValue if there is none.
  const T &at(mlir::Value value) const {
    auto found = map.find(value);
    if (found == map.end())
      throw MissingValue();
    return found->second;
  }
  auto begin() { return map.begin(); }
  auto end() { return map.end(); }

private:
  llvm::DenseMap<mlir::Value, T> map;
};

/// The tensors and arrays of a run, by the program's values.
struct HostValues {
  ValueMap<Tensor> tensors;
  ValueMap<HostArray> arrays;

  /// Copies the tensor or array of `from` to `to`.
  void copy(mlir::Value from, mlir::Value to);
};

} // namespace proa::pd
