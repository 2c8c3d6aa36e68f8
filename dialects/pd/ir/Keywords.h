/// Keywords of enum attributes, for code that does not know which enum an attribute has.
#pragma once

#include "mlir/IR/Attributes.h"
#include "mlir/IR/Location.h"

#include <optional>

namespace proa::pd {

/// The keyword of an enum attribute of pd: "NCHW"; none for other attributes.
std::optional<llvm::StringRef> keywordOf(mlir::Attribute attribute);

/// Converts a string to the enum attribute that the op `op` ("pd.pool2d") declares by `name`. Returns other
/// values, and strings for other attributes, unchanged. Fails for an unknown keyword, after an error at
/// `location` that lists the accepted ones.
mlir::FailureOr<mlir::Attribute> enumFromKeyword(mlir::Location location, llvm::StringRef op,
                                                 llvm::StringRef name, mlir::Attribute value);

} // namespace proa::pd
