/// Weights in the forms that kernels read, shared by the executables of one model.
#pragma once

#include "proa/Tensor.h"

#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

namespace proa::runtime {

class PackedForms; // kernels/common/OneDnn.h

/// Tensors that programs compute once from equal parameters, and the packed forms of constant tensors. All
/// are freed with the last executable that uses them. Any number of threads may use it.
class WeightStore {
public:
  /// The packed forms of the constant tensor at this address, which must keep its bytes as long as the result
  /// exists.
  std::shared_ptr<PackedForms> formsOf(const void *source);
  /// A tensor of an executable with equal bytes, or else `tensor`, whose memory `owner` keeps.
  /// It is read-only from now on.
  Tensor shared(const Tensor &tensor, const std::shared_ptr<void> &owner);

private:
  struct Known {
    void *data;
    std::weak_ptr<void> owner;
  };
  std::mutex mutex;
  std::map<const void *, std::weak_ptr<PackedForms>> forms;
  std::map<std::string, std::vector<Known>> tensors; ///< by type
};

} // namespace proa::runtime
