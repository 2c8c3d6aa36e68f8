//! Hooks of ops of ONNX that add elements around tensors.
#include "translator/import/onnx/hooks/Dims.h"

#include "dialects/pd/ops/creation/RangeOps.h"
#include "dialects/pd/ops/index/GatherOps.h"
#include "dialects/pd/ops/shape/JoinOps.h"
#include "dialects/pd/reference/Evaluate.h"

using namespace mlir;

namespace proa::import::onnxhooks {
namespace {

/// The amounts before and after x along one axis.
struct Amounts {
  DimSize before = 0, after = 0;
  bool isZero() const { return before.isNumber(0) && after.isNumber(0); }
};

/// Negative amounts remove elements, then others are added.
class Padding {
public:
  Padding(NodeImporter &node, Expression x, llvm::ArrayRef<Amounts> amounts, llvm::StringRef mode)
      : node(node), e(node.tensors()), x(x), amounts(amounts), mode(mode) {}

  /// The value of added elements, of one element; needed for the mode constant.
  void setValue(Expression given) {
    value = given;
    Type element = x.type().getElementType();
    std::optional<Tensor> known = node.getGraph().knownTensor(given);
    if (!known || known->size() != 1 || isa<ComplexType>(element))
      return;
    // A number of pd.pad is a double.
    pd::HostScalar scalar = pd::loadScalar(*known, 0);
    if (!element.isInteger(64))
      number = scalar.real();
    else if (std::abs(scalar.integer) < (int64_t(1) << 53))
      number = static_cast<double>(scalar.integer);
  }

  Expression build() {
    for (int64_t axis = 0; axis < x.rank(); ++axis)
      remove(axis);
    if (mode == "constant" && number)
      if (std::optional<Ints> paddings = knownPaddings())
        return llvm::all_of(*paddings, [](int64_t amount) { return amount == 0; })
                   ? x
                   : node.create<pd::PadOp>(x, llvm::ArrayRef<int64_t>(*paddings), llvm::APFloat(*number));
    for (int64_t axis = 0; axis < x.rank(); ++axis)
      if (!amounts[axis].isZero())
        x = mode == "constant" ? withValue(axis) : withElements(axis);
    return x;
  }

private:
  DimSize negated(const DimSize &size) {
    return size.isKnown() ? DimSize(-size.getNumber()) : pd::dimSizeOf(valueOf(e, size) * -1.0);
  }

  /// Slices where an amount is negative, and leaves the positive amounts.
  void remove(int64_t axis) {
    Amounts &amount = amounts[axis];
    DimSize first = pd::atLeast(e, negated(amount.before), 0),
            last = pd::atLeast(e, negated(amount.after), 0);
    if (!first.isNumber(0) || !last.isNumber(0))
      x = pd::sliceBetween(x, axis, first, pd::sum(e, DimSize(x, axis), negated(last)));
    amount = {pd::atLeast(e, amount.before, 0), pd::atLeast(e, amount.after, 0)};
  }

  std::optional<Ints> knownPaddings() const {
    Ints paddings;
    for (const Amounts &amount : amounts) {
      if (!amount.before.isKnown() || !amount.after.isKnown())
        return std::nullopt;
      paddings.append({amount.before.getNumber(), amount.after.getNumber()});
    }
    return paddings;
  }

  Expression withValue(int64_t axis) {
    auto border = [&](const DimSize &size) {
      Dims dims = pd::dimSizesOf(x);
      dims[axis] = size;
      return filled(node.wrap(value), dims);
    };
    return pd::concat({border(amounts[axis].before), x, border(amounts[axis].after)}, axis);
  }

  /// Elements of x at the indices of the result along the axis.
  Expression withElements(int64_t axis) {
    Type i64 = e.getBuilder().getI64Type();
    DimSize size(x, axis);
    DimSize end = pd::sum(e, size, amounts[axis].after);
    Expression index = e.wrap(e.create<pd::ArangeOp>(valueOf(e, negated(amounts[axis].before)),
                                                     valueOf(e, end), valueOf(e, 1), TypeAttr::get(i64)));
    return e.wrap(e.create<pd::GatherOp>(x, source(index, size), Value(), static_cast<uint64_t>(axis)));
  }

