#include "translator/import/common/Arguments.h"

#include "dialects/pd/ir/FunctionAttributes.h"

#include "mlir/IR/Builders.h"

using namespace mlir;

namespace proa::import {

std::vector<DictionaryAttr> attributesOf(MLIRContext &context, llvm::ArrayRef<Argument> arguments) {
  Builder builder(&context);
  std::vector<DictionaryAttr> attributes;
  attributes.reserve(arguments.size());
  for (const Argument &argument : arguments) {
    llvm::SmallVector<NamedAttribute, 2> named{
        builder.getNamedAttr(argument.role, builder.getStringAttr(argument.name))};
    if (!argument.lodOwner.empty())
      named.push_back(builder.getNamedAttr(pd::lodOwnerAttribute, builder.getStringAttr(argument.lodOwner)));
    attributes.push_back(builder.getDictionaryAttr(named));
  }
  return attributes;
}

} // namespace proa::import
