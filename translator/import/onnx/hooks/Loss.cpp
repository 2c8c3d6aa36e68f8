//! Hooks of ONNX's losses.
#include "translator/import/onnx/GraphImporter.h"

#include "dialects/pd/ops/creation/CreationOps.h"
#include "dialects/pd/ops/index/GatherOps.h"
#include "dialects/pd/ops/shape/DynamicDims.h"

using namespace mlir;

namespace proa::import::onnxhooks {

using pd::Expression;

/// The weighted negative log likelihoods of targets, reduced.
static Expression likelihoodLoss(NodeImporter &node, Expression logs, Expression target) {
  pd::TensorBuilder &e = node.tensors();
  Type element = logs.type().getElementType(), i64 = node.getBuilder().getI64Type();
  target = e.cast(target, i64);
  std::optional<Expression> isIgnored;
  if (node.hasAttribute("ignore_index"))
    isIgnored = e.equal(target, static_cast<double>(node.intAttribute("ignore_index")));
  Expression label = isIgnored ? e.select(*isIgnored, 0.0, target) : target;
  Expression loss = -dropDim(node.create<pd::TakeAlongAxisOp>(logs, insertDim(label, 1), 1), 1);
  std::optional<Expression> weights;
  if (Value weight = node.input("weight|weights"))
    weights = e.cast(node.create<pd::GatherOp>(weight, label, Value(), 0), element);
  else if (isIgnored)
    weights = e.select(*isIgnored, 0.0, expandTo(node.scalar(1, element), dimSizesOf(loss)));
  if (weights && isIgnored)
    weights = e.select(*isIgnored, 0.0, *weights);
  if (weights)
    loss = e.select(e.equal(*weights, 0.0), 0.0, loss * *weights);
  std::string reduction = node.stringAttribute("reduction");
  llvm::SmallVector<int64_t> axes = llvm::to_vector(llvm::seq<int64_t>(0, loss.rank()));
  if (reduction == "none")
    return loss;
  if (reduction == "sum")
    return e.sum(loss, axes, false);
  return weights ? e.sum(loss, axes, false) / e.sum(*weights, axes, false) : e.mean(loss, axes, false);
}

void importNegativeLogLikelihoodLoss(NodeImporter &node) {
  pd::TensorBuilder &e = node.tensors();
  Expression x = node.operand("input");
  Expression loss = likelihoodLoss(node, e.computed(x), node.operand("target"));
  node.setOutput("loss", e.cast(loss, x.type().getElementType()));
}

void importSoftmaxCrossEntropyLoss(NodeImporter &node) {
  pd::TensorBuilder &e = node.tensors();
  Expression x = node.operand("scores"), wide = e.computed(x);
  // Without the bound of pd.log_softmax.
  Expression centered = wide - e.max(wide, {1});
  Expression logs = centered - e.log(e.sum(e.exp(centered), {1}));
  Type element = x.type().getElementType();
  node.setOutput("output", e.cast(likelihoodLoss(node, logs, node.operand("labels")), element));
  if (node.needsOutput("log_prob"))
    node.setOutput("log_prob", e.cast(logs, element));
}

} // namespace proa::import::onnxhooks
