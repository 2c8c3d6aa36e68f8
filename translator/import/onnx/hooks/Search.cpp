//! Hooks of ops of ONNX that sort and search.
#include "translator/import/onnx/hooks/Dims.h"

#include "dialects/pd/ir/Infer.h"
#include "dialects/pd/ops/index/GatherOps.h"
#include "dialects/pd/ops/search/CountOps.h"
#include "dialects/pd/ops/search/SearchOps.h"
#include "dialects/pd/ops/shape/SliceOps.h"

using namespace mlir;

namespace proa::import::onnxhooks {

void importTopK(NodeImporter &node) {
  Expression x = node.operand("X");
  int64_t axis = axisOf(node, x);
  DimSize count = node.since() < 10 ? DimSize(node.intAttribute("k")) : dimsInput(node, "K")[0];
  bool isLargest = node.since() < 11 || node.boolAttribute("largest");
  if (node.since() >= 11)
    (void)node.boolAttribute("sorted"); // sorted results are in one of the allowed orders
  if (int64_t size = x.type().getDimSize(axis);
      count.isKnown() && size != pd::unknown && (count.getNumber() < 0 || count.getNumber() > size))
    return node.report("selects " + llvm::Twine(count.getNumber()) + " elements, expected 0 to " +
                       llvm::Twine(size));
  if (count.isKnown() && count.getNumber() == 0) { // pd.topk selects at least one
    auto sorted = node.createOp<pd::ArgsortOp>(x, axis, /*descending=*/isLargest, /*stable=*/true);
    node.setOutput("Values", pd::slice(node.wrap(sorted.getOut()), axis, 0, 0));
    node.setOutput("Indices", pd::slice(node.wrap(sorted.getIndices()), axis, 0, 0));
    return;
  }
  Value size = count.isKnown() ? Value() : node.tensors().reshape(valueOf(node.tensors(), count), {1});
  auto best = node.createOp<pd::TopkOp>(x, size, count.isKnown() ? uint64_t(count.getNumber()) : 1, axis,
                                        isLargest, /*sorted=*/true, /*stable=*/true);
  node.setOutput("Values", node.wrap(best.getOut()));
  node.setOutput("Indices", node.wrap(best.getIndices()));
}

void importArgExtreme(NodeImporter &node) {
  TensorBuilder &e = node.tensors();
  Expression x = node.operand("data");
  bool isMax = node.getNode().type == "ArgMax", keepsDims = node.boolAttribute("keepdims");
  bool isLast = node.since() >= 12 && node.boolAttribute("select_last_index");
  int64_t axis = x.rank() == 0 ? 0 : axisOf(node, x);
  Expression searched = isLast ? node.create<pd::FlipOp>(x, llvm::ArrayRef<int64_t>(axis)) : x;
  Expression index =
      isMax ? node.create<pd::ArgmaxOp>(searched, Value(), axis, keepsDims, /*flatten=*/false, TypeAttr())
            : node.create<pd::ArgminOp>(searched, Value(), axis, keepsDims, /*flatten=*/false, TypeAttr());
  if (isLast)
    index = valueOf(e, DimSize(x, axis)) - 1.0 - index;
  node.setOutput("reduced", index);
}

void importUnique(NodeImporter &node) {
  Expression x = node.operand("X");
  Ints axes;
  if (node.hasAttribute("axis"))
    axes.push_back(axisOf(node, x));
  auto unique = node.createOp<pd::UniqueOp>(x, llvm::ArrayRef<int64_t>(axes), TypeAttr());
  llvm::SmallVector<Expression> results;
  for (Value result : unique->getResults())
    results.push_back(node.wrap(result));
  if (!node.boolAttribute("sorted")) { // in the order of the first indices
    auto orderOf = [&](Expression keys) {
      return node.createOp<pd::ArgsortOp>(keys, 0, /*descending=*/false, /*stable=*/true).getIndices();
    };
    Value order = orderOf(results[1]);
    auto gather = [&](Expression from, Value index, int64_t axis) {
      return node.create<pd::GatherOp>(from, index, Value(), static_cast<uint64_t>(axis));
    };
    Expression rank = node.wrap(orderOf(node.wrap(order)));
    results = {gather(results[0], order, axes.empty() ? 0 : axes[0]), gather(results[1], order, 0),
               gather(rank, results[2], 0), gather(results[3], order, 0)};
  }
  for (auto [name, result] :
       llvm::zip_equal(llvm::ArrayRef<llvm::StringRef>{"Y", "indices", "inverse_indices", "counts"}, results))
    node.setOutput(name, result);
}

void importNonZero(NodeImporter &node) {
  TensorBuilder &e = node.tensors();
  Expression x = node.operand("X");
  if (x.rank() == 0)
    x = e.reshape(x, {1});
  node.setOutput("Y", e.transpose(node.create<pd::NonzeroOp>(x), {1, 0}));
}

} // namespace proa::import::onnxhooks
