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
    if (next == mesh.axes.size()) {
      if (llvm::any_of(axes, [](const auto &list) { return !list.empty(); }) &&
          factorMismatch(rule, axes).empty())
        f(axes);
      return;
    }
    give(next + 1);
    for (auto [factor, list] : llvm::zip_equal(rule.factors, axes)) {
      if (factor.kind == pd::FactorKind::Replicated)
        continue;
      for (size_t place = 0; place <= list.size(); ++place) {
        list.insert(list.begin() + place, mesh.axes[next]);
        give(next + 1);
        list.erase(list.begin() + place);
      }
    }
  }

private:
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
