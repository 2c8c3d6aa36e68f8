#include "translator/export/ExportOp.h"

#include "dialects/pd/ir/Infer.h"
#include "dialects/pd/ir/Keywords.h"
#include "dialects/pd/ops/creation/CreationOps.h"
#include "dialects/pd/ops/detection/Proposals.h"
#include "dialects/pd/ops/detection/Targets.h"
#include "dialects/pd/ops/index/ScatterOps.h"
#include "dialects/pd/ops/loss/LossOps.h"
#include "dialects/pd/ops/math/BinaryOps.h"
#include "dialects/pd/ops/math/UnaryOps.h"
#include "dialects/pd/ops/optimizer/OptimizerOps.h"
#include "dialects/pd/ops/optimizer/ScalingOps.h"
#include "dialects/pd/ops/reduce/NormOps.h"
#include "dialects/pd/ops/reduce/ReduceOps.h"
#include "dialects/pd/ops/search/CountOps.h"
#include "dialects/pd/ops/search/SearchOps.h"
#include "dialects/pd/ops/shape/DiagonalOps.h"
#include "dialects/pd/ops/shape/SliceOps.h"

#include "mlir/IR/Matchers.h"
#include "llvm/ADT/SmallString.h"

#include "llvm/ADT/StringSet.h"
#include "llvm/ADT/StringSwitch.h"
#include "llvm/ADT/TypeSwitch.h"

#include <numeric>

using namespace mlir;

