/// Operations that a matmul or convolution applies to its result while it is still in registers. The
/// attribute class #rt.post_op (dialects/rt/Rt.td) defines them.
#pragma once

#include "lib/runtime/kernels/common/OneDnn.h"
#include "lib/runtime/plan/Library.h"

#include "dialects/rt/Rt.kernels.inc"

namespace proa::runtime {

struct PostOpActivation; // one row of the table

/// The activations that RowPostOps has.
enum class RowActivation : uint8_t {
  None,
  Relu,
  Relu6, ///< to at most alpha
  LeakyRelu,
  Clip,
  Linear,
  Abs,
  Square,
  HardSwish,
  HardSigmoid,
  Sigmoid,
  Swish,
  Tanh,
  Mish,
  GeluTanh,
  GeluErf
};

struct PostOp {
  enum class Kind : uint8_t { Bias, Add, Multiply, Activation };
  Kind kind = Kind::Activation;
  const PostOpActivation *activation = nullptr;
  float alpha = 0, beta = 0;
  size_t input = 0; ///< Bias, Add, Multiply: index of the step's input

  bool hasOperand() const { return kind != Kind::Activation; }
};

/// The post-ops of a matmul or convolution of inputs 0 and 1; their operands are the inputs after these.
/// Error: too few or too many inputs.
Result<std::vector<PostOp>> resolvePostOps(std::span<const PostOpAttribute> attributes,
                                           const KernelRequest &request);
/// Error: inputs 0 and 1 and the result have not one dtype; `operands` are the names of these three.
Result<void> expectOneDType(const KernelRequest &request, std::string_view operands);

/// How many of the first ops are activations or the bias: those that every implementation of oneDNN fuses.
size_t leadingWithoutTensors(std::span<const PostOp> ops);

/// Appends an activation to oneDNN's list.
void appendActivation(dnnl::post_ops &list, const PostOp &op);
/// Appends the first `count` post-ops to oneDNN's list, post-op `sum` as an addition in place. Calls
/// addOperand(i, dtype) for each other post-op i that reads a tensor; false if that returns false, or if
/// oneDNN lacks the tensor's dtype.
template <class AddOperand>
bool appendPostOps(dnnl::post_ops &list, std::span<const PostOp> ops, size_t count, std::optional<size_t> sum,
                   std::span<const OperandType> inputs, AddOperand addOperand) {
  for (size_t i = 0; i < count; ++i) {
    if (!ops[i].hasOperand()) {
      appendActivation(list, ops[i]);
    } else if (sum == i) {
      list.append_sum(1.0f);
    } else {
      std::optional<dnnl::memory::data_type> dtype = dnnlType(inputs[ops[i].input].dtype);
      if (!dtype || !addOperand(i, *dtype))
        return false;
    }
  }
  return true;
}
/// Tries to plan with all post-ops, then with those that every implementation of oneDNN fuses, then with
/// none: plan(count) returns true if it succeeded. The kernel applies the other post-ops after oneDNN.
template <class TryPlan> bool planWithFusion(std::span<const PostOp> ops, TryPlan plan) {
  size_t previous = SIZE_MAX;
  for (size_t count : {ops.size(), leadingWithoutTensors(ops), size_t(0)}) {
    if (count != previous && plan(count))
      return true;
    previous = count;
  }
  return false;
}
/// Appends an addition or a multiplication to oneDNN's list; returns oneDNN's name of the operand's argument.
int appendBinary(dnnl::post_ops &list, const PostOp &op, const dnnl::memory::desc &operand);
/// None where RowPostOps does not have the op's activation.
RowActivation rowActivation(const PostOp &op);
/// The activation of one number.
double applyActivation(const PostOp &op, double value);

/// A tensor seen along the axes of the result: dim 1 where it broadcasts.
struct StridedOperand {
  std::vector<int64_t> dims, strides;
};

/// The index of the post-op that may be added in place: the first "add", if its operand has the result's dims
/// and dtype. `operands` are the layouts of the post-ops' operands.
std::optional<size_t> inPlaceCandidate(std::span<const PostOp> ops, std::span<const StridedOperand> operands,
                                       const StridedOperand &result, std::span<const OperandType> inputs);

/// The operands of the post-ops that a kernel does not fuse. Created before the kernel writes its output: an
/// operand in the memory of the output is copied first.
class PostOpOperands {
public:
  /// For ops[fused], ops[fused + 1] and so on.
  PostOpOperands(std::span<const PostOp> ops, const Call &call, size_t fused, const View &out);
  size_t first() const { return fused; }
  const View &operator[](size_t op) const { return views[op - fused]; }

private:
  size_t fused;
  std::vector<View> views;
  Tensor saved;
};

/// Applies ops[operands.first()] and those after it to a result that lies in memory as `layout` says.
/// `layouts[i]`, along the same axes, belongs to ops[i]. Slow but general: for dtypes and broadcasts that
/// oneDNN does not fuse.
Result<void> applyPostOps(const View &result, const StridedOperand &layout, std::span<const PostOp> ops,
                          std::span<const StridedOperand> layouts, const PostOpOperands &operands);

/// `operand` aligned at the last axis with the dims `result`, or an error where it does not broadcast to
/// them.
Result<StridedOperand> broadcastOperand(std::span<const int64_t> operand, std::span<const int64_t> result);

} // namespace proa::runtime
