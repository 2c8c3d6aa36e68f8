#include "lib/check/FactorCases.h"

#include <fmt/format.h>

namespace proa::check {

MeshAxes meshOf(llvm::ArrayRef<int64_t> sizes) {
  MeshAxes out;
  for (auto [i, size] : llvm::enumerate(sizes)) {
    out.mesh.axes.push_back({std::string(1, static_cast<char>('x' + i)), size});
    out.axes.push_back(out.mesh.full(static_cast<unsigned>(i)));
  }
  return out;
}

MeshAxes cutAxis(llvm::ArrayRef<int64_t> sizes) {
  MeshAxes out;
  int64_t pre = 1;
  for (int64_t size : sizes) {
    out.axes.push_back({0, pre, size});
    pre *= size;
  }
  out.mesh.axes.push_back({"x", pre});
  return out;
}

std::vector<MeshAxes> smallMeshes() {
  return {meshOf({2, 2}),  meshOf({2, 3}),  meshOf({2, 2, 2}),
          cutAxis({2, 2}), cutAxis({2, 3}), cutAxis({3, 2})};
}

namespace {

/// Gives the axes from `next` on to factors.
class Splits {
public:
  Splits(const MeshAxes &mesh, const pd::ShardingRule &rule, llvm::function_ref<void(const FactorAxes &)> f)
      : mesh(mesh), rule(rule), f(f), axes(rule.factors.size()) {}

  void give(size_t next) {
    if (next == mesh.axes.size())
      return emit();
    give(next + 1);
    for (auto [factor, list] : llvm::zip_equal(rule.factors, axes)) {
      if (factor.kind == pd::FactorKind::Replicated)
        continue;
      for (size_t position = 0; position <= list.size(); ++position) {
        list.insert(list.begin() + position, mesh.axes[next]);
        give(next + 1);
        list.erase(list.begin() + position);
      }
    }
  }

private:
  /// The split with the blocks that pieces need; if one axis splits one factor, also with other blocks.
  void emit() {
    FactorAxes split = axes;
    size_t count = 0;
    std::optional<unsigned> last;
    for (auto [factor, list] : llvm::enumerate(split)) {
      count += list.size();
      if (list.empty())
        continue;
      last = static_cast<unsigned>(factor);
      list.blocks = rule.factors[factor].pieces;
    }
    if (!last)
      return;
    if (factorMismatch(rule, split).empty())
      f(split);
    if (count > 1)
      return;
    cutBlock(split[*last].blocks, rule.factors[*last].size);
    if (!split[*last].blocks.empty() && factorMismatch(rule, split).empty())
      f(split);
  }

  /// Cuts the first block (the factor, if there are none) into two of different sizes.
  static void cutBlock(llvm::SmallVectorImpl<int64_t> &blocks, int64_t size) {
    int64_t first = blocks.empty() ? size : blocks.front();
    if (mlir::ShapedType::isDynamic(first) || first < 3)
      return blocks.clear();
    if (!blocks.empty())
      blocks.erase(blocks.begin());
    int64_t smaller = (first - 1) / 2;
    blocks.insert(blocks.begin(), {first - smaller, smaller});
  }

  const MeshAxes &mesh;
  const pd::ShardingRule &rule;
  llvm::function_ref<void(const FactorAxes &)> f;
  FactorAxes axes;
};

} // namespace

void forEachSplit(const MeshAxes &mesh, const pd::ShardingRule &rule,
                  llvm::function_ref<void(const FactorAxes &)> f) {
  Splits(mesh, rule, f).give(0);
}

} // namespace proa::check
