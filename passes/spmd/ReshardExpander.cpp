#include "passes/spmd/ReshardExpander.h"

#include "lib/base/spmd/Exchange.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringSet.h"
#include "llvm/Support/MathExtras.h"

#include <cmath>

using namespace mlir;

namespace proa {

MeshPlacements::MeshPlacements(ModuleOp module) {
  module.walk([&](dist::MeshOp op) { meshes[op.getSymNameAttr()] = op.getMesh().toMesh(); });
}

const spmd::Mesh *MeshPlacements::meshOf(FlatSymbolRefAttr symbol) const {
  auto found = meshes.find(symbol.getAttr());
  return found == meshes.end() ? nullptr : &found->second;
}

const spmd::Placement &MeshPlacements::placementOf(dist::ShardingAttr sharding) {
  auto [entry, isNew] = placements.try_emplace(sharding);
  if (isNew)
    entry->second = dist::placementOf(sharding, *meshOf(sharding.getMesh()));
  return entry->second;
}

std::optional<int64_t> MeshPlacements::positionOf(FlatSymbolRefAttr symbol, int64_t device) const {
  const spmd::Mesh &mesh = *meshOf(symbol);
  if (!mesh.devices.empty())
    return spmd::positionOf(mesh, device);
  return device < mesh.size() ? std::optional(device) : std::nullopt;
}

static SmallVector<int64_t> devicesOf(const spmd::Mesh &mesh) {
  SmallVector<int64_t> devices;
  for (int64_t position = 0; position < mesh.size(); ++position)
    devices.push_back(mesh.deviceAt(position));
  llvm::sort(devices);
  return devices;
}

SmallVector<int64_t> MeshPlacements::devices() const {
  SmallVector<int64_t> all;
  for (const auto &[symbol, mesh] : meshes)
    llvm::append_range(all, devicesOf(mesh));
  llvm::sort(all);
  all.erase(llvm::unique(all), all.end());
  return all;
}

bool MeshPlacements::haveEqualDevices() const {
  SmallVector<int64_t> all = devices();
  return llvm::all_of(meshes, [&](const auto &entry) { return devicesOf(entry.second) == all; });
}

RankedTensorType LocalTypes::of(RankedTensorType global, dist::ShardingAttr sharding) const {
  const spmd::Placement &placement = meshes.placementOf(sharding);
  auto position = device ? meshes.positionOf(sharding.getMesh(), *device) : std::nullopt;
  return position ? dist::localType(global, placement, *meshes.meshOf(sharding.getMesh()), *position)
                  : dist::localType(global, placement);
}

static bool isValid(const spmd::Link &link) {
  return std::isfinite(link.latency) && std::isfinite(link.bandwidth) && link.latency >= 0 &&
         link.bandwidth > 0;
}

int64_t elementBytes(Type element) {
  if (auto complex = dyn_cast<ComplexType>(element))
    return 2 * elementBytes(complex.getElementType());
  return element.isIntOrFloat() ? llvm::divideCeil(element.getIntOrFloatBitWidth(), 8) : 8;
}

LogicalResult ReshardExpander::readLink(ModuleOp module, StringRef pass, const std::string &text) {
  SmallVector<StringRef> fields;
  StringRef(text).split(fields, ':');
  spmd::Link link;
  if (fields.size() != 3 || !llvm::to_float(fields[1], link.latency) ||
      !llvm::to_float(fields[2], link.bandwidth) || !isValid(link))
    return module.emitError() << pass << ": expected links as AXIS:SECONDS:BYTES_PER_SECOND, found '" << text
                              << "'";
  linkOfAxis[fields[0]] = link;
  return success();
}

LogicalResult ReshardExpander::readMeshLink(ModuleOp module, StringRef pass) {
  meshLink = spmd::Link::of(costs.device);
  auto [latency, bandwidth] = StringRef(costs.meshLink).split(':');
  if (costs.meshLink.empty() || (llvm::to_float(latency, meshLink.latency) &&
                                 llvm::to_float(bandwidth, meshLink.bandwidth) && isValid(meshLink)))
    return success();
  return module.emitError() << pass << ": expected a mesh-link as SECONDS:BYTES_PER_SECOND, found '"
                            << costs.meshLink << "'";
}

/// Before any op changes: devices that create different sends and receives must agree about their channels.
void ReshardExpander::chooseChannels(ModuleOp module) {
  int64_t channel = 0;
  module.walk([&](Operation *op) {
    if (isa<dist::SendOp, dist::RecvOp>(op))
      channel = std::max(channel, op->getAttrOfType<IntegerAttr>("channel").getInt() + 1);
  });
  module.walk([&](dist::ReshardOp op) {
    if (op.getFrom().getMesh() != op.getTo().getMesh())
      channelOf[op] = channel++;
  });
}

LogicalResult ReshardExpander::verifyOptions(ModuleOp module, StringRef pass) {
  auto emitError = [&] { return module.emitError() << pass << ": "; };
  if (costs.memoryLimit < 0)
    return emitError() << "expected a memory-limit of at least 0, found " << costs.memoryLimit;
  for (const std::string &text : costs.links)
    if (failed(readLink(module, pass, text)))
      return failure();
  if (failed(readMeshLink(module, pass)))
    return failure();
  chooseChannels(module);
  llvm::StringSet<> axes;
  module.walk([&](dist::MeshOp mesh) {
    for (StringAttr name : mesh.getMesh().getNames())
      axes.insert(name.getValue());
  });
  for (StringRef axis : linkOfAxis.keys())
    if (!axes.contains(axis))
      return emitError() << "expected links of mesh axes, found '" << axis << "', which no mesh has";
  return success();
}

/// Sizes of the cost model.
FailureOr<SmallVector<int64_t>> ReshardExpander::dimsOf(Operation *op, RankedTensorType type) const {
  SmallVector<int64_t> dims;
  int64_t bytes = elementBytes(type.getElementType());
  for (int64_t dim : type.getShape()) {
    dims.push_back(ShapedType::isDynamic(dim) ? costs.device.assumedDim : dim);
    if (dims.back() != 0 && llvm::MulOverflow(bytes, dims.back(), bytes))
      return op->emitOpError() << "expected a tensor of less than 2^63 bytes, found " << type;
  }
  return dims;
}

std::vector<spmd::Link> ReshardExpander::linksOf(const spmd::Mesh &mesh) const {
  std::vector<spmd::Link> links;
  for (const spmd::MeshAxis &axis : mesh.axes) {
    auto link = linkOfAxis.find(axis.name);
    links.push_back(link == linkOfAxis.end() ? spmd::Link::of(costs.device) : link->second);
  }
  return links;
}

FailureOr<spmd::MeshReshardPlan> ReshardExpander::plan(Operation *op, RankedTensorType global,
                                                       dist::ShardingAttr from, dist::ShardingAttr to) {
  FailureOr<SmallVector<int64_t>> dims = dimsOf(op, global);
  if (failed(dims))
    return failure();
  auto options = spmd::ReshardOptions::of(costs.device);
  options.elementBytes = elementBytes(global.getElementType());
  options.memoryLimit = costs.memoryLimit;
  const spmd::Mesh &mesh = *types.meshes.meshOf(from.getMesh());
  options.links = linksOf(mesh);
  // Copies: a lookup may move the other one.
  spmd::Placement source = types.meshes.placementOf(from), target = types.meshes.placementOf(to);
  if (from.getMesh() == to.getMesh()) {
    Result<spmd::ReshardPlan> plan = spmd::planReshard(mesh, source, target, *dims, options);
    if (!plan)
      return op->emitOpError() << plan.diagnostics()[0].message;
    return spmd::MeshReshardPlan{std::move(plan->steps), {}, {}, plan->seconds, plan->peakBytes};
  }
  const spmd::Mesh &other = *types.meshes.meshOf(to.getMesh());
  std::vector<spmd::Link> otherLinks = linksOf(other);
  Result<spmd::MeshReshardPlan> plan = spmd::planMeshReshard(
      {mesh, source, options.links}, {other, target, otherLinks}, *dims, meshLink, options);
  if (!plan)
    return op->emitOpError() << plan.diagnostics()[0].message;
  return *plan;
}

Value ReshardExpander::createSteps(OpBuilder &builder, Location location, ArrayRef<spmd::ReshardStep> steps,
                                   Value local, RankedTensorType global, dist::ShardingAttr from) {
  const spmd::Mesh &mesh = *types.meshes.meshOf(from.getMesh());
  for (const spmd::ReshardStep &step : steps) {
    dist::ShardingAttr to = dist::shardingOf(step.to, from.getMesh(), mesh);
    local = dist::createStep(builder, location, step.kind, local, types.of(global, to), global, from, to);
    from = to;
  }
  return local;
}

Value ReshardExpander::create(OpBuilder &builder, Operation *op, const spmd::MeshReshardPlan &plan,
                              Value local, RankedTensorType global, dist::ShardingAttr from,
                              dist::ShardingAttr to) {
  Location location = op->getLoc();
  if (types.has(from.getMesh()))
    local = createSteps(builder, location, plan.before, local, global, from);
  if (!plan.move)
    return local;
  auto shardingOn = [&](FlatSymbolRefAttr mesh, const spmd::Placement &placement) {
    return dist::shardingOf(placement, mesh, *types.meshes.meshOf(mesh));
  };
  dist::ShardingAttr sent = shardingOn(from.getMesh(), plan.move->sent),
                     received = shardingOn(to.getMesh(), plan.move->received);
  auto channel = builder.getI64IntegerAttr(channelOf.at(op));
  if (types.has(from.getMesh()))
    dist::SendOp::create(builder, location, Type(), local, TypeAttr::get(global), sent, received, channel);
  if (!types.has(to.getMesh()))
    return {};
  Value value = dist::RecvOp::create(builder, location, types.of(global, received), TypeAttr::get(global),
                                     sent, received, channel);
  return createSteps(builder, location, plan.after, value, global, received);
}

} // namespace proa