namespace proa::exporter {
namespace {

using import::AttributeKind;
using import::LegacyAttribute;
using import::LegacyOp;
using import::LegacySlot;

using Entries = llvm::SmallVector<const LegacyOp *>;

/// The spellings that programs are written with, for each pd op, the first one in front.
llvm::ArrayRef<const LegacyOp *> entriesFor(llvm::StringRef target) {
  static const llvm::StringMap<Entries> byTarget = [] {
    llvm::StringMap<Entries> map;
    for (const LegacyOp &entry : import::legacyOps())
      if (entry.rank != LegacyOp::unwrittenRank)
        map[entry.target].push_back(&entry);
    for (auto &[target, entries] : map)
      llvm::sort(entries, [](const LegacyOp *a, const LegacyOp *b) { return a->rank < b->rank; });
    return map;
  }();
  auto found = byTarget.find(target);
  return found == byTarget.end() ? llvm::ArrayRef<const LegacyOp *>() : found->second;
}

using Groups = llvm::SmallVector<llvm::SmallVector<Value>>;

/// The operands in each slot of an entry, in the record's order.
Groups operandGroups(Operation *op, const LegacyOp &entry) {
  Groups groups;
  if (auto collect = dyn_cast<pd::CollectFpnProposalsOp>(op)) { // one list of all
    for (OperandRange rest = collect.getInputs(); !rest.empty(); rest = rest.drop_front(collect.getLevels()))
      groups.emplace_back(rest.take_front(collect.getLevels()));
    groups.resize(entry.inputs.size());
    return groups;
  }
  auto segments = op->getAttrOfType<DenseI32ArrayAttr>("operandSegmentSizes");
  if (!segments)
    if (auto inherent = op->getInherentAttr("operandSegmentSizes"))
      segments = dyn_cast_if_present<DenseI32ArrayAttr>(*inherent);
  size_t next = 0, count = op->getNumOperands();
  auto variable =
      llvm::count_if(entry.inputs, [](const LegacySlot &s) { return s.arity != import::Arity::Required; });
  for (auto [i, slot] : llvm::enumerate(entry.inputs)) {
    size_t size = 1;
    if (segments && i < static_cast<size_t>(segments.size()))
      size = segments[i];
    else if (slot.arity == import::Arity::Variadic)
      size = count - std::min(count, next + (entry.inputs.size() - i - 1));
    else if (slot.arity == import::Arity::Optional)
      size = variable == 1 ? count - std::min(count, entry.inputs.size() - 1) : count > next ? 1 : 0;
    llvm::SmallVector<Value> group;
    for (size_t k = 0; k < size && next < count; ++k)
      group.push_back(op->getOperand(next++));
    groups.push_back(group);
  }
  return groups;
}

/// The results in each slot of an entry.
Groups resultGroups(Operation *op, const LegacyOp &entry) {
  Groups groups;
  ResultRange rest = op->getResults();
  for (const LegacySlot &slot : entry.outputs) {
    size_t size =
        slot.arity == import::Arity::Variadic ? op->getNumResults() - (entry.outputs.size() - 1) : 1;
    if (isa<pd::DistributeFpnProposalsOp>(op)) // the boxes, their order, their numbers, if they are wanted
      size = groups.size() == 0 ? rest.size() / 2 : groups.size() == 1 ? 1 : rest.size();
    size = std::min<size_t>(size, rest.size());
    groups.emplace_back(rest.take_front(size));
    rest = rest.drop_front(size);
  }
  return groups;
}

/// Whether a slot is an attribute and nothing else: "@ksize".
bool isAttribute(const LegacySlot &slot) {
  return slot.spelling.starts_with("@") && !slot.spelling.contains('|');
}

/// The integers that a value always holds; nothing where the program computes them.
std::optional<std::vector<int32_t>> constantIntegers(Value value) {
  auto type = pd::tensorType(value);
  DenseIntElementsAttr elements;
  if (matchPattern(value, m_Constant(&elements))) {
    auto numbers = llvm::map_range(elements.getValues<APInt>(), [](const APInt &number) {
      return static_cast<int32_t>(number.getSExtValue());
    });
    return std::vector<int32_t>(numbers.begin(), numbers.end());
  }
  auto full = value.getDefiningOp<pd::FullOp>();
  if (!full || full.getValueTensor() || !type.hasStaticShape() || !isa<IntegerType>(type.getElementType()))
    return std::nullopt;
  auto number = full.getIntegerValue() ? static_cast<int64_t>(*full.getIntegerValue())
                                       : static_cast<int64_t>(full.getValue().convertToDouble());
  return std::vector<int32_t>(static_cast<size_t>(type.getNumElements()), static_cast<int32_t>(number));
}

/// Whether an entry has a slot for each operand, and one for each result that is read.
bool takes(const LegacyOp &entry, Operation *op) {
  for (auto [slot, group] : llvm::zip(entry.inputs, operandGroups(op, entry)))
    if (!group.empty() && (slot.spelling.empty() || (isAttribute(slot) && !constantIntegers(group[0]))))
      return false;
  for (auto [slot, group] : llvm::zip(entry.outputs, resultGroups(op, entry)))
    if (slot.spelling.empty() && llvm::any_of(group, [](Value value) { return !value.use_empty(); }))
      return false;
  return true;
}

/// What Paddle 2.6 computes otherwise.
bool isOfPaddle3(Operation *op) {
  auto isWhole = [](const llvm::APFloat &bound) { return bound.isInteger(); };
  return llvm::TypeSwitch<Operation *, bool>(op)
      .Case([](pd::NanmedianOp median) { return median.getMode() != pd::MedianMode::Avg; })
      .Case([](pd::RoundOp round) { return round.getHalfToEven() || round.getDecimals() != 0; })
      .Case([](pd::SigmoidCrossEntropyWithLogitsOp loss) { return loss.getWeighsLinearPart(); })
      .Case([&](pd::HistogramOp count) { return !isWhole(count.getMin()) || !isWhole(count.getMax()); })
      .Default(false);
}

/// The entry that `op` is written by, or null. Those with a hook of their own say something else.
const LegacyOp *entryOf(Operation *op) {
  if (op->getNumRegions() > 0 || isOfPaddle3(op))
    return nullptr;
  if (isa<pd::FullOp>(op)) // of its spellings the one that takes a value as a tensor
    return import::findLegacyOp("fill_constant");
  // One legacy op is both triangles.
  llvm::ArrayRef<const LegacyOp *> entries =
      entriesFor(isa<pd::TriuOp>(op) ? pd::TrilOp::getOperationName() : op->getName().getStringRef());
  for (const LegacyOp *entry : entries)
    if (entry->hook == entries.front()->hook && takes(*entry, op))
      return entry;
  return nullptr;
}

int32_t dtypeNumber(Type elementType) { return legacy::numberOf(*pd::dtypeOf(elementType)); }

template <class To, class From> std::vector<To> vectorOf(const From &list) {
  return {list.begin(), list.end()};
}

/// The slot of an operand among its alternatives: one that takes a tensor, or a list of them.
std::string slotName(const LegacySlot &slot, bool isList) {
  llvm::SmallVector<llvm::StringRef> names;
  llvm::StringRef(slot.spelling).split(names, '|');
  for (llvm::StringRef name : names)
    if (!name.starts_with("@") && name.ends_with("*") == isList)
      return name.rtrim('*').str();
  // A list that is one tensor here may stand in a slot for one tensor, and the other way round for one
  // element.
  for (llvm::StringRef name : names)
    if (!name.starts_with("@") && isList)
      return name.str();
  return "";
}

class OpExporter {
public:
  OpExporter(Operation *op, const LegacyOp &entry, Names &names) : op(op), entry(entry), names(names) {
    out.type = entry.type;
  }

