#include "dialects/pd/ir/Enums.h"

#include "mlir/IR/DialectImplementation.h"

#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;

#include "dialects/pd/ir/Enums.cpp.inc"

#define GET_ATTRDEF_CLASSES
#include "dialects/pd/ir/EnumAttrs.cpp.inc"

namespace proa::pd {
namespace {

using EnumValue = Attribute (*)(MLIRContext *, llvm::StringRef);

/// An enum attribute of an op: how a keyword becomes its value, and all keywords.
struct EnumAttribute {
  EnumValue fromKeyword;
  llvm::StringLiteral keywords;
};

template <class EnumAttr> Attribute fromKeyword(MLIRContext *context, llvm::StringRef keyword) {
  using Enum = decltype(std::declval<EnumAttr>().getValue());
  std::optional<Enum> value = symbolizeEnum<Enum>(keyword);
  return value ? EnumAttr::get(context, *value) : Attribute();
}

/// Paddle's recurrent layers take an empty name as the identity.
template <> Attribute fromKeyword<ActivationAttr>(MLIRContext *context, llvm::StringRef keyword) {
  std::optional<Activation> value = keyword.empty() ? Activation::Identity : symbolizeActivation(keyword);
  return value ? ActivationAttr::get(context, *value) : Attribute();
}

/// By the names of op and attribute.
const EnumAttribute *findEnumAttribute(llvm::StringRef op, llvm::StringRef name) {
  using Key = std::pair<llvm::StringRef, llvm::StringRef>;
  static const llvm::DenseMap<Key, EnumAttribute> table = {
#include "dialects/pd/AllEnums.inc"
  };
  auto found = table.find(Key(op, name));
  return found == table.end() ? nullptr : &found->second;
}

template <class... EnumAttrs> std::optional<llvm::StringRef> keywordIn(Attribute attribute) {
  std::optional<llvm::StringRef> keyword;
  auto read = [&](auto value) {
    if (value)
      keyword = stringifyEnum(value.getValue());
  };
  (read(dyn_cast<EnumAttrs>(attribute)), ...);
  return keyword;
}

} // namespace

void PdDialect::registerAttributes() {
  addAttributes<
#define GET_ATTRDEF_LIST
#include "dialects/pd/ir/EnumAttrs.cpp.inc"
      >();
}

bool channelsAreLast(DataFormat dataFormat) {
  switch (dataFormat) {
  case DataFormat::NHWC:
  case DataFormat::NDHWC:
  case DataFormat::NLC:
  case DataFormat::NWC:
    return true;
  case DataFormat::NCHW:
  case DataFormat::NCDHW:
  case DataFormat::NCL:
  case DataFormat::NCW:
  case DataFormat::AnyLayout:
    return false;
  }
  return false;
}

std::optional<llvm::StringRef> keywordOf(Attribute attribute) {
  if (!isa<PdDialect>(attribute.getDialect()))
    return std::nullopt;
  return keywordIn<
#define GET_ATTRDEF_LIST
#include "dialects/pd/ir/EnumAttrs.cpp.inc"
      >(attribute);
}

FailureOr<Attribute> enumFromKeyword(Location location, llvm::StringRef op, llvm::StringRef name,
                                     Attribute value) {
  auto keyword = dyn_cast_or_null<StringAttr>(value);
  const EnumAttribute *attribute = keyword ? findEnumAttribute(op, name) : nullptr;
  if (!attribute)
    return value;
  if (Attribute result = attribute->fromKeyword(location.getContext(), keyword.getValue()))
    return result;
  return emitError(location) << "attribute '" << name << "' is '" << keyword.getValue()
                             << "', expected one of: " << attribute->keywords;
}

} // namespace proa::pd
