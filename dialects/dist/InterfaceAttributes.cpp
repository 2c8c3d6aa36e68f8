#include "dialects/dist/InterfaceAttributes.h"

using namespace mlir;

namespace proa::dist {

ShardingAttr argumentSharding(FunctionOpInterface function, unsigned index) {
  return function.getArgAttrOfType<ShardingAttr>(index, shardingAttribute);
}

ShardingAttr resultSharding(FunctionOpInterface function, unsigned index) {
  return function.getResultAttrOfType<ShardingAttr>(index, shardingAttribute);
}

InterfaceAttributes::InterfaceAttributes(FunctionOpInterface function) : function(function) {
  for (unsigned i = 0; i < function.getNumArguments(); ++i)
    arguments.emplace_back(function.getArgAttrDict(i));
  for (unsigned i = 0; i < function.getNumResults(); ++i)
    results.emplace_back(function.getResultAttrDict(i));
}

void InterfaceAttributes::apply() {
  auto dictionary = [&](NamedAttrList &list) { return list.getDictionary(function->getContext()); };
  function.setAllArgAttrs(llvm::map_to_vector(arguments, dictionary));
  function.setAllResultAttrs(llvm::map_to_vector(results, dictionary));
}

} // namespace proa::dist
