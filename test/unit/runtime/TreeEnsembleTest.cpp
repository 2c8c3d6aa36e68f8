// Ensembles of decision trees compared with walks of one example through one tree.
#include "test/unit/runtime/KernelHarness.h"

namespace proa::runtime {
namespace {

constexpr float notANumber = std::numeric_limits<float>::quiet_NaN();

/// Where nodes send equal features and NaN.
enum class Equal { AsLess, AsGreater, Mixed };

template <class T> struct Ensemble {
  int64_t examples, features, trees, depth, targets = 1;
  Equal equal = Equal::AsLess;
  bool nanDiffers = false; ///< some nodes send NaN as they send smaller features
  std::string aggregate = "SUM";
  float shareOfNan = 0;

  Tensor x{}, feature{}, split{}, branch{}, root{}, weight{};
  std::mt19937 generator{5};

  static constexpr DType dtype = std::is_same_v<T, float> ? DType::Float32 : DType::Float64;

  int below(int64_t limit) { return static_cast<int>(generator() % static_cast<uint64_t>(limit)); }

  /// Trees whose branches end at random levels. Features and splits are small integers: many are equal.
  void fill() {
    std::vector<int32_t> roots, ofFeature, branches;
    for (int64_t tree = 0; tree < trees; ++tree) {
      roots.push_back(static_cast<int32_t>(ofFeature.size()));
      grow(depth, ofFeature, branches);
    }
    auto nodes = static_cast<int64_t>(ofFeature.size());
    x = Tensor(dtype, {examples, features});
    std::generate_n(x.as<T>(), x.size(), [&] {
      return static_cast<float>(below(100)) < 100 * shareOfNan ? T(notANumber) : T(below(7)) - 3;
    });
    feature = Tensor(DType::Int32, {nodes});
    std::copy(ofFeature.begin(), ofFeature.end(), feature.as<int32_t>());
    split = Tensor(dtype, {nodes});
    std::generate_n(split.as<T>(), nodes, [&] { return T(below(7)) - 3; });
    branch = Tensor(DType::Int32, {nodes, 4});
    std::copy(branches.begin(), branches.end(), branch.as<int32_t>());
    root = Tensor(DType::Int32, {trees});
    std::copy(roots.begin(), roots.end(), root.as<int32_t>());
    weight = Tensor(dtype, {nodes, targets});
    std::normal_distribution<T> normal;
    std::generate_n(weight.as<T>(), weight.size(), [&] { return normal(generator); });
  }

  int32_t grow(int64_t levels, std::vector<int32_t> &ofFeature, std::vector<int32_t> &branches) {
    auto node = static_cast<int32_t>(ofFeature.size());
    ofFeature.push_back(0);
    branches.insert(branches.end(), 4, node);
    if (levels == 0 || (levels < depth && below(6) == 0))
      return node;
    ofFeature[static_cast<size_t>(node)] = below(features);
    int32_t less = grow(levels - 1, ofFeature, branches), greater = grow(levels - 1, ofFeature, branches);
    bool equalAsLess = equal == Equal::AsLess || (equal == Equal::Mixed && below(2) == 0);
    bool nanAsLess = nanDiffers && below(2) == 0;
    int32_t *at = &branches[static_cast<size_t>(node) * 4];
    at[0] = less;
    at[1] = equalAsLess ? less : greater;
    at[2] = greater;
    at[3] = nanAsLess ? less : greater;
    return node;
  }

  const T *weightsOf(int64_t example, int64_t tree) const {
    int32_t node = root.as<int32_t>()[tree];
    for (int64_t level = 0; level < depth; ++level) {
      T value = x.as<T>()[example * features + feature.as<int32_t>()[node]], at = split.as<T>()[node];
      int outcome = value < at ? 0 : value == at ? 1 : value > at ? 2 : 3;
      node = branch.as<int32_t>()[node * 4 + outcome];
    }
    return weight.as<T>() + node * targets;
  }

  double expected(int64_t example, int64_t target) const {
    double total = aggregate == "MAX" ? -1e30 : aggregate == "MIN" ? 1e30 : 0;
    for (int64_t tree = 0; tree < trees; ++tree) {
      double own = weightsOf(example, tree)[target];
      total = aggregate == "MAX"   ? std::max(total, own)
              : aggregate == "MIN" ? std::min(total, own)
                                   : total + own;
    }
    return aggregate == "MEAN" ? total / static_cast<double>(trees) : total;
  }

  KernelCase kernelCase() const {
    return {"tree_ensemble",
            {{"depth", depth}, {"aggregate", aggregate}},
            {x, feature, split, branch, root, weight},
            {{dtype, {examples, targets}}}};
  }

  void check() {
    fill();
    KernelCase c = kernelCase();
    expectDefinition(c);
    c.constantInputs = {1, 2, 3, 4, 5};
    expectDefinition(c);
    c.dims = Dims::Dynamic;
    expectDefinition(c);
  }

  void expectDefinition(const KernelCase &c) const {
    auto results = runCase(c);
    ASSERT_TRUE(bool(results)) << results.diagnostics()[0].message;
    for (int64_t example = 0; example < examples; ++example)
      for (int64_t target = 0; target < targets; ++target)
        ASSERT_EQ((*results)[0].as<T>()[example * targets + target],
                  static_cast<T>(expected(example, target)))
            << example << ", " << target;
  }
};

using Floats = Ensemble<float>;

TEST(TreeEnsembleTest, ExamplesAndTreesOfAllNumbers) {
  for (int64_t examples : {1, 7, 8, 9, 64, 65, 137})
    for (int64_t trees : {1, 5, 8, 19})
      Floats{examples, 5, trees, 6}.check();
}

TEST(TreeEnsembleTest, Depths) {
  for (int64_t depth : {0, 1, 2, 3, 11})
    for (int64_t examples : {3, 16})
      Floats{examples, 4, 9, depth}.check();
}

TEST(TreeEnsembleTest, Comparisons) {
  for (Equal equal : {Equal::AsLess, Equal::AsGreater, Equal::Mixed})
    for (bool nanDiffers : {false, true})
      for (float share : {0.0f, 0.01f, 0.3f}) {
        Ensemble<float> ensemble{83, 5, 13, 5, 1, equal, nanDiffers};
        ensemble.shareOfNan = share;
        ensemble.check();
      }
}

TEST(TreeEnsembleTest, TargetsAndAggregates) {
  for (const char *aggregate : {"SUM", "MEAN", "MAX", "MIN"})
    for (int64_t targets : {1, 3, 10})
      Floats{21, 5, 13, 4, targets, Equal::AsLess, false, aggregate}.check();
}

TEST(TreeEnsembleTest, Float64) {
  for (const char *aggregate : {"SUM", "MIN"})
    Ensemble<double>{21, 5, 13, 4, 2, Equal::AsGreater, true, aggregate}.check();
}

/// The message of a run of the ensemble after a change of one of its integers.
std::string messageFor(Tensor Floats::*operand, int64_t position, int32_t index) {
  Floats ensemble{3, 5, 2, 3};
  ensemble.fill();
  (ensemble.*operand).as<int32_t>()[position] = index;
  auto results = runCase(ensemble.kernelCase());
  return results ? "" : results.diagnostics()[0].message;
}

TEST(TreeEnsembleTest, RefusesIndicesOutside) {
  EXPECT_NE(messageFor(&Floats::root, 1, 1000).find("the root of tree 1 is node 1000"), std::string::npos);
  EXPECT_NE(messageFor(&Floats::branch, 2, -1).find("branch 2 of node 0 leads to node -1"),
            std::string::npos);
  EXPECT_NE(messageFor(&Floats::feature, 0, -2).find("node 0 compares feature -2"), std::string::npos);
  EXPECT_NE(messageFor(&Floats::feature, 0, 5).find("expected at least the 6 features"), std::string::npos);
}

} // namespace
} // namespace proa::runtime
