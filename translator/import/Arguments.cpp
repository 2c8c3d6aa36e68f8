#include "translator/import/Arguments.h"

#include "mlir/IR/Builders.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/raw_ostream.h"

using namespace mlir;

namespace proa::import {
namespace {

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

std::vector<DictionaryAttr> attributesOf(MLIRContext &context, llvm::ArrayRef<Argument> arguments) {
  std::vector<DictionaryAttr> made;
  made.reserve(arguments.size());
  Maker maker(context);
  for (const Argument &argument : arguments)
    made.push_back(maker.make(argument));
  return made;
}

void printAttributes(llvm::raw_ostream &stream, const Argument &argument) {
  auto print = [&](llvm::StringRef name, llvm::StringRef value) {
    stream << name << " = \"";
    llvm::printEscapedString(value, stream);
    stream << '"';
  };
  stream << '{';
  print(argument.role, argument.name);
  if (!argument.lodOwner.empty()) { // "pd.feed" then, which sorts before it
    stream << ", ";
    print("pd.lod_of", argument.lodOwner);
  }
  stream << '}';
}

} // namespace proa::import
