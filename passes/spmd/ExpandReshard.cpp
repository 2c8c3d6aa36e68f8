//! dist-expand-reshard: replaces reshards by the cheapest sequence of collectives.
#include "passes/spmd/Passes.h"

#include "dialects/dist/Placements.h"
#include "lib/spmd/Reshard.h"
#include "passes/remarks/Remarks.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringSet.h"
#include "llvm/Support/MathExtras.h"

#include <cmath>

using namespace mlir;

namespace proa {

#define GEN_PASS_DEF_EXPANDRESHARD
#include "passes/spmd/Passes.h.inc"

namespace {

class ExpandReshardPass : public impl::ExpandReshardBase<ExpandReshardPass> {
public:
  using ExpandReshardBase::ExpandReshardBase;

  void runOnOperation() override {
    llvm::StringMap<spmd::Link> linkOfAxis;
    if (failed(readOptions(linkOfAxis)))
      return signalPassFailure();
    SymbolTableCollection symbols;
    SmallVector<dist::ReshardOp> ops;
    getOperation()->walk([&](dist::ReshardOp op) { ops.push_back(op); });
    for (dist::ReshardOp op : ops)
      if (failed(expand(op, symbols, linkOfAxis)))
        signalPassFailure();
  }

private:
  LogicalResult readOptions(llvm::StringMap<spmd::Link> &linkOfAxis) {
    auto emitError = [&] { return getOperation()->emitError() << getArgumentName() << ": "; };
    if (!isValid({latency, bandwidth}))
      return emitError() << "expected a finite latency of at least 0 and a finite bandwidth above 0";
    if (memoryLimit < 0)
      return emitError() << "expected a memory-limit of at least 0, found " << int64_t(memoryLimit);
    if (dynamicDim < 1)
      return emitError() << "expected a dynamic-dim of at least 1, found " << int64_t(dynamicDim);
    for (const std::string &text : links) {
      SmallVector<StringRef> parts;
      StringRef(text).split(parts, ':');
      spmd::Link link;
      if (parts.size() != 3 || !llvm::to_float(parts[1], link.latency) ||
          !llvm::to_float(parts[2], link.bandwidth) || !isValid(link))
        return emitError() << "expected links as AXIS:SECONDS:BYTES_PER_SECOND, found '" << text << "'";
      linkOfAxis[parts[0]] = link;
    }
    llvm::StringSet<> axes;
    getOperation()->walk([&](dist::MeshOp mesh) {
      for (StringAttr name : mesh.getMesh().getNames())
        axes.insert(name.getValue());
    });
    for (StringRef axis : linkOfAxis.keys())
      if (!axes.contains(axis))
        return emitError() << "expected links of mesh axes, found '" << axis << "', which no mesh has";
    return success();
  }

  static bool isValid(const spmd::Link &link) {
    return std::isfinite(link.latency) && std::isfinite(link.bandwidth) && link.latency >= 0 &&
           link.bandwidth > 0;
  }

  /// Sizes of the cost model. Failure if the tensor has too many elements to count.
  FailureOr<SmallVector<int64_t>> dimsOf(dist::ReshardOp op) {
    SmallVector<int64_t> dims;
    int64_t bytes = elementBytes(op.getX().getType().getElementType());
    for (int64_t dim : op.getX().getType().getShape()) {
      dims.push_back(ShapedType::isDynamic(dim) ? dynamicDim : dim);
      if (dims.back() != 0 && llvm::MulOverflow(bytes, dims.back(), bytes))
        return op.emitOpError() << "expected a tensor of less than 2^63 bytes, found " << op.getX().getType();
    }
    return dims;
  }

  static int64_t elementBytes(Type element) {
    if (auto complex = dyn_cast<ComplexType>(element))
      return 2 * elementBytes(complex.getElementType());
    return element.isIntOrFloat() ? llvm::divideCeil(element.getIntOrFloatBitWidth(), 8) : 8;
  }

  LogicalResult expand(dist::ReshardOp op, SymbolTableCollection &symbols,
                       const llvm::StringMap<spmd::Link> &linkOfAxis) {
    FlatSymbolRefAttr symbol = op.getFrom().getMesh();
    if (symbol != op.getTo().getMesh()) {
      remarks.missed(op) << "dist.reshard stays: its shardings are on the meshes " << symbol.getValue()
                         << " and " << op.getTo().getMesh().getValue();
      return success();
    }
    spmd::Mesh mesh = dist::lookupMesh(symbols, op, symbol).toMesh();
    FailureOr<SmallVector<int64_t>> dims = dimsOf(op);
    if (failed(dims))
      return failure();
    spmd::ReshardOptions options;
    for (const spmd::MeshAxis &axis : mesh.axes) {
      auto link = linkOfAxis.find(axis.name);
      options.links.push_back(link == linkOfAxis.end() ? spmd::Link{latency, bandwidth} : link->second);
    }
    options.elementBytes = elementBytes(op.getX().getType().getElementType());
    options.memoryLimit = memoryLimit;
    Result<spmd::ReshardPlan> plan = spmd::planReshard(mesh, dist::placementOf(op.getFrom(), mesh),
                                                       dist::placementOf(op.getTo(), mesh), *dims, options);
    if (!plan)
      return op.emitOpError() << plan.problems()[0].message;
    replace(op, mesh, *plan);
    return success();
  }

  void replace(dist::ReshardOp op, const spmd::Mesh &mesh, const spmd::ReshardPlan &plan) {
    if (PassRemarks::areEnabled(op.getContext())) {
      std::string names;
      for (const spmd::ReshardStep &step : plan.steps)
        names += (names.empty() ? "" : ", ") + std::string(spmd::nameOf(step.kind));
      remarks.done(op) << "dist.reshard becomes: " << names;
    }
    OpBuilder builder(op);
    Location location = op.getLoc();
    RankedTensorType global = op.getX().getType();
    dist::ShardingAttr at = op.getFrom();
    Value value = dist::ToLocalOp::create(
        builder, location, dist::localType(global, dist::placementOf(at, mesh)), op.getX(), at);
    for (const spmd::ReshardStep &step : plan.steps) {
      dist::ShardingAttr next = dist::shardingOf(step.to, at.getMesh(), mesh);
      value = dist::createStep(builder, location, step.kind, value, global, at, next, mesh);
      at = next;
    }
    op.replaceAllUsesWith(dist::ToGlobalOp::create(builder, location, global, value, at).getResult());
    op.erase();
  }

  PassRemarks remarks{getArgumentName()};
};

} // namespace
} // namespace proa
