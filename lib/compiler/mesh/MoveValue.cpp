#include "lib/compiler/mesh/MoveValue.h"

#include "lib/runtime/ranks/Collective.h"

#include <algorithm>

namespace proa {

Result<ShardedTensor> moveValue(const ShardedTensor &value, const std::shared_ptr<const spmd::Mesh> &mesh,
                                const std::shared_ptr<const ShardedType> &type, RankGroup &ranks,
                                const std::string &name) {
  ShardedTensor result{mesh, type, {}};
  result.locals.resize(ranks.count());
  Result<void> done = ranks.forEach([&](size_t index) -> Result<void> {
    int64_t rank = ranks.rankOf(index);
    runtime::RankExchange exchange(
        spmd::planMove(*value.mesh, value.type->placement, *mesh, type->placement, type->dims, rank),
        [](int64_t device) { return device; });
    // A rank keeps elements without a message.
    std::erase_if(exchange.sends, [&](const runtime::Move &move) { return move.rank == rank; });
    bool isTarget = spmd::positionOf(*mesh, rank).has_value();
    Tensor &local = result.locals[index];
    local = Tensor(type->dtype, isTarget ? exchange.targetDims : std::vector<int64_t>(type->dims.size(), 0));
    const void *source = spmd::positionOf(*value.mesh, rank) ? value.locals[index].data() : nullptr;
    return runtime::runExchange(ranks.communicator(index).get(), {"the move of '" + name + "'"}, exchange,
                                {type->dtype, source, local.data()});
  });
  if (!done)
    return done.diagnostics();
  return result;
}

} // namespace proa
