#include "translator/import/newir/GradientTable.h"

#include "llvm/ADT/StringMap.h"

namespace proa::import {
namespace {

llvm::SmallVector<llvm::StringRef> words(llvm::StringRef text) {
  llvm::SmallVector<llvm::StringRef> out;
  text.split(out, ' ', /*MaxSplit=*/-1, /*KeepEmpty=*/false);
  return out;
}

} // namespace

const NewIrGradient *findNewIrGradient(llvm::StringRef name) {
  static const llvm::StringMap<NewIrGradient> byForward = [] {
    llvm::StringMap<NewIrGradient> map;
    auto add = [&](llvm::StringRef forward, llvm::StringRef forwardOperands, llvm::StringRef forwardResults,
                   llvm::StringRef operands, llvm::StringRef results) {
      map[forward] = {forward, words(forwardOperands), words(forwardResults), words(operands),
                      words(results)};
    };
#define GRADIENT(...) add(__VA_ARGS__);
#include "translator/import/newir/Gradients.inc"
#undef GRADIENT
    return map;
  }();
  name = name.rtrim('_');
  std::string forward;
  if (name.consume_back("_triple_grad"))
    forward = (name + "_double_grad").str();
  else if (name.consume_back("_double_grad"))
    forward = (name + "_grad").str();
  else if (name.consume_back("_grad"))
    forward = name.str();
  auto found = byForward.find(forward);
  return found == byForward.end() ? nullptr : &found->second;
}

const InPlacePairs &inPlacePairs(llvm::StringRef name) {
  static const llvm::StringMap<InPlacePairs> byName = [] {
    llvm::StringMap<InPlacePairs> map;
#define IN_PLACE(op, ...) map[op] = InPlacePairs{__VA_ARGS__};
#include "translator/import/newir/InPlace.inc"
#undef IN_PLACE
    return map;
  }();
  static const InPlacePairs none;
  auto found = name.consume_back("_") ? byName.find(name) : byName.end();
  return found == byName.end() ? none : found->second;
}

} // namespace proa::import
