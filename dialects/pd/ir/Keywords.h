/// Keywords of enum attributes, for code that does not know which enum an attribute has.
#pragma once

#include "mlir/IR/Attributes.h"
#include "mlir/IR/Location.h"

#include <optional>

namespace proa::pd {

/// The keyword of an enum attribute of pd: "NCHW"; none for other attributes.
std::optional<llvm::StringRef> keywordOf(mlir::Attribute attribute);

/// What the attribute `name` of an op `op` ("pd.conv2d") holds for `value`: the enum attribute for a string
/// where the op declares one, `value` itself otherwise. Failure, after an error at `location` that lists the
/// accepted keywords, for a string that is none of them.
mlir::FailureOr<mlir::Attribute> enumFromKeyword(mlir::Location location, llvm::StringRef op,
                                                 llvm::StringRef name, mlir::Attribute value);

} // namespace proa::pd
