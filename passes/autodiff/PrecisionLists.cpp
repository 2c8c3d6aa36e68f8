#include "passes/autodiff/PrecisionLists.h"

#include "llvm/ADT/StringSwitch.h"

using namespace mlir;

namespace proa::autodiff {
namespace {

const char *const lowOps[] = {"matmul", "matmul_with_flatten", "bmm", "mv", "addmm", "baddbmm", "einsum",
                              "multi_dot", "conv2d", "max_pool2d_with_index",
                              // in gradients of these
                              "conv2d_transpose", "conv2d_weight_gradient"};

const char *const fullOps[] = {"acos",
                               "asin",
                               "tan",
                               "sinh",
                               "cosh",
                               "atanh",
                               "erfinv",
                               "exp",
                               "expm1",
                               "log",
                               "log10",
                               "log2",
                               "log1p",
                               "reciprocal",
                               "rsqrt",
                               "pow",
                               "square",
                               "sum",
                               "mean",
                               "mean_all",
                               "prod",
                               "cumprod",
                               "cumsum",
                               "dist",
                               "p_norm",
                               "frobenius_norm",
                               "norm",
                               "renorm",
                               "group_norm",
                               "layer_norm",
                               "instance_norm",
                               "softmax",
                               "softplus",
                               "log_softmax",
                               "logsumexp",
                               "cross_entropy_with_softmax",
                               "c_softmax_with_cross_entropy",
                               "sigmoid_cross_entropy_with_logits",
                               "cross_entropy",
                               "nll_loss",
                               "huber_loss",
                               "log_loss",
                               "hsigmoid_loss",
                               "kldiv_loss",
                               "bce_loss"};

/// Full on both levels.
const char *const alwaysFullOps[] = {"linear_interp", "nearest_interp", "bilinear_interp", "bicubic_interp",
                                     "trilinear_interp", "interpolate_gradient", "embedding", "scatter",
                                     // in gradients of these
                                     "scatter_nd", "put_along_axis",
                                     // which update parameters
                                     "sgd", "momentum", "sparse_momentum", "dgc_momentum", "lars_momentum",
                                     "adam", "adamw", "adamax", "adagrad", "adadelta", "decayed_adagrad",
                                     "proximal_adagrad", "proximal_gd", "rmsprop", "ftrl", "lamb", "dpsgd",
                                     "clip_by_norm", "squared_l2_norm", "check_finite_and_unscale",
                                     "update_loss_scaling", "average_accumulates",
                                     // with running statistics and gradients of all images
                                     "batch_norm"};

const char *const followingOps[] = {
    "add", "subtract", "multiply", "divide", "maximum", "minimum", "elementwise_pow", "remainder",
    "floor_divide", "tanh", "sigmoid", "topk", "pool2d", "pool3d", "dropout", "relu", "relu6", "leaky_relu",
    "flatten", "stack", "unbind", "slice", "scale", "transpose", "reshape", "gather", "sign", "concat",
    "split", "c_identity", "c_concat", "all_reduce",
    // in gradients of these
    "negate", "where", "expand", "squeeze", "unsqueeze", "add_n", "pool2d_gradient", "pool3d_gradient",
    "set_value", "pad", "equal", "not_equal", "less_than", "less_equal", "greater_than", "greater_equal",
    "optimization_barrier"};

template <size_t N>
void put(llvm::StringMap<Precision> &map, const char *const (&names)[N], Precision precision) {
  for (const char *name : names)
    map[(llvm::Twine("pd.") + name).str()] = precision;
}

} // namespace

PrecisionLists::PrecisionLists(bool isO2) {
  put(byName, lowOps, Precision::Low);
  put(byName, fullOps, isO2 ? Precision::Unknown : Precision::Full);
  put(byName, alwaysFullOps, Precision::Full);
  put(byName, followingOps, isO2 ? Precision::Unknown : Precision::Follow);
}

LogicalResult PrecisionLists::set(MLIRContext *context, StringRef op, Precision precision) {
  std::string name = op.contains('.') ? op.str() : ("pd." + op).str();
  if (!RegisteredOperationName::lookup(name, context))
    return failure();
  byName[name] = precision;
  return success();
}

Precision PrecisionLists::of(Operation *op) const {
  auto found = byName.find(op->getName().getStringRef());
  return found == byName.end() ? Precision::Unknown : found->second;
}

} // namespace proa::autodiff
