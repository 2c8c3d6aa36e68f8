#include "test/fuzz/ir/MutateAttributes.h"

#include "dialects/pd/ir/Enums.h"

#include "mlir/IR/Builders.h"
#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/BuiltinTypes.h"

#include <limits>

using namespace mlir;

namespace proa::fuzz {

int64_t randomInteger(Random &random) {
  static const int64_t extremes[] = {-1,
                                     0,
                                     1,
                                     127,
                                     1000,
                                     int64_t(1) << 31,
                                     int64_t(1) << 40,
                                     std::numeric_limits<int64_t>::max(),
                                     std::numeric_limits<int64_t>::min()};
  return pick(random, 3) ? static_cast<int64_t>(pick(random, 8)) - 2 : pickFrom(random, extremes);
}

static double randomNumber(Random &random) {
  static const double numbers[] = {0,
                                   -0.0,
                                   1,
                                   -1,
                                   0.5,
                                   1e30,
                                   1e-300,
                                   1e300,
                                   std::numeric_limits<double>::infinity(),
                                   std::numeric_limits<double>::quiet_NaN()};
  return pickFrom(random, numbers);
}

static SmallVector<int64_t> mutateList(ArrayRef<int64_t> list, Random &random) {
  SmallVector<int64_t> changed(list);
  switch (pick(random, changed.empty() ? 1 : 5)) {
  case 0:
    changed.push_back(randomInteger(random));
    break;
  case 1:
    changed.clear();
    break;
  case 2:
    changed.pop_back();
    break;
  case 3:
    std::swap(changed.front(), changed[pick(random, changed.size())]);
    break;
  default:
    changed[pick(random, changed.size())] = randomInteger(random);
  }
  return changed;
}

/// Values of string attributes and options.
static StringRef randomWord(Random &random) {
  static const char *const words[] = {"",     "none", "SAME", "VALID", "NCHW",     "NHWC", "mean",    "sum",
                                      "relu", "gelu", "bias", "add",   "constant", "LSTM", "nearest", "x"};
  return pickFrom(random, words);
}

static Type randomElement(MLIRContext *context, Random &random) {
  Builder b(context);
  Type types[] = {b.getI1Type(),
                  b.getIntegerType(8),
                  b.getIntegerType(8, false),
                  b.getIntegerType(16),
                  b.getI32Type(),
                  b.getI64Type(),
                  b.getF16Type(),
                  b.getBF16Type(),
                  b.getF32Type(),
                  b.getF64Type(),
                  Float8E4M3FNType::get(context),
                  ComplexType::get(b.getF32Type()),
                  ComplexType::get(b.getF64Type())};
  return pickFrom(random, types);
}

Type mutateType(Type type, Random &random) {
  auto tensor = dyn_cast<RankedTensorType>(type);
  if (!tensor)
    return type;
  SmallVector<int64_t> shape(tensor.getShape());
  switch (pick(random, 8)) {
  case 0:
  case 1:
    return tensor.clone(randomElement(type.getContext(), random));
  case 2:
    if (!shape.empty())
      shape.pop_back();
    break;
  case 3:
    shape.push_back(pick(random, 2) ? ShapedType::kDynamic : static_cast<int64_t>(pick(random, 4)));
    break;
  case 4:
    if (pick(random, 8) == 0)
      return tensor.getElementType();
    [[fallthrough]];
  default: {
    if (shape.empty())
      break;
    int64_t size =
        pick(random, 3) ? static_cast<int64_t>(pick(random, 5)) : std::max<int64_t>(randomInteger(random), 0);
    shape[pick(random, shape.size())] = pick(random, 3) == 0 ? ShapedType::kDynamic : size;
  }
  }
  return tensor.clone(shape);
}

/// Another value of an enum attribute; null for other attributes.
template <class EnumAttr> static Attribute mutateEnumOf(Attribute attribute, Random &random) {
  auto current = dyn_cast<EnumAttr>(attribute);
  if (!current)
    return {};
  using Enum = decltype(current.getValue());
  constexpr uint32_t maxValues = 64;
  SmallVector<Enum> values;
  for (uint32_t i = 0; i < maxValues; ++i)
    if (auto value = static_cast<Enum>(i); !pd::stringifyEnum(value).empty())
      values.push_back(value);
  return EnumAttr::get(attribute.getContext(), pickFrom(random, values));
}

template <class... EnumAttrs> static Attribute mutateEnumIn(Attribute attribute, Random &random) {
  Attribute changed;
  ((changed = changed ? changed : mutateEnumOf<EnumAttrs>(attribute, random)), ...);
  return changed;
}

static Attribute mutateEnum(Attribute attribute, Random &random) {
  return mutateEnumIn<
#define GET_ATTRDEF_LIST
#include "dialects/pd/ir/EnumAttrs.cpp.inc"
      >(attribute, random);
}

Attribute mutateAttribute(Attribute attribute, Random &random) {
  Builder b(attribute.getContext());
  if (auto flag = dyn_cast<BoolAttr>(attribute))
    return b.getBoolAttr(!flag.getValue());
  if (auto integer = dyn_cast<IntegerAttr>(attribute)) {
    int64_t value = randomInteger(random);
    return IntegerAttr::get(
        integer.getType(),
        integer.getValue().getBitWidth() == 64
            ? APInt(64, static_cast<uint64_t>(value))
            : APInt(64, static_cast<uint64_t>(value)).sextOrTrunc(integer.getValue().getBitWidth()));
  }
  if (auto number = dyn_cast<FloatAttr>(attribute))
    return FloatAttr::get(number.getType(), randomNumber(random));
  if (isa<StringAttr>(attribute))
    return b.getStringAttr(randomWord(random));
  if (auto list = dyn_cast<DenseI64ArrayAttr>(attribute))
    return b.getDenseI64ArrayAttr(mutateList(list.asArrayRef(), random));
  if (auto list = dyn_cast<DenseF64ArrayAttr>(attribute)) {
    SmallVector<double> values(list.asArrayRef());
    values.push_back(randomNumber(random));
    return b.getDenseF64ArrayAttr(values);
  }
  if (auto list = dyn_cast<ArrayAttr>(attribute)) {
    SmallVector<Attribute> items(list.begin(), list.end());
    if (items.empty())
      return {};
    Attribute &item = items[pick(random, items.size())];
    Attribute changed = pick(random, 3) ? mutateAttribute(item, random) : Attribute();
    if (changed)
      item = changed;
    else
      items.pop_back();
    return b.getArrayAttr(items);
  }
  if (auto dictionary = dyn_cast<DictionaryAttr>(attribute)) {
    SmallVector<NamedAttribute> items(dictionary.begin(), dictionary.end());
    if (items.empty())
      return {};
    NamedAttribute &item = items[pick(random, items.size())];
    if (Attribute changed = mutateAttribute(item.getValue(), random))
      item.setValue(changed);
    return b.getDictionaryAttr(items);
  }
  if (auto type = dyn_cast<TypeAttr>(attribute))
    return isa<RankedTensorType>(type.getValue()) ? TypeAttr::get(mutateType(type.getValue(), random))
           : isa<FunctionType>(type.getValue())   ? Attribute()
                                                  : TypeAttr::get(randomElement(b.getContext(), random));
  if (auto elements = dyn_cast<DenseElementsAttr>(attribute); elements && elements.getNumElements() > 0) {
    Type element = elements.getElementType();
    if (isa<FloatType>(element))
      return DenseElementsAttr::get(elements.getType(),
                                    ArrayRef<Attribute>(FloatAttr::get(element, randomNumber(random))));
    if (element.isInteger(32) || element.isInteger(64))
      return DenseElementsAttr::get(elements.getType(),
                                    ArrayRef<Attribute>(IntegerAttr::get(element, randomInteger(random))));
  }
  return mutateEnum(attribute, random);
}

} // namespace proa::fuzz