  Result<legacy::Operation> run() {
    addInputs();
    addOutputs();
    for (const LegacyAttribute &attribute : entry.attributes)
      addAttribute(attribute);
    addWhatHooksRead();
    if (!problems.empty())
      return problems;
    return out;
  }

private:
  void add(const std::string &name, legacy::AttributeValue value) {
    for (legacy::Attribute &known : out.attributes.own())
      if (known.name == name) {
        known.value = std::move(value);
        return;
      }
    out.attributes.push_back({name, std::move(value)});
  }

  void addInputs() {
    for (auto [slot, group] : llvm::zip(entry.inputs, operandGroups(op, entry))) {
      if (group.empty() || addLod(slot, group))
        continue;
      // Paddle's op updates lists of parameters.
      bool isList = slot.arity == import::Arity::Variadic || isa<pd::LarsMomentumOp>(op);
      std::string name = slotName(slot, isList || group.size() > 1);
      if (name.empty() && (addConstantAttribute(slot, group) || addElements(slot, group)))
        continue;
      if (name.empty()) {
        problems.add(
            "", ("operand '" + slot.spelling + "' has no input of '" + entry.type + "' that takes a tensor")
                    .str());
        continue;
      }
      legacy::Slot input{name, {}};
      for (Value value : group)
        input.arguments.push_back(names.of(value));
      out.inputs.push_back(std::move(input));
      tensors[name] = group;
    }
  }

  /// A vector for a slot that takes a list of its elements alone.
  bool addElements(const LegacySlot &slot, llvm::ArrayRef<Value> group) {
    llvm::StringRef name = slot.spelling;
    if (group.size() != 1 || !name.consume_back("*") || name.contains('|') ||
        pd::tensorType(group[0]).getRank() != 1 || pd::tensorType(group[0]).isDynamicDim(0))
      return false;
    out.inputs.push_back({name.str(), names.elementsOf(group[0])});
    return true;
  }

