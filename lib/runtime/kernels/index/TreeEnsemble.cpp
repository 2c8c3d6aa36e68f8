/// The library kernel "tree_ensemble"; dialects/pd/ops/search/Trees.td says what it computes.
///
/// A step of a walk waits for three loads, one after the other, so eight walks alternate: of eight
/// examples through one tree, or of one example through eight trees. Gathers of vectors would take longer
/// than the loads.
#include "lib/runtime/host/ForkCost.h"
#include "lib/runtime/host/ThreadPool.h"
#include "lib/runtime/kernels/common/Checks.h"

#include "dialects/pd/ops/search/Trees.kernels.inc"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

namespace proa::runtime {
namespace {

/// Walks that alternate.
constexpr int64_t lanes = 8;
/// Examples that walk through a tree while it is in the cache.
constexpr int64_t examplesOfBlock = 64;
/// Outcomes of a comparison.
constexpr size_t outcomes = 4;

using Nodes = std::array<int32_t, lanes>;

/// A node with two branches.
template <class T> struct BinaryNode {
  T split;
  int32_t feature;
  int32_t next[2]; ///< where the comparison holds, and where it does not
};

/// The comparison of all nodes: they send an equal feature where they send a smaller one, where they send a
/// greater one, or it differs.
enum class Comparison { LessEqual, Less, Any };

/// The nodes of all trees.
template <class T> struct Forest {
  const int32_t *features = nullptr, *branches = nullptr, *roots = nullptr;
  const T *splits = nullptr, *weights = nullptr;
  int64_t trees = 0, targets = 0, depth = 0;
  // By prepare():
  Comparison comparison = Comparison::Any;
  bool nanDiffers = false; ///< from a feature that is greater
  int64_t leastFeatures = 0;
  std::vector<BinaryNode<T>> nodes; ///< unless the comparison is Any

  int32_t branch(size_t node, size_t outcome) const { return branches[node * outcomes + outcome]; }

  Comparison comparisonOf(size_t count) const;
  Result<void> prepare(int64_t count);
};

template <class T> Comparison Forest<T>::comparisonOf(size_t count) const {
  bool lessEqual = true, less = true;
  for (size_t node = 0; node < count; ++node) {
    lessEqual &= branch(node, 1) == branch(node, 0);
    less &= branch(node, 1) == branch(node, 2);
  }
  return lessEqual ? Comparison::LessEqual : less ? Comparison::Less : Comparison::Any;
}

/// Checks the indices and copies the nodes. `count` is the number of nodes.
template <class T> Result<void> Forest<T>::prepare(int64_t count) {
  auto isOutside = [&](int32_t node) { return node < 0 || node >= count; };
  for (int64_t tree = 0; tree < trees; ++tree)
    if (isOutside(roots[tree]))
      return failure("the root of tree {} is node {}, expected one of {} nodes", tree, roots[tree], count);
  for (int64_t i = 0; i < count * static_cast<int64_t>(outcomes); ++i)
    if (isOutside(branches[i]))
      return failure("branch {} of node {} leads to node {}, expected one of {} nodes",
                     i % static_cast<int64_t>(outcomes), i / static_cast<int64_t>(outcomes), branches[i],
                     count);
  for (int64_t node = 0; node < count; ++node) {
    if (features[node] < 0)
      return failure("node {} compares feature {}", node, features[node]);
    leastFeatures = std::max<int64_t>(leastFeatures, features[node] + 1);
  }
  auto size = static_cast<size_t>(count);
  comparison = comparisonOf(size);
  nodes.clear();
  if (comparison == Comparison::Any)
    return {};
  nodes.reserve(size);
  for (size_t node = 0; node < size; ++node) {
    nodes.push_back({splits[node], features[node], {branch(node, 0), branch(node, 2)}});
    nanDiffers |= branch(node, 3) != branch(node, 2);
  }
  return {};
}

/// The node after `node` of an example.
template <Comparison comparison, class T>
inline int32_t stepOf(const Forest<T> &forest, int32_t node, const T *x) {
  if constexpr (comparison == Comparison::Any) {
    T value = x[forest.features[node]], split = forest.splits[node];
    bool unordered = value != value || split != split;
    size_t outcome = size_t{value >= split} + size_t{value > split} + 3 * size_t{unordered};
    return forest.branches[static_cast<size_t>(node) * outcomes + outcome];
  } else {
    const BinaryNode<T> &at = forest.nodes[static_cast<size_t>(node)];
    T value = x[at.feature];
    return at.next[comparison == Comparison::Less ? !(value < at.split) : !(value <= at.split)];
  }
}

/// Walks from `at` to leaves. The examples of two lanes are `stride` elements apart.
template <Comparison comparison, class T>
void walk(const Forest<T> &forest, const T *x, int64_t stride, Nodes &at) {
  // Whether all are at leaves is asked after every second step: a leaf leads to itself.
  for (int64_t level = 0; level < forest.depth; level += 2) {
    int32_t changes = 0;
    for (size_t lane = 0; lane < lanes; ++lane)
      at[lane] = stepOf<comparison>(forest, at[lane], x + static_cast<int64_t>(lane) * stride);
    if (level + 1 == forest.depth)
      return;
    for (size_t lane = 0; lane < lanes; ++lane) {
      int32_t next = stepOf<comparison>(forest, at[lane], x + static_cast<int64_t>(lane) * stride);
      changes |= next ^ at[lane];
      at[lane] = next;
    }
    if (changes == 0)
      return;
  }
}

template <class T> using Walk = void (*)(const Forest<T> &, const T *, int64_t, Nodes &);

/// The walk for a block of examples.
template <class T> Walk<T> walkFor(const Forest<T> &forest, const T *x, int64_t count) {
  Comparison comparison = forest.comparison;
  if (forest.nanDiffers && comparison != Comparison::Any) {
    bool hasNan = false;
    for (int64_t i = 0; i < count; ++i)
      hasNan |= x[i] != x[i];
    comparison = hasNan ? Comparison::Any : comparison;
  }
  switch (comparison) {
  case Comparison::LessEqual:
    return walk<Comparison::LessEqual, T>;
  case Comparison::Less:
    return walk<Comparison::Less, T>;
  case Comparison::Any:
    break;
  }
  return walk<Comparison::Any, T>;
}

/// The aggregated weights of one example.
class Totals {
public:
  Totals(SegmentReduce aggregate, int64_t targets, double *totals)
      : aggregate(aggregate), targets(targets), totals(totals) {}

