#include "lib/runtime/kernels/common/PostOps.h"

#include "lib/runtime/host/ThreadPool.h"
#include "lib/runtime/kernels/common/Convert.h"
#include "lib/runtime/kernels/common/RowPostOps.h"

#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <numbers>

namespace proa::runtime {

struct PostOpActivation {
  PostOpKind kind;
  double (*apply)(double x, double alpha, double beta);
  void (*append)(dnnl::post_ops &list, float alpha, float beta);
  RowActivation row = RowActivation::None;
};

namespace {

using dnnl::algorithm;

template <algorithm Algorithm> void single(dnnl::post_ops &list, float alpha, float beta) {
  list.append_eltwise(1.0f, Algorithm, alpha, beta);
}

double sigmoid(double x) { return 1 / (1 + std::exp(-x)); }
double clamp(double x, double low, double high) { return x < low ? low : x > high ? high : x; }

// One activation a row: x -> f(x; alpha, beta).
const PostOpActivation activations[] = {
    {PostOpKind::Relu, [](double x, double, double) { return x > 0 || std::isnan(x) ? x : 0; },
     [](dnnl::post_ops &list, float, float) { single<algorithm::eltwise_relu>(list, 0, 0); },
     RowActivation::Relu},
    {PostOpKind::LeakyRelu, [](double x, double a, double) { return x > 0 ? x : a * x; },
     single<algorithm::eltwise_relu>, RowActivation::LeakyRelu},
    {PostOpKind::Relu6, [](double x, double a, double) { return clamp(x, 0, a); },
     [](dnnl::post_ops &list, float a, float) { single<algorithm::eltwise_clip>(list, 0, a); },
     RowActivation::Relu6},
    {PostOpKind::Clip, [](double x, double a, double b) { return clamp(x, a, b); },
     single<algorithm::eltwise_clip>, RowActivation::Clip},
    {PostOpKind::GeluErf,
     [](double x, double, double) { return 0.5 * x * (1 + std::erf(x / std::numbers::sqrt2)); },
     single<algorithm::eltwise_gelu_erf>, RowActivation::GeluErf},
    {PostOpKind::GeluTanh,
     [](double x, double, double) {
       return 0.5 * x * (1 + std::tanh(std::sqrt(2 / std::numbers::pi) * (x + 0.044715 * x * x * x)));
     },
     single<algorithm::eltwise_gelu_tanh>, RowActivation::GeluTanh},
    {PostOpKind::Sigmoid, [](double x, double, double) { return sigmoid(x); },
     single<algorithm::eltwise_logistic>, RowActivation::Sigmoid},
    {PostOpKind::Tanh, [](double x, double, double) { return std::tanh(x); }, single<algorithm::eltwise_tanh>,
     RowActivation::Tanh},
    {PostOpKind::Swish, [](double x, double a, double) { return x * sigmoid(a * x); },
     single<algorithm::eltwise_swish>, RowActivation::Swish},
    {PostOpKind::HardSwish, [](double x, double, double) { return x * clamp(x + 3, 0, 6) / 6; },
     single<algorithm::eltwise_hardswish>, RowActivation::HardSwish},
    // slope and offset; oneDNN 2.6 has no such function, but a line and a clamp
    {PostOpKind::HardSigmoid, [](double x, double a, double b) { return clamp(a * x + b, 0, 1); },
     [](dnnl::post_ops &list, float a, float b) {
       single<algorithm::eltwise_linear>(list, a, b);
       single<algorithm::eltwise_clip>(list, 0, 1);
     },
     RowActivation::HardSigmoid},
    {PostOpKind::Elu, [](double x, double a, double) { return x > 0 ? x : a * std::expm1(x); },
     single<algorithm::eltwise_elu>},
    {PostOpKind::Mish, [](double x, double, double) { return x * std::tanh(std::log1p(std::exp(x))); },
     single<algorithm::eltwise_mish>, RowActivation::Mish},
    {PostOpKind::Exp, [](double x, double, double) { return std::exp(x); }, single<algorithm::eltwise_exp>},
    {PostOpKind::Abs, [](double x, double, double) { return std::abs(x); }, single<algorithm::eltwise_abs>,
     RowActivation::Abs},
    {PostOpKind::Square, [](double x, double, double) { return x * x; }, single<algorithm::eltwise_square>,
     RowActivation::Square},
    {PostOpKind::Sqrt, [](double x, double, double) { return std::sqrt(x); },
     single<algorithm::eltwise_sqrt>},
    {PostOpKind::Linear, [](double x, double a, double b) { return a * x + b; },
     single<algorithm::eltwise_linear>, RowActivation::Linear},
};

/// Null for a kind that reads a tensor.
const PostOpActivation *findActivation(PostOpKind kind) {
  for (const PostOpActivation &activation : activations)
    if (kind == activation.kind)
      return &activation;
  return nullptr;
}

} // namespace

Result<std::vector<PostOp>> resolvePostOps(std::span<const PostOpAttribute> attributes,
                                           const KernelRequest &request) {
  std::vector<PostOp> ops;
  size_t next = 2;
  for (const PostOpAttribute &attribute : attributes) {
    PostOp op;
    op.activation = findActivation(attribute.kind);
    if (op.activation) {
      op.alpha = static_cast<float>(attribute.alpha.value_or(0));
      op.beta = static_cast<float>(attribute.beta.value_or(0));
    } else {
      op.kind = attribute.kind == PostOpKind::Bias  ? PostOp::Kind::Bias
                : attribute.kind == PostOpKind::Add ? PostOp::Kind::Add
                                                    : PostOp::Kind::Multiply;
      op.input = next++;
      if (op.input >= request.inputs.size() || !request.inputs[op.input].present)
        return failure("post-op {} needs input {}, which is missing", ops.size(), op.input);
    }
    ops.push_back(op);
  }
  if (next < request.inputs.size())
    return failure("expected {} inputs, found {}", next, request.inputs.size());
  return ops;
}

Result<void> expectOneDType(const KernelRequest &request, std::string_view operands) {
  DType x = request.inputs[0].dtype, y = request.inputs[1].dtype, out = request.outputs[0].dtype;
  if (x == y && x == out)
    return {};
  return failure("expected {} to have one dtype, found {}, {} and {}", operands, nameOf(x), nameOf(y),
                 nameOf(out));
}

size_t leadingWithoutTensors(std::span<const PostOp> ops) {
  size_t count = 0;
  while (count < ops.size() &&
         (!ops[count].hasOperand() || (count == 0 && ops[count].kind == PostOp::Kind::Bias)))
    ++count;
  return count;
}

void appendActivation(dnnl::post_ops &list, const PostOp &op) {
  op.activation->append(list, op.alpha, op.beta);
}

int appendBinary(dnnl::post_ops &list, const PostOp &op, const dnnl::memory::desc &operand) {
  bool multiplies = op.kind == PostOp::Kind::Multiply;
  list.append_binary(multiplies ? algorithm::binary_mul : algorithm::binary_add, operand);
  return DNNL_ARG_ATTR_MULTIPLE_POST_OP(list.len() - 1) | DNNL_ARG_SRC_1;
}

std::optional<size_t> inPlaceCandidate(std::span<const PostOp> ops, std::span<const StridedOperand> operands,
                                       const StridedOperand &result, std::span<const OperandType> inputs) {
  for (size_t i = 0; i < ops.size(); ++i)
    if (ops[i].kind == PostOp::Kind::Add)
      return operands[i].dims == result.dims && inputs[ops[i].input].dtype == inputs[0].dtype
                 ? std::optional(i)
                 : std::nullopt;
  return std::nullopt;
}

RowActivation rowActivation(const PostOp &op) { return op.activation->row; }

double applyActivation(const PostOp &op, double value) {
  return op.activation->apply(value, op.alpha, op.beta);
}

Result<StridedOperand> broadcastOperand(std::span<const int64_t> operand, std::span<const int64_t> result) {
  StridedOperand out{std::vector<int64_t>(result.size(), 1), std::vector<int64_t>(result.size(), 0)};
  bool fits = operand.size() <= result.size();
  size_t shift = fits ? result.size() - operand.size() : 0;
  std::vector<int64_t> strides = rowMajorStrides(operand);
  for (size_t i = 0; fits && i < operand.size(); ++i) {
    fits = operand[i] == result[shift + i] || operand[i] == 1;
    out.dims[shift + i] = operand[i];
    out.strides[shift + i] = operand[i] == 1 ? 0 : strides[i];
  }
  if (!fits)
    return failure("an operand of dims [{}] does not broadcast to [{}]", fmt::join(operand, ", "),
                   fmt::join(result, ", "));
  return out;
}

namespace {

double numberAt(const View &view, int64_t offset) {
  double value = 0;
  dispatchReal(view.dtype, [&](auto zero) {
    using T = decltype(zero);
    value = static_cast<double>(static_cast<Wide<T>>(view.as<T>()[offset]));
  });
  return value;
}

} // namespace

PostOpOperands::PostOpOperands(std::span<const PostOp> ops, const Call &call, size_t fused, const View &out)
    : fused(fused) {
  for (const PostOp &op : ops.subspan(fused)) {
    views.push_back(op.hasOperand() ? call.input(op.input) : View());
    if (views.back().data != out.data || !op.hasOperand())
      continue;
    saved = Tensor(out.dtype, {out.dims.begin(), out.dims.end()});
    std::memcpy(saved.data(), out.data, saved.bytes());
    views.back().data = saved.data();
  }
}

/// In vectors, without a bias, which some fused kernel has added; false where RowPostOps cannot.
static bool applyInVectors(const View &result, const StridedOperand &layout, std::span<const PostOp> ops,
                           std::span<const StridedOperand> layouts, const PostOpOperands &operands) {
  constexpr int64_t grain = 32768; // elements that one core computes in some microseconds
  std::vector<OperandType> types(ops.size() + 2);
  std::vector<const float *> values;
  for (size_t i = operands.first(); i < ops.size(); ++i) {
    if (ops[i].kind == PostOp::Kind::Bias || result.dtype != DType::Float32)
      return false;
    if (ops[i].hasOperand())
      types[ops[i].input].dtype = operands[i].dtype;
    values.push_back(ops[i].hasOperand() ? operands[i].as<float>() : nullptr);
  }
  auto rows =
      RowPostOps::create(ops.subspan(operands.first()), layout, layouts.subspan(operands.first()), types);
  if (!rows)
    return false;
  int64_t channels = layout.dims[1], positions = result.size() / channels;
  parallelFor(positions, 1 + grain / channels, [&](int64_t begin, int64_t end) {
    rows->apply(result.as<float>() + begin * channels, end - begin, begin * channels, values);
  });
  return true;
}

Result<void> applyPostOps(const View &result, const StridedOperand &layout, std::span<const PostOp> ops,
                          std::span<const StridedOperand> layouts, const PostOpOperands &operands) {
  if (operands.first() == ops.size() || result.size() == 0)
    return {};
  if (applyInVectors(result, layout, ops, layouts, operands))
    return {};
  size_t inner = layout.dims.size() - 1; // the innermost axis; results have at least two
  int64_t columns = layout.dims[inner];
  bool known = dispatchReal(result.dtype, [&](auto zero) {
    using T = decltype(zero);
    parallelFor(result.size() / columns, 1 + 1000 / columns, [&](int64_t begin, int64_t end) {
      std::vector<int64_t> offsets(ops.size());
      for (int64_t row = begin; row < end; ++row) {
        int64_t target = 0, rest = row;
        std::fill(offsets.begin(), offsets.end(), 0);
        for (size_t axis = inner; axis-- > 0; rest /= layout.dims[axis]) {
          int64_t index = rest % layout.dims[axis];
          target += index * layout.strides[axis];
          for (size_t o = operands.first(); o < ops.size(); ++o)
            offsets[o] += ops[o].hasOperand() ? index * layouts[o].strides[axis] : 0;
        }
        for (int64_t i = 0; i < columns; ++i) {
          T &element = result.as<T>()[target + i * layout.strides[inner]];
          auto value = static_cast<double>(static_cast<Wide<T>>(element));
          for (size_t o = operands.first(); o < ops.size(); ++o) {
            if (!ops[o].hasOperand()) {
              value = applyActivation(ops[o], value);
              continue;
            }
            double operand = numberAt(operands[o], offsets[o] + i * layouts[o].strides[inner]);
            value = ops[o].kind == PostOp::Kind::Multiply ? value * operand : value + operand;
          }
          element = convertElement<T>(value);
        }
      }
    });
  });
  if (!known)
    return failure("post-ops on {} are not supported", nameOf(result.dtype));
  return {};
}

} // namespace proa::runtime
