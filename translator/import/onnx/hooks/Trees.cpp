//! Hooks of tree ensembles of ai.onnx.ml.
#include "translator/import/onnx/GraphImporter.h"
#include "translator/import/onnx/hooks/Ml.h"

#include "dialects/pd/ops/search/Trees.h"
#include "dialects/pd/ops/shape/DimSize.h"
#include "dialects/pd/reference/HostScalar.h"

#include "llvm/ADT/StringSwitch.h"

#include <array>
#include <cmath>
#include <limits>
#include <set>

using namespace mlir;

namespace proa::import {

using pd::Expression;
using pd::SegmentReduce;

namespace {

/// Numbers of TreeEnsemble's nodes_modes, and a leaf.
enum TreeMode : int64_t { LessEqual, Less, GreaterEqual, Greater, Equal, NotEqual, Member, Leaf };

struct Forest {
  // By node.
  llvm::SmallVector<int64_t> features, modes, trueNodes, falseNodes, missingIsTrue;
  llvm::SmallVector<double> splits;
  llvm::SmallVector<int64_t> roots;
  /// The weights that a leaf adds to targets.
  struct Weight {
    int64_t node, target;
    double value;
  };
  std::vector<Weight> weights;
  int64_t targets = 1;
  int64_t depth = 0;