  Expression source(Expression index, const DimSize &size) {
    DimSize last = pd::add(e, size, -1);
    if (mode == "edge")
      return e.minimum(e.maximum(index, 0.0), valueOf(e, last));
    if (mode == "wrap")
      return pd::modulo(index, size);
    DimSize period = pd::atLeast(e, multiply(e, last, 2), 1);
    Expression position = pd::modulo(index, period);
    return e.minimum(position, valueOf(e, period) - position);
  }

  NodeImporter &node;
  TensorBuilder &e;
  Expression x;
  llvm::SmallVector<Amounts> amounts;
  llvm::StringRef mode;
  Value value;
  /// The value, if it is known and a double holds it.
  std::optional<double> number;
};

/// The amounts of Pad for each dimension of x.
llvm::SmallVector<Amounts> readAmounts(NodeImporter &node, Expression x) {
  Dims pads;
  if (node.since() < 11)
    for (int64_t amount : node.intsAttribute("pads"))
      pads.push_back(amount);
  else
    pads = dimsInput(node, "pads");
  auto all = llvm::to_vector(llvm::seq<int64_t>(0, x.rank()));
  Ints axes = axesIn(node, node.intsAttribute("axes", all), x.rank());
  if (pads.size() != 2 * axes.size()) {
    node.report("has " + llvm::Twine(pads.size()) + " pads, expected " + llvm::Twine(2 * axes.size()) +
                ", two for each axis");
    node.stop();
  }
  llvm::SmallVector<Amounts> amounts(x.rank());
  for (auto [i, axis] : llvm::enumerate(axes))
    amounts[axis] = {pads[i], pads[axes.size() + i]};
  return amounts;
}

} // namespace

void importPad(NodeImporter &node) {
  Expression x = node.operand("data");
  std::string mode = node.stringAttribute("mode", "constant");
  if (mode != "constant" && mode != "reflect" && mode != "edge" && mode != "wrap")
    return node.report("has mode '" + mode + "', expected constant, reflect, edge or wrap");
  Padding padding(node, x, readAmounts(node, x), mode);
  Type element = x.type().getElementType();
  Value given = node.since() < 11 ? Value() : node.input("constant_value");
  double value = node.since() < 11 ? node.floatAttribute("value") : 0;
  padding.setValue(given ? node.wrap(given) : node.scalar(value, element));
  node.setOutput("output", padding.build());
}

void importCenterCropPad(NodeImporter &node) {
  TensorBuilder &e = node.tensors();
  Expression x = node.operand("input_data");
  Dims shape = dimsInput(node, "shape");
  auto all = llvm::to_vector(llvm::seq<int64_t>(0, x.rank()));
  Ints axes = axesIn(node, node.intsAttribute("axes", all), x.rank());
  if (shape.size() != axes.size())
    return node.report("has a shape of " + llvm::Twine(shape.size()) + " entries, expected " +
                       llvm::Twine(axes.size()) + ", one for each axis");
  llvm::SmallVector<Amounts> amounts(x.rank());
  for (auto [size, axis] : llvm::zip(shape, axes)) {
    DimSize own(x, axis);
    if (size.isKnown() && own.isKnown()) {
      int64_t more = size.getNumber() - own.getNumber();
      amounts[axis] = {more / 2, more - more / 2};
      continue;
    }
    Expression more = valueOf(e, size) - valueOf(e, own);
    Expression half = more / 2.0; // rounded towards zero
    amounts[axis] = {pd::dimSizeOf(half), pd::dimSizeOf(more - half)};
  }
  Padding padding(node, x, amounts, "constant");
  padding.setValue(node.scalar(0, x.type().getElementType()));
  node.setOutput("output_data", padding.build());
}

} // namespace proa::import::onnxhooks