  /// "X@LOD": the offsets become the LoD of what stands in X, or of a tensor that nothing else is asked of;
  /// the same slot once more is a level inside of that one.
  bool addLod(const LegacySlot &slot, llvm::ArrayRef<Value> offsets) {
    llvm::StringRef name = slot.spelling;
    if (!name.consume_back("@LOD?") && !name.consume_back("@LOD"))
      return false;
    name = name.rtrim('*');
    llvm::ArrayRef<Value> given = tensors[name];
    bool isNested = llvm::count_if(entry.inputs, [&](const LegacySlot &other) {
                      return other.spelling == slot.spelling;
                    }) > 1;
    if (isNested) {
      levels.append(offsets.begin(), offsets.end());
      if (&slot + 1 != entry.inputs.end() && (&slot + 1)->spelling == slot.spelling)
        return true;
    }
    legacy::Slot *input = nullptr;
    for (legacy::Slot &known : out.inputs)
      if (known.name == name)
        input = &known;
    if (!input)
      input = &out.inputs.emplace_back(legacy::Slot{name.str(), {}});
    input->arguments.clear();
    if (isNested) {
      input->arguments.push_back(names.withLod(given.empty() ? Value() : given.front(), levels));
      return true;
    }
    for (auto [i, level] : llvm::enumerate(offsets))
      input->arguments.push_back(names.withLod(i < given.size() ? given[i] : Value(), level));
    return true;
  }

  /// An operand that the legacy op has as an attribute alone, "@ksize": a constant is written there.
  bool addConstantAttribute(const LegacySlot &slot, llvm::ArrayRef<Value> group) {
    llvm::StringRef name = llvm::StringRef(slot.spelling).rsplit('|').second;
    name = name.empty() ? llvm::StringRef(slot.spelling) : name;
    if (group.size() != 1 || !name.consume_front("@"))
      return false;
    std::optional<std::vector<int32_t>> values = constantIntegers(group[0]);
    if (!values)
      return false;
    constantAttributes.insert(name);
    bool isNumber = llvm::any_of(entry.attributes, [&](const LegacyAttribute &attribute) {
      return attribute.legacyName == name && attribute.kind == AttributeKind::Int;
    });
    if (isNumber || pd::tensorType(group[0]).getRank() == 0)
      add(name.str(), values->front());
    else
      add(name.str(), *values);
    return true;
  }

  /// The variable that an output must share with the input that it replaces, "MeanOut" with "Mean"; empty:
  /// none.
  std::string inPlaceOf(llvm::StringRef slot, size_t index) {
    // In Paddle this op writes only what changes.
    if (isa<pd::UpdateLossScalingOp>(op))
      slot = llvm::StringSwitch<llvm::StringRef>(slot)
                 .Case("Out", "X")
                 .Case("LossScaling", "PrevLossScaling")
                 .Case("OutGoodSteps", "InGoodSteps")
                 .Case("OutBadSteps", "InBadSteps");
    else if (!slot.consume_back("Out") || slot.empty())
      return "";
    for (legacy::Slot &input : out.inputs)
      if (llvm::StringRef(input.name) == slot && index < input.arguments.size() &&
          tensors[slot].size() > index)
        return input.arguments[index] = names.overwritable(tensors[slot][index], op);
    return "";
  }

  void addOutputs() {
    for (auto [slot, group] : llvm::zip(entry.outputs, resultGroups(op, entry))) {
      if (llvm::StringRef owner = slot.spelling; owner.consume_back("@LOD")) {
        owner = owner.split('|').first; // all of them have it
        const legacy::Slot *found = out.output(std::string_view(owner.data(), owner.size()));
        if (found && found->arguments.size() == 1 && !group.empty())
          names.bindLod(group.front(), found->arguments.front());
        continue;
      }
      legacy::Slot output{slot.spelling.str(), {}};
      for (auto [k, result] : llvm::enumerate(group)) {
        if (std::string shared = inPlaceOf(slot.spelling, k); !shared.empty())
          names.bind(result, shared);
        output.arguments.push_back(names.of(result));
      }
      if (!slot.spelling.empty())
        out.outputs.push_back(std::move(output));
    }
    for (llvm::StringRef slot : entry.scratch)
      out.outputs.push_back({slot.str(), {names.temporary(scratchType())}});
    // Paddle's ops of a view want a place for the old shape, which nobody reads.
    if (llvm::is_contained(entry.ignored, "XShape"))
      out.outputs.push_back({"XShape", {names.of(op->getResult(0)) + ".xshape"}});
  }

