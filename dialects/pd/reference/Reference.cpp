#include "dialects/pd/reference/Reference.h"

#include "dialects/pd/reference/Evaluate.h"

namespace proa::pd {

Images::Images(const Tensor &tensor, DataFormat format)
    : sizes(tensor.dims().begin(), tensor.dims().end()), strides(rowMajorStrides(tensor.dims())) {
  if (!channelsAreLast(format))
    return;
  for (auto *list : {&sizes, &strides}) {
    list->insert(list->begin() + 1, list->back());
    list->pop_back();
  }
}

int64_t Images::at(int64_t batch, int64_t channel, llvm::ArrayRef<int64_t> position) const {
  int64_t index = batch * strides[0] + channel * strides[1];
  for (size_t axis = 0; axis < position.size(); ++axis)
    index += position[axis] * strides[2 + axis];
  return index;
}

llvm::SmallVector<int64_t> paddingsBefore(PaddingAlgorithm algorithm, llvm::ArrayRef<int64_t> paddings,
                                          llvm::ArrayRef<int64_t> dims, llvm::ArrayRef<int64_t> kernel,
                                          llvm::ArrayRef<int64_t> strides) {
  llvm::SmallVector<int64_t> before(dims.size(), 0);
  for (size_t axis = 0; axis < dims.size(); ++axis) {
    if (algorithm == PaddingAlgorithm::Same) {
      int64_t windows = (dims[axis] + strides[axis] - 1) / strides[axis];
      before[axis] = std::max<int64_t>(0, (windows - 1) * strides[axis] + kernel[axis] - dims[axis]) / 2;
    } else if (algorithm != PaddingAlgorithm::Valid) {
      before[axis] = paddings[paddings.size() == 2 * dims.size() ? 2 * axis : axis];
    }
  }
  return before;
}

double realAt(const Tensor &tensor, int64_t index) { return loadScalar(tensor, index).real(); }
void setReal(Tensor &tensor, int64_t index, double value) {
  storeScalar(tensor, index, HostScalar::of(value));
}

const Tensor *operandOf(mlir::Operation *op, llvm::ArrayRef<Tensor> operands, mlir::Value operand) {
  for (auto [value, tensor] : llvm::zip(op->getOperands(), operands))
    if (value == operand)
      return &tensor;
  return nullptr;
}

llvm::FailureOr<std::vector<Rows>> sequencesOf(const Tensor &x, const Tensor *lengths,
                                               const Tensor *offsets) {
  std::vector<Rows> out;
  if (offsets) {
    std::vector<int64_t> ends = integersOf(*offsets);
    for (size_t i = 0; i + 1 < ends.size(); ++i)
      out.push_back({ends[i], ends[i + 1]});
    bool fits = !ends.empty() && ends.front() == 0 && llvm::is_sorted(ends) && !x.dims().empty() &&
                ends.back() == x.dims()[0];
    if (!fits)
      return llvm::failure();
    return out;
  }
  if (x.dims().size() < 2)
    return llvm::failure();
  int64_t time = x.dims()[1];
  std::vector<int64_t> counts(static_cast<size_t>(x.dims()[0]), time);
  if (lengths)
    counts = integersOf(*lengths);
  if (static_cast<int64_t>(counts.size()) != x.dims()[0])
    return llvm::failure();
  for (auto [i, count] : llvm::enumerate(counts)) {
    if (count < 0 || count > time)
      return llvm::failure();
    auto begin = static_cast<int64_t>(i) * time;
    out.push_back({begin, begin + count});
  }
  return out;
}

std::vector<int64_t> integersOf(const Tensor &tensor) {
  std::vector<int64_t> out;
  for (int64_t i = 0; i < tensor.size(); ++i)
    out.push_back(loadScalar(tensor, i).integer);
  return out;
}

Tensor vectorOf(DType dtype, llvm::ArrayRef<int64_t> values) {
  Tensor out(dtype, {static_cast<int64_t>(values.size())});
  for (auto [i, value] : llvm::enumerate(values))
    storeScalar(out, static_cast<int64_t>(i), HostScalar::of(value));
  return out;
}

} // namespace proa::pd
