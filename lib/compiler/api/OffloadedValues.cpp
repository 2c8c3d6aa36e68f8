#include "lib/compiler/api/OffloadedValues.h"

namespace proa {

std::set<std::string> offloadedVariables(const runtime::Plan &plan) {
  std::set<std::string> names;
  runtime::forEachStep(plan.steps, [&](const runtime::Step &step) {
    bool isOfStore = step.symbol == "fetch_variable" || step.symbol == "store_variable";
    if (step.kind == runtime::StepKind::Library && isOfStore)
      names.insert(step.attributes.at("name").get<std::string>());
  });
  return names;
}

Result<std::unique_ptr<OffloadedValues>> OffloadedValues::open(const OffloadOptions &options) {
  auto opened = std::make_unique<OffloadedValues>();
  opened->store = options.store;
  if (!opened->store) {
    auto folder = openOffloadFolder(options.folder);
    if (!folder)
      return folder.diagnostics();
    opened->store = std::move(*folder);
  }
  return opened;
}

std::shared_ptr<runtime::OffloadQueue> OffloadedValues::queueOf(int64_t rank) const {
  return std::make_shared<runtime::OffloadQueue>(store, mutex, rank);
}

/// Errors of the store with the name of the variable.
static Diagnostics named(const std::string &name, const Diagnostics &diagnostics) {
  Diagnostics out;
  for (const Diagnostic &p : diagnostics)
    out.add("variable '" + name + "'" + (p.location.empty() ? "" : ": " + p.location), p.message);
  return out;
}

Result<void> OffloadedValues::put(const std::string &name, const ShardedTensor &value,
                                  std::vector<int64_t> ranks) {
  Entry entry{{value.mesh, value.type, {}}, {}};
  for (size_t index = 0; index < value.locals.size(); ++index) {
    const Tensor &local = value.locals[index];
    entry.shards.push_back({name, ranks[index], local.dtype(), local.dims()});
    runtime::OffloadQueue queue(store, mutex, ranks[index]);
    Result<void> done =
        queue.store(entry.shards.back(), {static_cast<const std::byte *>(local.data()), local.bytes()});
    if (done)
      done = queue.endRun(true);
    if (!done)
      return named(name, done.diagnostics());
  }
  entries[name] = std::move(entry);
  return {};
}

Result<ShardedTensor> OffloadedValues::get(const std::string &name) const {
  const Entry &entry = entries.at(name);
  ShardedTensor value = entry.type;
  for (const OffloadedVariable &shard : entry.shards) {
    Tensor local(shard.dtype, shard.dims);
    runtime::OffloadQueue queue(store, mutex, shard.rank);
    if (Result<void> done = queue.fetch(shard, {static_cast<std::byte *>(local.data()), local.bytes()});
        !done)
      return named(name, done.diagnostics());
    value.locals.push_back(std::move(local));
  }
  return value;
}

std::vector<std::string> OffloadedValues::names() const {
  std::vector<std::string> names;
  for (const auto &[name, entry] : entries)
    names.push_back(name);
  return names;
}

} // namespace proa