  static double initial(SegmentReduce aggregate) {
    constexpr double infinity = std::numeric_limits<double>::infinity();
    return aggregate == SegmentReduce::Max ? -infinity : aggregate == SegmentReduce::Min ? infinity : 0.0;
  }

  template <class T> void add(const T *weights) const {
    if (aggregate == SegmentReduce::Max)
      return each(weights, [](double a, double b) { return std::max(a, b); });
    if (aggregate == SegmentReduce::Min)
      return each(weights, [](double a, double b) { return std::min(a, b); });
    each(weights, [](double a, double b) { return a + b; });
  }

private:
  template <class T, class Combine> void each(const T *weights, Combine combine) const {
    for (int64_t k = 0; k < targets; ++k)
      totals[k] = combine(totals[k], static_cast<double>(weights[k]));
  }

  SegmentReduce aggregate;
  int64_t targets;
  double *totals;
};

/// A block of examples, whose totals are [examples, targets].
template <class T> class BlockOfExamples {
public:
  BlockOfExamples(const Forest<T> &forest, SegmentReduce aggregate, const T *x, int64_t count, int64_t stride,
                  double *totals)
      : forest(forest), aggregate(aggregate), x(x), count(count), stride(stride), totals(totals),
        walkToLeaves(walkFor(forest, x, count * stride)) {}

  void run() const {
    int64_t whole = count / lanes * lanes;
    for (int64_t tree = 0; whole > 0 && tree < forest.trees; ++tree)
      walkTree(tree, whole);
    for (int64_t example = whole; example < count; ++example)
      walkExample(example);
  }

private:
  void add(int64_t example, int32_t leaf) const {
    Totals(aggregate, forest.targets, totals + example * forest.targets)
        .add(forest.weights + leaf * forest.targets);
  }

  /// The first `whole` examples through one tree.
  void walkTree(int64_t tree, int64_t whole) const {
    for (int64_t example = 0; example < whole; example += lanes) {
      Nodes at;
      at.fill(forest.roots[tree]);
      walkToLeaves(forest, x + example * stride, stride, at);
      for (int64_t lane = 0; lane < lanes; ++lane)
        add(example + lane, at[static_cast<size_t>(lane)]);
    }
  }

  /// One example through all trees.
  void walkExample(int64_t example) const {
    for (int64_t tree = 0; tree < forest.trees; tree += lanes) {
      int64_t used = std::min(lanes, forest.trees - tree);
      Nodes at;
      at.fill(forest.roots[tree]);
      std::copy_n(forest.roots + tree, used, at.begin());
      walkToLeaves(forest, x + example * stride, 0, at);
      for (int64_t lane = 0; lane < used; ++lane)
        add(example, at[static_cast<size_t>(lane)]);
    }
  }

  const Forest<T> &forest;
  SegmentReduce aggregate;
  const T *x;
  int64_t count, stride;
  double *totals;
  Walk<T> walkToLeaves;
};

template <class T>
void runBlocks(const Forest<T> &forest, SegmentReduce aggregate, const View &x, const View &out) {
  int64_t examples = x.dims[0], features = x.dims[1],
          blocks = (examples + examplesOfBlock - 1) / examplesOfBlock;
  constexpr double nanosecondsOfStep = 1.5;
  double work = nanosecondsOfStep * static_cast<double>(forest.trees * (forest.depth + 1) * examplesOfBlock);
  double scale = aggregate == SegmentReduce::Mean ? 1.0 / static_cast<double>(forest.trees) : 1.0;
  parallelFor(blocks, grainFor(work), [&](int64_t begin, int64_t end) {
    std::vector<double> totals(static_cast<size_t>(std::min(examples, examplesOfBlock) * forest.targets));
    for (int64_t first = begin * examplesOfBlock; first < std::min(examples, end * examplesOfBlock);
         first += examplesOfBlock) {
      int64_t count = std::min(examplesOfBlock, examples - first);
      std::ranges::fill(totals, Totals::initial(aggregate));
      BlockOfExamples<T>(forest, aggregate, x.as<T>() + first * features, count, features, totals.data())
          .run();
      T *to = out.as<T>() + first * forest.targets;
      for (int64_t i = 0; i < count * forest.targets; ++i)
        to[i] = static_cast<T>(totals[static_cast<size_t>(i)] * scale);
    }
  });
}

/// The operands of the op, in order.
enum Operand : size_t { X, Features, Splits, Branches, Roots, Weights };

template <class T> class TreeEnsemble final : public LibraryKernel {
public:
  explicit TreeEnsemble(const TreeEnsembleAttributes &op) : depth(op.depth), aggregate(op.aggregate) {}

  Result<void> bind(std::span<const View> views, WeightStore &) override {
    constant.reset();
    if (std::ranges::any_of(views.subspan(Features), [](const View &view) { return !view.data; }))
      return {};
    Result<Forest<T>> forest = forestOf(views);
    if (!forest)
      return forest.diagnostics();
    constant = std::move(*forest);
    return {};
  }

  Result<void> run(Call &call) const override {
    if (constant)
      return runForest(call, *constant);
    std::array<View, Weights + 1> views;
    for (size_t i = 0; i < views.size(); ++i)
      views[i] = call.input(i);
    Result<Forest<T>> forest = forestOf(views);
    return forest ? runForest(call, *forest) : forest.diagnostics();
  }

private:
  Result<Forest<T>> forestOf(std::span<const View> views) const {
    int64_t nodes = views[Splits].size();
    if (views[Features].size() != nodes || views[Branches].size() != nodes * static_cast<int64_t>(outcomes) ||
        views[Weights].dims[0] != nodes)
      return failure("features, splits, branches and weights are of {}, {}, {} and {} nodes",
                     views[Features].size(), nodes, views[Branches].dims[0], views[Weights].dims[0]);
    Forest<T> forest;
    forest.features = views[Features].as<int32_t>();
    forest.branches = views[Branches].as<int32_t>();
    forest.roots = views[Roots].as<int32_t>();
    forest.splits = views[Splits].as<T>();
    forest.weights = views[Weights].as<T>();
    forest.trees = views[Roots].size();
    forest.targets = views[Weights].dims[1];
    forest.depth = depth;
    if (Result<void> valid = forest.prepare(nodes); !valid)
      return valid.diagnostics();
    return forest;
  }

  Result<void> runForest(Call &call, const Forest<T> &forest) const {
    const View &x = call.input(X);
    if (x.dims[1] < forest.leastFeatures)
      return failure("x is {}, expected at least the {} features that nodes compare",
                     describe(x.dtype, x.dims), forest.leastFeatures);
    Result<View> out = call.output(0, std::array{x.dims[0], forest.targets});
    if (!out)
      return out.diagnostics();
    runBlocks(forest, aggregate, x, *out);
    return {};
  }

  int64_t depth;
  SegmentReduce aggregate;
  std::optional<Forest<T>> constant; ///< of constant operands
};

} // namespace

Result<std::unique_ptr<LibraryKernel>> makeTreeEnsemble(const TreeEnsembleAttributes &op,
                                                        const KernelRequest &request) {
  Checks checks(request);
  checks.expectOperands(Weights + 1, 1);
  checks.expectDType(X, {DType::Float32, DType::Float64});
  for (size_t indices : {Features, Branches, Roots})
    checks.expectDType(indices, {DType::Int32});
  if (!checks.ok())
    return checks.diagnostics();
  using Kernel = std::unique_ptr<LibraryKernel>;
  return request.inputs[X].dtype == DType::Float64 ? Kernel(std::make_unique<TreeEnsemble<double>>(op))
                                                   : Kernel(std::make_unique<TreeEnsemble<float>>(op));
}

} // namespace proa::runtime