  /// Of unknown dims: Paddle makes them when it runs.
  RankedTensorType scratchType() {
    auto type = pd::tensorType(op->getNumResults() > 0 ? op->getResult(0) : op->getOperand(0));
    return RankedTensorType::get({ShapedType::kDynamic}, type.getElementType());
  }

  void addAttribute(const LegacyAttribute &attribute) {
    auto found = op->getInherentAttr(attribute.name);
    Attribute value = found ? *found : Attribute();
    std::string name = attribute.legacyName.str();
    if (!value || constantAttributes.contains(name))
      return;
    if (auto flag = dyn_cast<BoolAttr>(value))
      add(name, flag.getValue());
    else if (auto integer = dyn_cast<IntegerAttr>(value))
      addInteger(attribute, integer.getInt());
    else if (auto real = dyn_cast<FloatAttr>(value))
      add(name, static_cast<float>(real.getValueAsDouble()));
    else if (auto text = dyn_cast<StringAttr>(value))
      add(name, text.str());
    else if (std::optional<llvm::StringRef> keyword = pd::keywordOf(value))
      add(name, keyword->str());
    else if (auto type = dyn_cast<TypeAttr>(value))
      add(name, dtypeNumber(type.getValue()));
    else if (auto integers = dyn_cast<DenseI64ArrayAttr>(value); integers && attribute.isWide)
      add(name, unknownAsMinusOne(integers.asArrayRef()));
    else if (integers)
      add(name, vectorOf<int32_t>(clamped(integers.asArrayRef())));
    else if (auto reals = dyn_cast<DenseF64ArrayAttr>(value))
      add(name, vectorOf<float>(reals.asArrayRef()));
    else
      problems.add("", ("attribute '" + attribute.name + "' can't be written as a legacy attribute").str());
  }

  void addInteger(const LegacyAttribute &attribute, int64_t value) {
    if (value == static_cast<int32_t>(value) && !attribute.isWide)
      add(attribute.legacyName.str(), static_cast<int32_t>(value));
    else
      add(attribute.legacyName.str(), value);
  }

  static std::vector<int64_t> unknownAsMinusOne(llvm::ArrayRef<int64_t> values) {
    auto known = llvm::map_range(values, [](int64_t v) { return ShapedType::isDynamic(v) ? -1 : v; });
    return {known.begin(), known.end()};
  }

  /// "All the rest" is the greatest number of either width.
  static std::vector<int64_t> clamped(llvm::ArrayRef<int64_t> values) {
    std::vector<int64_t> out = unknownAsMinusOne(values);
    for (int64_t &value : out)
      value = std::clamp<int64_t>(value, std::numeric_limits<int32_t>::min(),
                                  std::numeric_limits<int32_t>::max());
    return out;
  }

