#include "lib/compiler/api/CheckpointLayout.h"

#include "lib/base/support/Suggest.h"
#include "lib/compiler/api/Variants.h"

#include <fmt/format.h>

#include <numeric>
#include <set>
#include <vector>

namespace proa {
namespace {

using checkpoints::HeldBoxes;
using checkpoints::TensorEntry;

/// The placements of the variables of a program on its meshes.
class VariableLayout : public checkpoints::Layout {
public:
  /// `variables` are all of the program; those without a placement are whole on each rank.
  VariableLayout(MeshInterface given, std::set<std::string> variables)
      : interface(std::move(given)), variables(std::move(variables)),
        everybody(static_cast<size_t>(interface.rankCount())) {
    std::iota(everybody.begin(), everybody.end(), 0);
  }

  Result<checkpoints::StoredBoxes> place(const std::map<std::string, TensorEntry> &tensors) const override {
    Diagnostics diagnostics;
    HeldBoxes boxes;
    for (const auto &[name, tensor] : tensors)
      if (auto held = boxesOf(name, tensor); held)
        boxes[name] = std::move(*held);
      else
        diagnostics.append(held.diagnostics());
    if (!diagnostics.empty())
      return diagnostics;
    return checkpoints::storeOnHolders(tensors, boxes);
  }

private:
  Result<std::vector<checkpoints::HeldBox>> boxesOf(const std::string &name,
                                                    const TensorEntry &tensor) const {
    std::string where = "tensor '" + name + "'";
    if (!variables.contains(name))
      return errorAt(where, "the program has no such variable" +
                                didYouMean(name, std::vector(variables.begin(), variables.end())));
    const ShardedType *type = typeOf(name);
    if (!type || !hasStaticBoxes(*type))
      return std::vector<checkpoints::HeldBox>{{checkpoints::wholeBox(tensor.dims), everybody}};
    if (type->dims != tensor.dims || type->dtype != tensor.dtype)
      return errorAt(where,
                     fmt::format("is {}, expected {} as in the program", describe(tensor.dtype, tensor.dims),
                                 describe(type->dtype, type->dims)));
    return checkpoints::heldBoxes(interface.meshes[type->mesh], type->placement, type->dims);
  }

  /// After a run states have the placement of the result.
  const ShardedType *typeOf(const std::string &name) const {
    for (const auto *types : {&interface.states, &interface.arguments})
      if (auto found = types->find(name); found != types->end())
        return &found->second;
    return nullptr;
  }

  MeshInterface interface;
  std::set<std::string> variables;
  std::vector<int64_t> everybody;
};

} // namespace

Result<std::unique_ptr<checkpoints::Layout>> checkpointLayout(const Model &model,
                                                              const std::map<std::string, Tensor> &feeds) {
  Result<MeshInterface> interface = Variants::distribute(model, feeds);
  if (!interface)
    return interface.diagnostics();
  std::set<std::string> variables;
  for (const TensorInfo &info : model.parameters())
    variables.insert(info.name);
  for (const auto *types : {&interface->states, &interface->arguments})
    for (const auto &[name, type] : *types)
      if (!feeds.contains(name))
        variables.insert(name);
  return std::unique_ptr<checkpoints::Layout>(
      std::make_unique<VariableLayout>(std::move(*interface), std::move(variables)));
}

} // namespace proa
