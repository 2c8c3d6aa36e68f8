/// Jobs of a pipeline schedule that ops belong to.
#pragma once

#include "mlir/IR/Builders.h"
#include "mlir/IR/Location.h"

#include "llvm/ADT/SmallVector.h"

namespace proa::dist {

/// In the metadata of a fused location: the job of a schedule, a string as "F0.1".
inline constexpr llvm::StringLiteral jobAttribute = "dist.job";
/// The job of ops after all jobs of a schedule.
inline constexpr llvm::StringLiteral updateJob = "update";

/// The location with a job inside of its names: rewrites keep the locations of ops, but not their discardable
/// attributes.
inline mlir::Location withJob(mlir::Location location, llvm::StringRef job) {
  mlir::MLIRContext *context = location.getContext();
  if (auto name = mlir::dyn_cast<mlir::NameLoc>(location))
    return mlir::NameLoc::get(name.getName(), withJob(name.getChildLoc(), job));
  auto fused = mlir::dyn_cast<mlir::FusedLoc>(location);
  if (fused && !fused.getLocations().empty()) {
    llvm::SmallVector<mlir::Location> members(fused.getLocations());
    members.front() = withJob(members.front(), job);
    return mlir::FusedLoc::get(context, members, fused.getMetadata());
  }
  mlir::Builder builder(context);
  auto mark = builder.getDictionaryAttr(builder.getNamedAttr(jobAttribute, builder.getStringAttr(job)));
  return mlir::FusedLoc::get(context, {location}, mark);
}

/// The job of ops at the location, without members: empty if it has none.
inline llvm::StringRef jobOf(mlir::FusedLoc location) {
  auto marks = mlir::dyn_cast_if_present<mlir::DictionaryAttr>(location.getMetadata());
  auto mark = marks ? marks.getAs<mlir::StringAttr>(jobAttribute) : mlir::StringAttr();
  return mark ? mark.getValue() : llvm::StringRef();
}

} // namespace proa::dist