  /// Attributes that the importer's hooks read beside the table, and those that Paddle asks for.
  void addWhatHooksRead() {
    for (const char *flag : {"Include_self", "return_index", "return_inverse", "return_counts", "is_sorted"})
      if (llvm::is_contained(entry.ignored, flag))
        add(flag, true);
    if (llvm::is_contained(entry.ignored, "axis") &&
        !llvm::any_of(entry.attributes, [](const LegacyAttribute &a) { return a.legacyName == "axis"; }))
      add("axis", int32_t(-1));
    if (out.type == "sequence_conv")
      add("paddingTrainable", out.input("PaddingData") != nullptr);
    if (llvm::is_contained(entry.ignored, "im2col_step")) // of deformable_conv
      add("im2col_step", int32_t(1)); // gradients of more images at once are wrong in Paddle 2.6.2
    if (auto collect = dyn_cast<pd::CollectFpnProposalsOp>(op))
      add("post_nms_topN", static_cast<int32_t>(collect.getPostNmsTopn()));
    if (llvm::is_contained(entry.ignored, "level")) // of the one that is written
      add("level", int32_t(0));
    if (llvm::is_contained(entry.ignored, "unpooling_type"))
      add("unpooling_type", std::string("max"));
    llvm::TypeSwitch<Operation *>(op)
        .Case([&](pd::CastOp cast) {
          add("in_dtype", dtypeNumber(pd::tensorType(cast.getX()).getElementType()));
        })
        .Case([&](pd::HistogramOp histogram) {
          add("min", static_cast<int32_t>(histogram.getMin().convertToDouble()));
          add("max", static_cast<int32_t>(histogram.getMax().convertToDouble()));
        })
        .Case([&](pd::GenerateMaskLabelsOp masks) { addMaskTargets(masks); })
        .Case([&](pd::UnbindOp unbind) { add("num", static_cast<int32_t>(unbind.getNumResults())); })
        .Case([&](pd::WhereOp where) { broadcastOperands(where); })
        .Case([&](pd::SliceOp slice) { addSlice(slice); })
        .Case([&](pd::FullOp full) { addFull(full); })
        .Case<pd::TrilOp, pd::TriuOp>([&](Operation *) { add("lower", isa<pd::TrilOp>(op)); })
        .Case<pd::SumOp, pd::MaxOp, pd::MinOp, pd::AmaxOp, pd::AminOp, pd::ProdOp, pd::AllOp, pd::AnyOp,
              pd::MeanOp, pd::FrobeniusNormOp>(
            [&](auto reduce) { addReduction(reduce.getAxis(), reduce.getKeepdim(), "dim", "keep_dim"); })
        .Case([&](pd::LogsumexpOp reduce) {
          addReduction(reduce.getAxis(), reduce.getKeepdim(), "axis", "keepdim");
        })
        .Case([&](pd::SetValueOp set) {
          if (set.getSteps().empty() && !set.getStepsTensor())
            add("steps", std::vector<int64_t>(set.getAxes().size(), 1));
          add("decrease_axes", std::vector<int64_t>());
          add("none_axes", std::vector<int64_t>());
        })
        .Case([&](pd::LarsMomentumOp lars) {
          add("lars_weight_decay",
              std::vector<float>{static_cast<float>(lars.getLarsWeightDecay().convertToDouble())});
        })
        .Case<pd::ArgmaxOp, pd::ArgminOp>(
            [&](auto arg) { add("dtype", dtypeNumber(pd::tensorType(arg.getOut()).getElementType())); });
  }

  /// Each of the inputs has a LoD in Paddle, which they share.
  void addMaskTargets(pd::GenerateMaskLabelsOp masks) {
    add("num_classes", static_cast<int32_t>(masks.getNumClasses()));
    add("resolution", static_cast<int32_t>(masks.getResolution()));
    for (legacy::Slot &input : out.inputs)
      if (input.name == "GtClasses" || input.name == "IsCrowd")
        input.arguments = {names.withLod(tensors[input.name].front(), masks.getObjectOffsets())};
      else if (input.name == "LabelsInt32")
        input.arguments = {names.withLod(masks.getLabels(), masks.getRoiOffsets())};
  }

  /// Paddle's op takes operands of one shape only.
  void broadcastOperands(pd::WhereOp where) {
    auto shapeOf = [](Value value) { return pd::tensorType(value).getShape(); };
    auto whole =
        llvm::find_if(where->getOperands(), [&](Value v) { return shapeOf(v) == shapeOf(where.getOut()); });
    if (whole == where->operand_end())
      return;
    for (legacy::Slot &slot : out.inputs)
      for (auto [name, value] : llvm::zip(slot.arguments, tensors[slot.name]))
        if (shapeOf(value) != shapeOf(*whole))
          name = names.expandedAs(value, *whole);
  }