  size_t size() const { return modes.size(); }
};

int64_t parseMode(NodeImporter &node, llvm::StringRef name) {
  int64_t mode = llvm::StringSwitch<int64_t>(name)
                     .Case("BRANCH_LEQ", LessEqual)
                     .Case("BRANCH_LT", Less)
                     .Case("BRANCH_GTE", GreaterEqual)
                     .Case("BRANCH_GT", Greater)
                     .Case("BRANCH_EQ", Equal)
                     .Case("BRANCH_NEQ", NotEqual)
                     .Case("LEAF", Leaf)
                     .Default(-1);
  if (mode >= 0)
    return mode;
  node.report("attribute 'nodes_modes' has '" + name +
              "', expected BRANCH_LEQ, BRANCH_LT, BRANCH_GTE, BRANCH_GT, " + "BRANCH_EQ, BRANCH_NEQ or LEAF");
  node.stop();
}

/// Numbers of an attribute that is a list of floats, or a tensor of the name with the suffix "_as_tensor".
llvm::SmallVector<double> numbersOfAttribute(NodeImporter &node, const std::string &name,
                                             const std::string &tensorName) {
  llvm::SmallVector<double> list;
  if (!name.empty())
    list = node.floatsAttribute(name);
  if (const onnx::TensorValue *tensor = node.tensorAttribute(tensorName))
    for (int64_t i = 0; i < tensor->elements.size(); ++i)
      list.push_back(pd::loadScalar(tensor->elements, i).real());
  return list;
}

void requireLength(NodeImporter &node, llvm::StringRef name, size_t length, size_t expected) {
  if (length == expected)
    return;
  node.report("attribute '" + name + "' has " + llvm::Twine(length) + " entries, expected " +
              llvm::Twine(expected));
  node.stop();
}

/// Sets the depth. Reports nodes outside of the forest and cycles.
void measure(NodeImporter &node, Forest &forest) {
  auto count = static_cast<int64_t>(forest.size());
  for (auto *list : {&forest.trueNodes, &forest.falseNodes, &forest.roots})
    for (int64_t child : *list)
      if (child < 0 || child >= count) {
        node.report("a branch leads to node " + llvm::Twine(child) + ", expected one of " +
                    llvm::Twine(count) + " nodes");
        node.stop();
      }
  // Level by level; a path longer than the number of nodes is a cycle.
  std::vector<int64_t> level(forest.roots.begin(), forest.roots.end());
  for (forest.depth = 0; !level.empty(); ++forest.depth) {
    std::set<int64_t> next;
    for (int64_t at : level)
      if (forest.modes[at] != Leaf)
        next.insert({forest.trueNodes[at], forest.falseNodes[at]});
    if (next.empty())
      break;
    if (forest.depth > count) {
      node.report("its trees have a cycle");
      node.stop();
    }
    level.assign(next.begin(), next.end());
  }
}

/// Nodes of the ops until version 3, whose trees and nodes have ids. `prefix` is the prefix of the weights.
Forest readForest(NodeImporter &node, const std::string &prefix) {
  Forest forest;
  llvm::SmallVector<int64_t> trees = node.intsAttribute("nodes_treeids"),
                             ids = node.intsAttribute("nodes_nodeids");
  forest.features = node.intsAttribute("nodes_featureids");
  forest.missingIsTrue = node.intsAttribute("nodes_missing_value_tracks_true");
  forest.splits = numbersOfAttribute(node, "nodes_values", "nodes_values_as_tensor");
  numbersOfAttribute(node, "nodes_hitrates", "nodes_hitrates_as_tensor");
  llvm::SmallVector<int64_t> whenTrue = node.intsAttribute("nodes_truenodeids");
  llvm::SmallVector<int64_t> whenFalse = node.intsAttribute("nodes_falsenodeids");
  for (const std::string &mode : node.stringsAttribute("nodes_modes"))
    forest.modes.push_back(parseMode(node, mode));
  size_t count = trees.size();
  requireLength(node, "nodes_nodeids", ids.size(), count);
  requireLength(node, "nodes_featureids", forest.features.size(), count);
  requireLength(node, "nodes_modes", forest.modes.size(), count);
  requireLength(node, "nodes_values", forest.splits.size(), count);
  requireLength(node, "nodes_truenodeids", whenTrue.size(), count);
  requireLength(node, "nodes_falsenodeids", whenFalse.size(), count);
  std::map<std::pair<int64_t, int64_t>, int64_t> indexOf;
  for (size_t i = 0; i < count; ++i)
    indexOf[{trees[i], ids[i]}] = static_cast<int64_t>(i);
  auto find = [&](int64_t tree, int64_t id) {
    auto found = indexOf.find({tree, id});
    return found == indexOf.end() ? int64_t{-1} : found->second;
  };
  std::set<int64_t> children;
  for (size_t i = 0; i < count; ++i) {
    bool isLeaf = forest.modes[i] == Leaf;
    forest.trueNodes.push_back(isLeaf ? static_cast<int64_t>(i) : find(trees[i], whenTrue[i]));
    forest.falseNodes.push_back(isLeaf ? static_cast<int64_t>(i) : find(trees[i], whenFalse[i]));
    if (!isLeaf)
      children.insert({forest.trueNodes[i], forest.falseNodes[i]});
  }
  for (size_t i = 0; i < count; ++i)
    if (!children.count(static_cast<int64_t>(i)))
      forest.roots.push_back(static_cast<int64_t>(i));
  llvm::SmallVector<int64_t> leafTrees = node.intsAttribute(prefix + "_treeids");
  llvm::SmallVector<int64_t> leafIds = node.intsAttribute(prefix + "_nodeids");
  llvm::SmallVector<int64_t> targets = node.intsAttribute(prefix + "_ids");
  llvm::SmallVector<double> values =
      numbersOfAttribute(node, prefix + "_weights", prefix + "_weights_as_tensor");
  for (size_t size : {leafIds.size(), targets.size(), values.size()})
    requireLength(node, prefix + "_treeids", leafTrees.size(), size);
  for (size_t i = 0; i < values.size(); ++i)
    forest.weights.push_back({find(leafTrees[i], leafIds[i]), targets[i], values[i]});
  measure(node, forest);
  return forest;
}

/// Nodes of TreeEnsemble: the leaves follow the nodes.
Forest readEnsemble(NodeImporter &node) {
  Forest forest;
  forest.features = node.intsAttribute("nodes_featureids");
  forest.missingIsTrue = node.intsAttribute("nodes_missing_value_tracks_true");
  forest.splits = numbersOfAttribute(node, "", "nodes_splits");
  numbersOfAttribute(node, "", "nodes_hitrates");
  for (double mode : numbersOfAttribute(node, "", "nodes_modes"))
    forest.modes.push_back(static_cast<int64_t>(mode));
  auto count = static_cast<int64_t>(forest.modes.size());
  auto branches = [&](llvm::StringRef ids, llvm::StringRef leafs) {
    llvm::SmallVector<int64_t> nodes = node.intsAttribute(ids), areLeaves = node.intsAttribute(leafs);
    requireLength(node, ids, nodes.size(), forest.size());
    requireLength(node, leafs, areLeaves.size(), forest.size());
    for (auto [child, isLeaf] : llvm::zip(nodes, areLeaves))
      child += isLeaf ? count : 0;
    return nodes;
  };
  requireLength(node, "nodes_featureids", forest.features.size(), forest.size());
  requireLength(node, "nodes_splits", forest.splits.size(), forest.size());
  forest.trueNodes = branches("nodes_truenodeids", "nodes_trueleafs");
  forest.falseNodes = branches("nodes_falsenodeids", "nodes_falseleafs");
  forest.roots = node.intsAttribute("tree_roots");
  llvm::SmallVector<int64_t> targets = node.intsAttribute("leaf_targetids");
  llvm::SmallVector<double> weights = numbersOfAttribute(node, "", "leaf_weights");
  requireLength(node, "leaf_weights", weights.size(), targets.size());
  for (size_t i = 0; i < weights.size(); ++i) {
    int64_t leaf = count + static_cast<int64_t>(i);
    forest.weights.push_back({leaf, targets[i], weights[i]});
    forest.features.push_back(0);
    forest.splits.push_back(0);
    forest.modes.push_back(Leaf);
    forest.trueNodes.push_back(leaf);
    forest.falseNodes.push_back(leaf);
    if (!forest.missingIsTrue.empty())
      forest.missingIsTrue.push_back(0);
  }
  forest.targets = node.intAttribute("n_targets");
  measure(node, forest);
  return forest;
}

/// The splits of BRANCH_MEMBER: nodes with such a mode become chains of comparisons, one for each member.
void expandMembers(NodeImporter &node, Forest &forest) {
  llvm::SmallVector<double> members = numbersOfAttribute(node, "", "membership_values");
  size_t next = 0;
  for (size_t i = 0, count = forest.size(); i < count; ++i) {
    if (forest.modes[i] != Member)
      continue;
    forest.modes[i] = Equal;
    size_t at = i;
    bool isFirst = true;
    for (; next < members.size() && !std::isnan(members[next]); ++next) {
      if (!isFirst) { // the next comparison, where this one fails
        forest.features.push_back(forest.features[i]);
        forest.modes.push_back(Equal);
        forest.trueNodes.push_back(forest.trueNodes[i]);
        forest.falseNodes.push_back(forest.falseNodes[at]);
        forest.splits.push_back(0);
        if (!forest.missingIsTrue.empty())
          forest.missingIsTrue.push_back(forest.missingIsTrue[i]);
        forest.falseNodes[at] = static_cast<int64_t>(forest.size()) - 1;
        at = forest.size() - 1;
      }
      forest.splits[at] = members[next];
      isFirst = false;
    }
    if (isFirst) // a set without members
      forest.splits[i] = std::numeric_limits<double>::quiet_NaN();
    ++next; // the NaN that ends the set
  }
  measure(node, forest);
}

/// Where the node sends an example whose feature is less than, equal to and greater than its split, and where
/// one of them is NaN.
std::array<int64_t, 4> branchesOf(const Forest &forest, size_t node) {
  int64_t mode = forest.modes[node];
  auto to = [&](bool isTrue) { return isTrue ? forest.trueNodes[node] : forest.falseNodes[node]; };
  bool tracksTrue = !forest.missingIsTrue.empty() && forest.missingIsTrue[node] != 0;
  if (std::isnan(forest.splits[node])) // no number compares with it
    return {to(mode == NotEqual), to(mode == NotEqual), to(mode == NotEqual),
            to(mode == NotEqual || tracksTrue)};
  return {to(mode == LessEqual || mode == Less || mode == NotEqual),
          to(mode == LessEqual || mode == GreaterEqual || mode == Equal),
          to(mode == GreaterEqual || mode == Greater || mode == NotEqual),
          to(mode == NotEqual || tracksTrue)};
}

/// The weights [nodes, targets]; `none` where a leaf has none.
llvm::SmallVector<double> tableOfWeights(NodeImporter &node, const Forest &forest, bool isExtreme,
                                         double none) {
  llvm::SmallVector<double> table(forest.size() * static_cast<size_t>(forest.targets), none);
  for (const Forest::Weight &weight : forest.weights) {
    if (weight.node < 0 || weight.target < 0 || weight.target >= forest.targets) {
      node.report("a weight is for target " + llvm::Twine(weight.target) +
                  " of a node that does not exist, or not one of " + llvm::Twine(forest.targets) +
                  " targets");
      node.stop();
    }
    double &entry = table[static_cast<size_t>(weight.node * forest.targets + weight.target)];
    entry = isExtreme ? weight.value : entry + weight.value;
  }
  return table;
}

/// The weights of all trees' leaves, aggregated: [examples, targets].
Expression aggregated(NodeImporter &node, const Forest &forest, SegmentReduce aggregate) {
  pd::TensorBuilder &e = node.tensors();
  Expression x = floatInput(node);
  Type element = x.type().getElementType(), i32 = node.getBuilder().getI32Type();
  bool isExtreme = aggregate == SegmentReduce::Min || aggregate == SegmentReduce::Max;
  double infinity = std::numeric_limits<double>::infinity();
  double none = !isExtreme ? 0 : aggregate == SegmentReduce::Min ? infinity : -infinity;
  auto count = static_cast<int64_t>(forest.size());
  auto indices = [&](llvm::ArrayRef<int64_t> list) { return e.cast(node.integers(list), i32); };
  llvm::SmallVector<int64_t> branches;
  llvm::SmallVector<double> splits;
  for (size_t i = 0; i < forest.size(); ++i) {
    llvm::append_range(branches, branchesOf(forest, i));
    splits.push_back(std::isnan(forest.splits[i]) ? 0.0 : forest.splits[i]);
  }
  Expression weights = e.reshape(node.numbers(tableOfWeights(node, forest, isExtreme, none), element),
                                 {count, forest.targets});
  Expression result = node.create<pd::TreeEnsembleOp>(
      x.rank() == 1 ? insertDim(x, 0) : x, indices(forest.features), node.numbers(splits, element),
      e.reshape(indices(branches), {count, 4}), indices(forest.roots), weights,
      static_cast<uint64_t>(forest.depth), aggregate);
  return isExtreme ? e.select(e.equal(result, none), 0.0, result)
                   : result; // no tree has a weight for the target
}

/// Scores plus the base values: none, one for all targets, or one for each.
Expression withBase(NodeImporter &node, Expression scores, llvm::ArrayRef<double> base) {
  return base.empty() ? scores : scores + node.numbers(base, scores.type().getElementType());
}

llvm::SmallVector<double> baseValues(NodeImporter &node) {
  return numbersOfAttribute(node, "base_values", "base_values_as_tensor");
}

/// Scores and label indices of two classes of which the trees score one.
struct BinaryScores {
  Expression scores, index;
};

BinaryScores scoreOneClass(NodeImporter &node, const Forest &forest, Expression score,
                           PostTransform transform) {
  pd::TensorBuilder &e = node.tensors();
  bool isPositive =
      llvm::all_of(forest.weights, [](const Forest::Weight &weight) { return weight.value >= 0; });
  Expression index = e.cast(dropDim(score, 1) > (isPositive ? 0.5 : 0.0), node.getBuilder().getI64Type());
  if (transform == PostTransform::Probit)
    return {transformed(node, score, transform), index};
  if (isPositive && transform == PostTransform::None) // probabilities
    return {pd::concat({1.0 - score, score}, 1), index};
  return {transformed(node, pd::concat({-score, score}, 1), transform), index};
}

} // namespace

namespace onnxhooks {

void importTreeEnsembleRegressor(NodeImporter &node) {
  Forest forest = readForest(node, "target");
  forest.targets = node.intAttribute("n_targets", 1);
  std::string name = node.stringAttribute("aggregate_function", "SUM");
  auto aggregate = llvm::StringSwitch<std::optional<SegmentReduce>>(name)
                       .Case("AVERAGE", SegmentReduce::Mean)
                       .Case("SUM", SegmentReduce::Sum)
                       .Case("MIN", SegmentReduce::Min)
                       .Case("MAX", SegmentReduce::Max)
                       .Default(std::nullopt);
  if (!aggregate)
    return node.report("attribute 'aggregate_function' is '" + name + "', expected AVERAGE, SUM, MIN or MAX");
  Expression scores = withBase(node, aggregated(node, forest, *aggregate), baseValues(node));
  Expression out = transformed(node, scores, readPostTransform(node));
  node.setOutput("Y", node.tensors().cast(out, node.getBuilder().getF32Type()));
}

void importTreeEnsembleClassifier(NodeImporter &node) {
  pd::TensorBuilder &e = node.tensors();
  Forest forest = readForest(node, "class");
  Labels labels = readLabels(node, "classlabels_int64s", "classlabels_strings");
  int64_t classes = labels.size();
  PostTransform transform = readPostTransform(node);
  llvm::SmallVector<double> base = baseValues(node);
  std::set<int64_t> scored;
  for (const Forest::Weight &weight : forest.weights)
    scored.insert(weight.target);
  forest.targets = std::max<int64_t>(classes, 1);
  bool isOne = classes == 2 && scored.size() == 1;
  if (isOne) {
    for (Forest::Weight &weight : forest.weights)
      weight.target = 0;
    forest.targets = 1;
    if (base.size() == 2) // the second class has the score
      base.erase(base.begin());
  }
  Expression scores = withBase(node, aggregated(node, forest, SegmentReduce::Sum), base);
  Type f32 = node.getBuilder().getF32Type();
  if (isOne) {
    auto [both, index] = scoreOneClass(node, forest, scores, transform);
    node.setOutput("Z", e.cast(both, f32));
    return setLabels(node, "Y", index, labels);
  }
  node.setOutput("Z", e.cast(transformed(node, scores, transform), f32));
  setLabels(node, "Y", greatestOf(node, scores), labels);
}

void importTreeEnsemble(NodeImporter &node) {
  Forest forest = readEnsemble(node);
  expandMembers(node, forest);
  int64_t aggregate = node.intAttribute("aggregate_function", 1),
          transform = node.intAttribute("post_transform");
  if (aggregate < 0 || aggregate > 3 || transform < 0 || transform > 4)
    return node.report("attributes 'aggregate_function' and 'post_transform' are " +
                       std::to_string(aggregate) + " and " + std::to_string(transform) +
                       ", expected 0 to 3 and 0 to 4");
  constexpr std::array byNumber = {SegmentReduce::Mean, SegmentReduce::Sum, SegmentReduce::Min,
                                   SegmentReduce::Max};
  Expression scores = aggregated(node, forest, byNumber[static_cast<size_t>(aggregate)]);
  Expression out = transformed(node, scores, static_cast<PostTransform>(transform));
  node.setOutput("Y", node.tensors().cast(out, node.operand("X").type().getElementType()));
}

} // namespace onnxhooks
} // namespace proa::import
