#include "translator/import/ArgumentAttributes.h"

#include "mlir/IR/Builders.h"

#include <algorithm>
#include <thread>

using namespace mlir;

namespace proa::import {
namespace {

/// Arguments that a thread takes at a time; a few times so many are worth a thread.
constexpr size_t share = 256, worthAThread = 4 * share;

/// Makes attributes with names that are looked up once.
class Maker {
public:
  explicit Maker(MLIRContext &context) : builder(&context), lodOf(builder.getStringAttr("pd.lod_of")) {}

  DictionaryAttr make(const Argument &argument) {
    if (role != argument.role) {
      role = argument.role;
      roleName = builder.getStringAttr(role);
    }
    NamedAttribute named(roleName, builder.getStringAttr(argument.name));
    if (argument.lodOwner.empty())
      return DictionaryAttr::getWithSorted(builder.getContext(), named);
    return builder.getDictionaryAttr({named, {lodOf, builder.getStringAttr(argument.lodOwner)}});
  }

private:
  Builder builder;
  StringAttr lodOf, roleName;
  const char *role = nullptr;
};

} // namespace

ArgumentAttributes::ArgumentAttributes(MLIRContext &context, std::vector<Argument> arguments, bool mayShare)
    : context(context), list(std::move(arguments)), made(list.size()) {
  if (!mayShare || list.size() < worthAThread || std::thread::hardware_concurrency() < 2)
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
  Maker maker(context);
  for (size_t begin = next.fetch_add(share); begin < list.size(); begin = next.fetch_add(share))
    for (size_t i = begin; i < std::min(begin + share, list.size()); ++i)
      made[i] = maker.make(list[i]);
}

const std::vector<DictionaryAttr> &ArgumentAttributes::finish() {
  // To help the other thread is no faster: both would wait for the locks of one table.
  if (other.valid())
    other.wait();
  else
    makeSome();
  threaded.reset();
  return made;
}

} // namespace proa::import