  void addReduction(llvm::ArrayRef<int64_t> axes, bool keepdim, const char *axis, const char *keep) {
    // Where all are meant Paddle's reduce_amax and reduce_amin look at the axes all the same, and gradients
    // at whether there is such an axis.
    std::vector<int32_t> all;
    if (int64_t rank = pd::tensorType(op->getOperand(0)).getRank(); rank > 0)
      all.resize(isa<pd::AmaxOp, pd::AminOp>(op) ? static_cast<size_t>(rank) : 1);
    std::iota(all.begin(), all.end(), 0);
    add(axis, axes.empty() ? all : vectorOf<int32_t>(axes));
    add(keep, keepdim);
    add("reduce_all", axes.empty());
    // No types, which a gradient op does not take for granted.
    add("in_dtype", int32_t(-1));
    add("out_dtype", int32_t(-1));
    if (auto sum = dyn_cast<pd::SumOp>(op); sum && sum.getDtype()) {
      add("in_dtype", dtypeNumber(pd::tensorType(sum.getX()).getElementType()));
      add("out_dtype", dtypeNumber(*sum.getDtype()));
    }
  }

  void addSlice(pd::SliceOp slice) {
    bool strided =
        slice.getStridesTensor() || llvm::any_of(slice.getStrides(), [](int64_t s) { return s != 1; });
    out.type = strided ? "strided_slice" : "slice";
    add("axes", vectorOf<int32_t>(slice.getAxes()));
    add("starts", vectorOf<int32_t>(clamped(slice.getStarts())));
    add("ends", vectorOf<int32_t>(clamped(slice.getEnds())));
    if (strided)
      add("strides", slice.getStrides().empty() ? std::vector<int32_t>(slice.getAxes().size(), 1)
                                                : vectorOf<int32_t>(slice.getStrides()));
    add("decrease_axis", std::vector<int32_t>{});
    // 1: known from the attributes.
    bool tensors = slice.getStartsTensor() || slice.getEndsTensor();
    add("infer_flags", std::vector<int32_t>(slice.getAxes().size(), tensors ? -1 : 1));
  }

  void addFull(pd::FullOp full) {
    out.type = "fill_constant";
    add("shape", vectorOf<int64_t>(full.getShape()));
    add("dtype", dtypeNumber(full.getDtype()));
    add("value", static_cast<float>(full.getValue().convertToDouble()));
    // The float attribute holds 24 bits; the text holds all.
    llvm::SmallString<32> digits;
    if (full.getValue().isFinite())
      full.getValue().toString(digits);
    else // as Paddle spells them
      digits = full.getValue().isNaN() ? "nan" : full.getValue().isNegative() ? "-inf" : "inf";
    add("str_value", full.getIntegerValue() ? std::to_string(static_cast<int64_t>(*full.getIntegerValue()))
                                            : digits.str().str());
  }

  Operation *op;
  const LegacyOp &entry;
  Names &names;
  legacy::Operation out;
  /// The values in each input slot.
  llvm::StringMap<llvm::SmallVector<Value>> tensors;
  /// The levels of the LoD of a slot that has several.
  llvm::SmallVector<Value> levels;
  /// Attributes that constant operands gave.
  llvm::StringSet<> constantAttributes;
  Problems problems;
};

} // namespace

bool hasLegacyOp(Operation *op) { return isa<pd::NegateOp, pd::ConstantOp>(op) || entryOf(op); }

Result<legacy::Operation> exportOp(Operation *op, Names &names) {
  if (isa<pd::NegateOp>(op)) {
    legacy::Operation scale;
    scale.type = "scale";
    scale.inputs.push_back({"X", {names.of(op->getOperand(0))}});
    scale.outputs.push_back({"Out", {names.of(op->getResult(0))}});
    scale.attributes = {{"scale", -1.0F}, {"bias", 0.0F}, {"bias_after_scale", true}};
    return scale;
  }
  const LegacyOp *entry = entryOf(op);
  if (!entry)
    return problem("", "no legacy op stands for '" + op->getName().getStringRef().str() + "'");
  return OpExporter(op, *entry, names).run();
}

} // namespace proa::exporter
