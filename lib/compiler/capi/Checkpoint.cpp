//! The C interface of checkpoints.
#include "lib/checkpoint/Checkpoint.h"

#include "lib/compiler/capi/Handles.h"

using namespace proa;

struct proa_checkpoint {
  checkpoints::Checkpoint checkpoint;
  std::vector<TensorInfo> tensors; ///< in the order of their names
  Tensor value;                    ///< of the last read
};

namespace {

/// The box of the caller; whole if there are no bounds.
Result<checkpoints::Box> boxFromC(const checkpoints::TensorEntry &tensor, const std::string &where,
                                  const int64_t *begin, const int64_t *end) {
  checkpoints::Box box = checkpoints::wholeBox(tensor.dims);
  if (!begin && !end)
    return box;
  if (!begin || !end)
    return errorAt(where, "one of 'begin' and 'end' is NULL, expected both or none");
  Diagnostics diagnostics;
  for (size_t dim = 0; dim < box.size(); ++dim) {
    if (begin[dim] < 0 || begin[dim] > end[dim] || end[dim] > tensor.dims[dim])
      diagnostics.add(where, fmt::format("found the range [{}, {}) of dim {}, expected one in [0, {})",
                                         begin[dim], end[dim], dim, tensor.dims[dim]));
    box[dim] = {begin[dim], end[dim]};
  }
  if (!diagnostics.empty())
    return diagnostics;
  return box;
}

} // namespace

proa_checkpoint *proa_checkpoint_open(const char *path) {
  return capi::guarded<proa_checkpoint *>(nullptr, [&]() -> Result<proa_checkpoint *> {
    if (!path)
      return capi::isNull("proa_checkpoint_open", "the path");
    Result<checkpoints::Checkpoint> opened = checkpoints::Checkpoint::open(path);
    if (!opened)
      return opened.diagnostics();
    std::vector<TensorInfo> tensors;
    for (const auto &[name, entry] : opened->catalog().tensors)
      tensors.push_back({.name = name, .dtype = entry.dtype, .dims = entry.dims});
    return new proa_checkpoint{std::move(*opened), std::move(tensors), {}};
  });
}

void proa_checkpoint_close(proa_checkpoint *checkpoint) { delete checkpoint; }

int64_t proa_checkpoint_step(const proa_checkpoint *checkpoint) {
  return checkpoint && checkpoint->checkpoint.catalog().training
             ? checkpoint->checkpoint.catalog().training->step
             : -1;
}

size_t proa_checkpoint_tensor_count(const proa_checkpoint *checkpoint) {
  return checkpoint ? checkpoint->tensors.size() : 0;
}

int proa_checkpoint_tensor(const proa_checkpoint *checkpoint, size_t index, proa_tensor_info *info) {
  return capi::guardedCall([&]() -> Result<void> {
    if (!checkpoint)
      return capi::isNull("proa_checkpoint_tensor", "the checkpoint");
    return capi::describeEntry(checkpoint->tensors, index, "tensor", info);
  });
}

int proa_checkpoint_read(proa_checkpoint *checkpoint, const char *name, const int64_t *begin,
                         const int64_t *end, proa_tensor *value) {
  return capi::guardedCall([&]() -> Result<void> {
    if (!checkpoint || !name || !value)
      return capi::isNull("proa_checkpoint_read", !checkpoint ? "the checkpoint"
                                                  : !name     ? "the name"
                                                              : "the place for the value");
    checkpoints::Box box;
    const auto &tensors = checkpoint->checkpoint.catalog().tensors;
    if (auto tensor = tensors.find(name); tensor != tensors.end()) {
      auto given = boxFromC(tensor->second, std::string("tensor '") + name + "'", begin, end);
      if (!given)
        return given.diagnostics();
      box = std::move(*given);
    }
    Result<Tensor> read =
        checkpoint->checkpoint.read(name, box); // which names what an unknown tensor is like
    if (!read)
      return read.diagnostics();
    checkpoint->value = std::move(*read);
    *value = capi::tensorToC(checkpoint->value);
    return {};
  });
}
