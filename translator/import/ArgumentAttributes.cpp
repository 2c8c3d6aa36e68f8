#include "translator/import/ArgumentAttributes.h"

#include "mlir/IR/Builders.h"

#include <algorithm>
#include <thread>

using namespace mlir;

namespace proa::import {
namespace {

/// Arguments that a thread takes at a time; a few times so many are worth a thread.
constexpr size_t share = 256, worthAThread = 4 * share;

DictionaryAttr attributesOf(Builder &builder, const Argument &argument) {
  llvm::SmallVector<NamedAttribute, 2> named = {
      builder.getNamedAttr(argument.role, builder.getStringAttr(argument.name))};
  if (!argument.lodOwner.empty())
    named.push_back(builder.getNamedAttr("pd.lod_of", builder.getStringAttr(argument.lodOwner)));
  return builder.getDictionaryAttr(named);
}

} // namespace

ArgumentAttributes::ArgumentAttributes(MLIRContext &context, std::vector<Argument> arguments)
    : context(context), list(std::move(arguments)), made(list.size()) {
  if (list.size() < worthAThread || std::thread::hardware_concurrency() < 2)
    return;
  threaded.emplace(context);
  other = std::async(std::launch::async, [this] { makeSome(); });
}

ArgumentAttributes::~ArgumentAttributes() {
  next = list.size(); // the other thread need not go on
  if (other.valid())
    other.wait();
}

void ArgumentAttributes::makeSome() {
  Builder builder(&context);
  for (size_t begin = next.fetch_add(share); begin < list.size(); begin = next.fetch_add(share))
    for (size_t i = begin; i < std::min(begin + share, list.size()); ++i)
      made[i] = attributesOf(builder, list[i]);
}

const std::vector<DictionaryAttr> &ArgumentAttributes::finish() {
  makeSome();
  if (other.valid())
    other.wait();
  threaded.reset();
  return made;
}

} // namespace proa::import
