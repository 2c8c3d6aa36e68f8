#include "lib/runtime/memory/WeightStore.h"

#include "lib/runtime/kernels/common/OneDnn.h"

#include <cstring>

namespace proa::runtime {

std::shared_ptr<PackedForms> WeightStore::formsOf(const void *source) {
  std::lock_guard lock(mutex);
  std::erase_if(forms, [](const auto &entry) { return entry.second.expired(); });
  std::weak_ptr<PackedForms> &entry = forms[source];
  std::shared_ptr<PackedForms> found = entry.lock();
  if (!found)
    entry = found = std::make_shared<PackedForms>();
  return found;
}

Tensor WeightStore::shared(const Tensor &tensor, const std::shared_ptr<void> &owner) {
  std::lock_guard lock(mutex);
  std::vector<Known> &known = tensors[tensor.describe()];
  std::erase_if(known, [](const Known &entry) { return entry.owner.expired(); });
  for (const Known &entry : known)
    if (std::shared_ptr<void> kept = entry.owner.lock();
        kept && std::memcmp(entry.data, tensor.data(), tensor.bytes()) == 0)
      return {tensor.dtype(), tensor.dims(), entry.data, std::move(kept)};
  known.push_back({owner.get(), owner});
  return tensor;
}

} // namespace proa::runtime
