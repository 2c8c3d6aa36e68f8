/// How a program's format names the operands, results and attributes of an op of pd: the columns of a row of
/// the tables that proa-tblgen makes of the fields `legacy`, `newIr` and `onnx` of records.
#pragma once

#include "llvm/ADT/StringRef.h"

namespace proa::import {

enum class Arity { Required, Optional, Variadic };
enum class AttributeKind { Bool, Int, Float, String, Type, Ints, Floats, Strings };

/// The slots of an operand or result. The names are alternatives, separated by '|': "Slot", "Slot*" (a
/// list, which is stacked for an operand that is one tensor), "@attribute" (an attribute that holds variable
/// names).
struct MappedSlot {
  llvm::StringRef spelling;
  Arity arity;
};

struct MappedAttribute {
  llvm::StringRef name;       ///< of the op of pd
  llvm::StringRef sourceName; ///< in the program's format
  AttributeKind kind;
  bool required;
  /// Whether Paddle stores 64 bits.
  bool isWide = false;
};

} // namespace proa::import
