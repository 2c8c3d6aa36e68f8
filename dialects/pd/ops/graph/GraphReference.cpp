//! Reference kernel of renumbering the nodes of a graph.
#include "dialects/pd/ops/graph/Graph.h"
#include "dialects/pd/reference/Evaluate.h"
#include "dialects/pd/reference/Reference.h"

using namespace mlir;

namespace proa::pd {

/// The number of a node is the number of distinct nodes before its first occurrence.
LogicalResult ReindexGraphOp::computeReference(llvm::ArrayRef<Tensor> operands,
                                               llvm::MutableArrayRef<Tensor> results, RandomState *) {
  std::vector<int64_t> nodes, sources, targets, count = integersOf(operands[2]);
  auto numberOf = [&](int64_t node) {
    auto found = llvm::find(nodes, node);
    auto index = static_cast<int64_t>(found - nodes.begin());
    if (found == nodes.end())
      nodes.push_back(node);
    return index;
  };
  for (int64_t node : integersOf(operands[0]))
    numberOf(node);
  for (int64_t node : integersOf(operands[1]))
    sources.push_back(numberOf(node));
  for (auto [node, neighbors] : llvm::enumerate(count))
    targets.insert(targets.end(), static_cast<size_t>(std::max<int64_t>(0, neighbors)),
                   static_cast<int64_t>(node));
  results[0] = vectorOf(results[0].dtype(), sources);
  results[1] = vectorOf(results[1].dtype(), targets);
  results[2] = vectorOf(results[2].dtype(), nodes);
  return success(targets.size() == sources.size());
}

} // namespace proa::pd
