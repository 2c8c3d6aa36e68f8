#include "dialects/pd/ir/AttributeNames.h"

#include "lib/base/support/Suggest.h"

#include "llvm/ADT/StringExtras.h"

using namespace mlir;

namespace proa::pd {

/// The attributes of the op's record, without segment sizes of operands and results.
static std::vector<std::string> declaredNames(Operation *op) {
  std::vector<std::string> names;
  if (auto info = op->getRegisteredInfo())
    for (StringAttr name : info->getAttributeNames())
      if (name != "operandSegmentSizes" && name != "resultSegmentSizes")
        names.push_back(name.str());
  return names;
}

LogicalResult verifyAttributeNames(Operation *op) {
  bool isCorrect = true;
  for (NamedAttribute attribute : op->getDiscardableAttrs()) {
    if (attribute.getName().getValue().contains('.'))
      continue;
    isCorrect = false;
    std::vector<std::string> names = declaredNames(op);
    InFlightDiagnostic error = op->emitOpError("has no attribute '") << attribute.getName().getValue() << "'";
    std::string suggestion = didYouMean(attribute.getName().getValue(), names);
    if (!suggestion.empty())
      error << suggestion;
    else
      error << (names.empty() ? ", expected none" : ", expected one of: ") << llvm::join(names, ", ");
    error.attachNote() << "an attribute that is not part of the op has a dialect's name before it, as in 'pd."
                       << attribute.getName().getValue() << "'";
  }
  return success(isCorrect);
}

} // namespace proa::pd
