/// Stages of a pipeline that ops are given: by the user, or by a plan.
#pragma once

#include "mlir/IR/Builders.h"
#include "mlir/IR/Location.h"
#include "mlir/IR/Operation.h"

#include <cstdint>
#include <optional>

namespace proa::dist {

/// On an op of a training program: the stage that computes it, an integer from 0.
inline constexpr llvm::StringLiteral stageAttribute = "dist.stage";

/// The stage in a location: rewrites keep the locations of ops, but not their discardable attributes.
inline std::optional<int64_t> stageOf(mlir::Location location) {
  std::optional<int64_t> stage;
  location->walk([&](mlir::Location member) {
    auto fused = mlir::dyn_cast<mlir::FusedLoc>(member);
    auto marks =
        fused ? mlir::dyn_cast_if_present<mlir::DictionaryAttr>(fused.getMetadata()) : mlir::DictionaryAttr();
    auto mark = marks ? marks.getAs<mlir::IntegerAttr>(stageAttribute) : mlir::IntegerAttr();
    if (mark)
      stage = mark.getInt();
    return mark ? mlir::WalkResult::interrupt() : mlir::WalkResult::advance();
  });
  return stage;
}

inline mlir::Location withStage(mlir::Location location, int64_t stage) {
  mlir::Builder builder(location.getContext());
  auto mark =
      builder.getDictionaryAttr(builder.getNamedAttr(stageAttribute, builder.getI64IntegerAttr(stage)));
  return mlir::FusedLoc::get(location.getContext(), {location}, mark);
}

/// The location without a stage. Other fused locations keep their members.
inline mlir::Location withoutStage(mlir::Location location) {
  auto fused = mlir::dyn_cast<mlir::FusedLoc>(location);
  if (!fused || !stageOf(location))
    return location;
  auto marks = mlir::dyn_cast_if_present<mlir::DictionaryAttr>(fused.getMetadata());
  if (marks && marks.contains(stageAttribute))
    return withoutStage(fused.getLocations().front());
  llvm::SmallVector<mlir::Location> members(llvm::map_range(fused.getLocations(), withoutStage));
  return mlir::FusedLoc::get(location.getContext(), members, fused.getMetadata());
}

} // namespace proa::dist
