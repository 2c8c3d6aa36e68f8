//! Which compiled variant of a program runs: one for all dims, or one for the dims of the feeds.
#include "lib/compiler/api/FeedChecks.h"
#include "lib/compiler/api/Variants.h"
#include "lib/compiler/cache/CompiledCache.h"
#include "lib/compiler/compile/Stopwatch.h"

#include "llvm/ADT/STLExtras.h"

#include <algorithm>
#include <utility>

namespace proa {

/// The run of the variant for all dims with which dims count as coming back.
static constexpr int runsBeforeSpecialization = 2;
/// Sets of dims whose runs are counted.
static constexpr size_t countedDims = 1024;

Variants::Variants(Model::Implementation &model, std::map<std::string, Tensor> knownParameters)
    : model(model), knownParameters(std::move(knownParameters)),
      variants(std::max<size_t>(1, model.options.keptSpecializations)), runs(countedDims) {}

bool Variants::mayShare(const std::map<std::string, Tensor> &inputs) const {
  const ModelOptions &options = model.options;
  if (options.specialization == Specialization::Always || model.mesh || model.needsFeeds)
    return false;
  if (options.specialization == Specialization::Background && !model.states.empty())
    return false;
  bool isOpen = false;
  for (const TensorInfo &feed : model.feeds) {
    if (feed.isSequence) // their elements have the dims of the feeds at import
      return false;
    isOpen |= llvm::is_contained(feed.dims, -1) || !inputs.at(feed.name).lod().empty();
  }
  return isOpen;
}

std::shared_ptr<const Variant> Variants::forAllDims(const std::map<std::string, Tensor> &inputs,
                                                    PrepareTimes &times) {
  Attempt attempt{.keepsDims = true};
  FeedFacts facts = factsFor(inputs, attempt);
  std::string key = facts.key();
  auto known = [&]() -> std::optional<std::shared_ptr<const Variant>> {
    std::lock_guard lock(mutex);
    auto found = generic.find(key);
    return found == generic.end() ? std::nullopt : std::optional(found->second);
  };
  if (auto found = known())
    return *found;
  std::lock_guard lock(model.compiling);
  if (auto found = known()) // another thread has compiled it
    return *found;
  auto build = [&]() -> std::shared_ptr<const Variant> {
    auto imported = importWith(facts);
    if (!imported)
      return nullptr;
    auto compiled = compile(*(*imported)->module, inputs, attempt, times);
    if (!compiled)
      return nullptr;
    Stopwatch watch(times.load);
    auto variant = load({std::move(*compiled), *imported, FeedKnowledge::Declared}, {});
    if (!variant)
      return nullptr;
    (*variant)->isForAllDims = true;
    return std::move(*variant);
  };
  std::shared_ptr<const Variant> variant = build();
  std::lock_guard guard(mutex);
  return generic[key] = variant;
}

void Variants::specializeInBackground(const std::map<std::string, Tensor> &shapes, const std::string &dims,
                                      const Imported &imported, const std::stop_token &stop) {
  PrepareTimes ignored;
  Background background{stop};
  auto compiled = compile(*imported.module, shapes, {}, ignored, &background);
  if (!compiled || stop.stop_requested()) // runs keep the variant for all dims
    return;
  auto variant = load({std::move(*compiled), &imported, FeedKnowledge::Declared}, shapes);
  if (!variant || !shared(**variant, ignored)) // packs the weights before the first run
    return;
  compiledInBackground.put({dims, std::move(*variant)});
}

/// Tensors of the dims of these, without elements.
static std::map<std::string, Tensor> shapesOf(const std::map<std::string, Tensor> &tensors) {
  std::map<std::string, Tensor> shapes;
  for (const auto &[name, tensor] : tensors)
    shapes[name] = Tensor(tensor.dtype(), tensor.dims(), nullptr, nullptr);
  return shapes;
}

void Variants::countRun(const std::map<std::string, Tensor> &inputs, const std::string &dims,
                        const Variant &used) {
  if (model.options.specialization != Specialization::Background)
    return;
  {
    std::lock_guard lock(mutex);
    int *count = runs.find(dims);
    if (!count)
      count = &runs.put(dims, 0);
    if (++*count != runsBeforeSpecialization)
      return;
  }
  background.add([this, shapes = shapesOf(import::withLods(inputs)), dims, imported = used.imported](
                     const std::stop_token &stop) { specializeInBackground(shapes, dims, *imported, stop); });
}

Result<Variants::Lookup> Variants::lookUp(const std::map<std::string, Tensor> &inputs) {
  if (auto checked = checkFeeds(model.path, model.feeds, inputs); !checked)
    return checked.diagnostics();
  std::string dims = describeDims(import::withLods(inputs));
  std::shared_ptr<const Variant> found = find(inputs, dims);
  return Lookup{std::move(dims), std::move(found)};
}

Result<std::shared_ptr<const Variant>> Variants::compileFor(const std::map<std::string, Tensor> &inputs,
                                                            const std::string &dims, PrepareTimes &times) {
  std::lock_guard lock(model.compiling);
  if (auto found = find(inputs, dims)) // another thread has compiled it
    return found;
  return add(inputs, dims, times);
}

Result<std::shared_ptr<const Variant>> Variants::specialize(const std::map<std::string, Tensor> &inputs,
                                                            PrepareTimes &times) {
  auto at = lookUp(inputs);
  if (!at)
    return at.diagnostics();
  return at->found ? std::move(at->found) : compileFor(inputs, at->dims, times);
}

Result<std::shared_ptr<const Variant>> Variants::prepare(const std::map<std::string, Tensor> &inputs,
                                                         PrepareTimes &times) {
  return model.options.specialization == Specialization::Never ? get(inputs, times)
                                                               : specialize(inputs, times);
}

Result<std::shared_ptr<const Variant>> Variants::get(const std::map<std::string, Tensor> &inputs,
                                                     PrepareTimes &times) {
  auto at = lookUp(inputs);
  if (!at)
    return at.diagnostics();
  if (at->found)
    return std::move(at->found);
  if (mayShare(inputs))
    if (auto variant = forAllDims(inputs, times)) {
      countRun(inputs, at->dims, *variant);
      return variant;
    }
  return compileFor(inputs, at->dims, times);
}

} // namespace proa
