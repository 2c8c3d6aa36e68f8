#include "passes/fuse/PositionMask.h"

#include "dialects/pd/ir/Infer.h"
#include "dialects/pd/ops/creation/CreationOps.h"
#include "dialects/pd/ops/creation/RangeOps.h"
#include "dialects/pd/ops/math/BinaryOps.h"
#include "dialects/pd/ops/math/ScaleOps.h"
#include "dialects/pd/ops/math/UnaryOps.h"
#include "dialects/pd/ops/sequence/SequenceOps.h"
#include "dialects/pd/ops/shape/DiagonalOps.h"
#include "dialects/pd/ops/shape/DimRoots.h"
#include "dialects/pd/ops/shape/ShapeOps.h"
#include "dialects/pd/ops/shape/View.h"
#include "dialects/pd/reference/HostScalar.h"
#include "passes/analysis/ConstantNumber.h"

#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/Matchers.h"

#include <array>
#include <cmath>

using namespace mlir;

namespace proa {
namespace {

constexpr unsigned mostDims = 6;

/// A tensor whose elements are known: a linear function of indices, or one of two numbers. Dims count from
/// the last one, so that broadcasting keeps them.
struct Form {
  /// The element at indices i is constant + sum of factors[d] * i[d] + sign * lengths.
  std::array<int64_t, mostDims> factors{};
  double constant = 0;
  KeyLimit lengths; ///< a null value: none
  int64_t sign = 1;
  /// Instead of that, one of two numbers.
  std::optional<PositionMask> mask;

  static Form number(double value) {
    Form form;
    form.constant = value;
    return form;
  }
  bool isUniform() const {
    return !mask && llvm::all_of(factors, [](int64_t factor) { return factor == 0; });
  }
  bool isNumber() const { return isUniform() && !lengths.lengths; }
  double inside() const { return mask ? mask->inside : constant; }
  double outside() const { return mask ? mask->outside : constant; }
};

using Function = llvm::function_ref<double(ArrayRef<double>)>;

bool isSame(const KeyRange &a, const KeyRange &b) {
  auto areSame = [](const KeyLimit &x, const KeyLimit &y) {
    return x.lengths == y.lengths && x.offset == y.offset && x.dim == y.dim;
  };
  return a.left == b.left && a.right == b.right && a.limits.size() == b.limits.size() &&
         a.queryDim == b.queryDim && a.keyDim == b.keyDim &&
         llvm::all_of(llvm::zip(a.limits, b.limits),
                      [&](auto pair) { return areSame(std::get<0>(pair), std::get<1>(pair)); });
}

std::optional<int64_t> least(std::optional<int64_t> a, std::optional<int64_t> b) {
  return a && b ? std::optional(std::min(*a, *b)) : a ? a : b;
}

/// The keys that are in both ranges; empty if their dims differ.
std::optional<KeyRange> common(const KeyRange &a, const KeyRange &b) {
  auto hasWindow = [](const KeyRange &range) { return range.left || range.right; };
  if (a.keyDim != b.keyDim || (hasWindow(a) && hasWindow(b) && a.queryDim != b.queryDim))
    return std::nullopt;
  KeyRange both{least(a.left, b.left), least(a.right, b.right), a.limits,
                hasWindow(a) ? a.queryDim : b.queryDim, a.keyDim};
  both.limits.append(b.limits);
  return both;
}

/// A number as an element of a type, which has a dtype.
double rounded(const pd::HostScalar &scalar, Type type) {
  Tensor element(*pd::dtypeOf(type), {});
  pd::storeScalar(element, 0, scalar);
  return pd::loadScalar(element, 0).real();
}

pd::HostScalar scalarOf(double value, Type type) {
  if (isa<FloatType>(type))
    return pd::HostScalar::of(value);
  return type.isInteger(1) ? pd::HostScalar::of(value != 0) : pd::HostScalar::of(static_cast<int64_t>(value));
}

/// Whether no key is on these sides of two ranges.
bool isEmpty(const PositionMask &first, bool isInFirst, const PositionMask &second, bool isInSecond) {
  std::optional<PositionMask> a = isInFirst ? first : complementOf(first),
                              b = isInSecond ? second : complementOf(second);
  std::optional<KeyRange> both = a && b ? common(a->range, b->range) : std::nullopt;
  return both && both->left && both->right && -*both->left > *both->right;
}

/// A mask of the numbers that a function has inside and outside of two ranges. Empty if it has none.
std::optional<PositionMask> combined(const std::optional<PositionMask> &first,
                                     const std::optional<PositionMask> &second,
                                     llvm::function_ref<double(bool, bool)> at) {
  if (!first || !second)
    return std::nullopt;
  using Side = std::pair<bool, bool>;
  /// The number that all of these sides have that are not empty.
  auto numberOf = [&](ArrayRef<Side> sides) -> std::optional<double> {
    std::optional<double> number;
    for (auto [a, b] : sides) {
      if (isEmpty(*first, a, *second, b))
        continue;
      if (number && *number != at(a, b))
        return std::nullopt;
      number = at(a, b);
    }
    return number;
  };
  auto maskOf = [&](const KeyRange &range, ArrayRef<Side> in,
                    ArrayRef<Side> out) -> std::optional<PositionMask> {
    std::optional<double> inside = numberOf(in), outside = numberOf(out);
    return inside && outside ? std::optional(PositionMask{range, *inside, *outside}) : std::nullopt;
  };
  constexpr Side both{true, true}, ofFirst{true, false}, ofSecond{false, true}, none{false, false};
  if (auto mask = maskOf(first->range, {both, ofFirst}, {ofSecond, none})) // the second has no influence
    return mask;
  if (auto mask = maskOf(second->range, {both, ofSecond}, {ofFirst, none}))
    return mask;
  std::optional<KeyRange> range = common(first->range, second->range);
  return range ? maskOf(*range, {both}, {ofFirst, ofSecond, none}) : std::nullopt;
}

/// The form of an elementwise op of numbers and masks.
std::optional<Form> apply(ArrayRef<Form> operands, Function function) {
  std::optional<PositionMask> first, second;
  for (const Form &own : operands) {
    if (!own.mask && !own.isNumber())
      return std::nullopt;
    if (!own.mask || (first && isSame(first->range, own.mask->range)) ||
        (second && isSame(second->range, own.mask->range)))
      continue;
    if (second)
      return std::nullopt;
    (first ? second : first) = own.mask;
  }
  auto at = [&](bool isInFirst, bool isInSecond) {
    SmallVector<double> values;
    for (const Form &own : operands) {
      bool isInside = !own.mask || (isSame(first->range, own.mask->range) ? isInFirst : isInSecond);
      values.push_back(isInside ? own.inside() : own.outside());
    }
    return function(values);
  };
  Form result;
  if (!first) {
    result.constant = at(true, true);
    return result;
  }
  if (!second)
    result.mask = PositionMask{first->range, at(true, true), at(false, false)};
  else
    for (bool isFirst : {true, false})
      for (bool isSecond : {true, false}) // the side that counts as inside
        if (!result.mask)
          result.mask =
              combined(isFirst ? first : complementOf(*first), isSecond ? second : complementOf(*second),
                       [&](bool a, bool b) { return at(a == isFirst, b == isSecond); });
  bool isNumber = result.mask && !std::isnan(result.mask->inside) && !std::isnan(result.mask->outside);
  return isNumber ? std::optional(result) : std::nullopt;
}

class Reader {
public:
  std::optional<Form> read(Value value, unsigned depth = 0) {
    auto type = dyn_cast<RankedTensorType>(value.getType());
    constexpr unsigned mostDepth = 64;
    if (!type || type.getRank() > mostDims || depth > mostDepth)
      return std::nullopt;
    std::optional<Form> form = readOp(value, type, depth + 1);
    if (!form || (form->isUniform() && form->lengths.lengths))
      if (std::optional<Form> lengths = lengthsOf(value, type))
        return lengths;
    return form;
  }

private:
  /// Integers that may be lengths, whatever they are computed of.
  static std::optional<Form> lengthsOf(Value value, RankedTensorType type) {
    if (!type.getElementType().isSignlessInteger(32) && !type.getElementType().isSignlessInteger(64))
      return std::nullopt;
    Form form;
    form.lengths.lengths = value;
    SmallVector<unsigned> dims = dimsOf(type.getShape());
    if (dims.size() > 1)
      return std::nullopt;
    if (!dims.empty())
      form.lengths.dim = dims[0];
    return form;
  }

  std::optional<Form> readOp(Value value, RankedTensorType type, unsigned depth) {
    Operation *op = value.getDefiningOp();
    if (!op)
      return std::nullopt;
    if (matchPattern(value, m_Constant())) {
      if (std::optional<double> number = constantNumber(value))
        return Form::number(*number);
      auto elements = constantNumbers(value);
      return elements ? ofConstant(*elements, type.getShape()) : std::nullopt;
    }
    if (isa<pd::ExpandOp, pd::ExpandAsOp, pd::AssignOp>(op))
      return broadcasts(op->getOperand(0), value) ? read(op->getOperand(0), depth) : std::nullopt;
    if (isa<pd::ReshapeOp, pd::UnsqueezeOp, pd::SqueezeOp>(op))
      return reshaped(op->getOperand(0), value, depth);
    if (auto full = dyn_cast<pd::FullOp>(op))
      return formOf(full);
    if (auto full = dyn_cast<pd::FullLikeOp>(op))
      return full.getValueTensor() ? std::nullopt
                                   : std::optional(Form::number(full.getValue().convertToDouble()));
    if (auto arange = dyn_cast<pd::ArangeOp>(op))
      return formOf(arange);
    if (auto branches = dyn_cast<scf::IfOp>(op))
      return formOf(branches, cast<OpResult>(value).getResultNumber(), depth);
    if (auto mask = dyn_cast<pd::SequenceMaskOp>(op))
      return formOf(mask);
    if (auto scale = dyn_cast<pd::ScaleOp>(op))
      return scaled(scale, type, depth);
    if (isa<pd::TrilOp, pd::TriuOp>(op))
      return triangle(op, depth);
    return elementwise(op, type, depth);
  }

  //===-- Leaves
  //------------------------------------------------------------------------------------------===//

  static std::optional<Form> ofConstant(ArrayRef<double> values, ArrayRef<int64_t> shape) {
    SmallVector<unsigned> dims = dimsOf(shape);
    if (values.size() > 1 && dims.size() == 1)
      return linear(values, dims[0]);
    if (values.size() > 1 && dims.size() == 2)
      return window(values, dims, shape[shape.size() - 1 - dims[0]]);
    return std::nullopt;
  }

  /// The dims that are not 1, counted from the last one.
  static SmallVector<unsigned> dimsOf(ArrayRef<int64_t> shape) {
    SmallVector<unsigned> dims;
    for (auto [dim, size] : llvm::enumerate(llvm::reverse(shape)))
      if (size != 1)
        dims.push_back(static_cast<unsigned>(dim));
    return dims;
  }

  /// Numbers with equal differences.
  static std::optional<Form> linear(ArrayRef<double> values, unsigned dim) {
    double step = values[1] - values[0];
    for (size_t i = 1; i < values.size(); ++i)
      if (values[i] - values[i - 1] != step || step != std::trunc(step))
        return std::nullopt;
    Form form = Form::number(values[0]);
    form.factors[dim] = static_cast<int64_t>(step);
    return form;
  }

  /// Rows of `columns` of two numbers, one of them in a window around a diagonal. The other one is in a
  /// corner.
  static std::optional<Form> window(ArrayRef<double> values, ArrayRef<unsigned> dims, int64_t columns) {
    int64_t rows = static_cast<int64_t>(values.size()) / columns;
    double inside = values[static_cast<size_t>((rows - 1) * columns + columns - 1)];
    const auto *other = llvm::find_if(values, [&](double own) { return own != inside; });
    if (std::isnan(inside) || other == values.end() || std::isnan(*other))
      return std::nullopt;
    KeyRange range{{}, {}, {}, dims[1], dims[0]};
    for (int64_t row = 0; row < rows; ++row) {
      ArrayRef<double> own = values.slice(static_cast<size_t>(row * columns), static_cast<size_t>(columns));
      int64_t begin = llvm::find(own, inside) - own.begin(), end = begin;
      while (end < columns && own[static_cast<size_t>(end)] == inside)
        ++end;
      if (begin == columns)
        return std::nullopt;
      if (begin > 0)
        range.left = least(range.left, row - begin);
      if (end < columns)
        range.right = least(range.right, end - 1 - row);
    }
    for (int64_t row = 0; row < rows; ++row)
      for (int64_t column = 0; column < columns; ++column) {
        int64_t distance = column - row;
        bool isInside =
            (!range.left || distance >= -*range.left) && (!range.right || distance <= *range.right);
        if (values[static_cast<size_t>(row * columns + column)] != (isInside ? inside : *other))
          return std::nullopt;
      }
    Form form;
    form.mask = PositionMask{range, inside, *other};
    return form;
  }

  /// Keys below the lengths x, which have a dim less.
  static std::optional<Form> formOf(pd::SequenceMaskOp op) {
    std::optional<Form> form = lengthsOf(op.getX(), pd::tensorType(op.getX()));
    if (!form)
      return std::nullopt;
    if (form->lengths.dim)
      ++*form->lengths.dim;
    Form result;
    result.mask = PositionMask{{{}, {}, {form->lengths}}, 1, 0};
    return result;
  }

  static std::optional<Form> formOf(pd::FullOp op) {
    if (op.getValueTensor())
      return std::nullopt;
    std::optional<int64_t> integer = op.getIntegerValue();
    return Form::number(integer ? static_cast<double>(*integer) : op.getValue().convertToDouble());
  }

  /// The numbers from a constant on, with constant distances.
  static std::optional<Form> formOf(pd::ArangeOp op) {
    std::optional<double> start = constantNumber(op.getStart()), step = constantNumber(op.getStep());
    if (!start || !step || *step != std::trunc(*step))
      return std::nullopt;
    Form form = Form::number(*start);
    form.factors[0] = static_cast<int64_t>(*step);
    return form;
  }

  /// A mask for more than one position, else a number: programs skip the mask of a single position, which
  /// has that number too.
  std::optional<Form> formOf(scf::IfOp op, unsigned result, unsigned depth) {
    auto extract = op.getCondition().getDefiningOp<tensor::ExtractOp>();
    auto greater = extract ? extract.getTensor().getDefiningOp<pd::GreaterThanOp>() : pd::GreaterThanOp();
    if (!greater || constantNumber(greater.getY()) != 1.0)
      return std::nullopt;
    Value mask = op.thenYield().getOperand(result), single = op.elseYield().getOperand(result);
    std::optional<pd::DimRoot> size = pd::heldDimOf(greater.getX());
    std::optional<Form> whole = read(mask, depth), number = read(single, depth);
    int64_t rank = pd::tensorType(mask).getRank();
    if (!size || !whole || !whole->mask || !number || !number->isNumber() || rank < 2)
      return std::nullopt;
    const KeyRange &range = whole->mask->range;
    bool isSquare = range.keyDim == 0 && range.queryDim == 1 && pd::dimRootOf(mask, rank - 1) == *size &&
                    pd::dimRootOf(mask, rank - 2) == *size;
    bool isInside = range.limits.empty() && range.left.value_or(0) >= 0 && range.right.value_or(0) >= 0;
    return isSquare && isInside && number->constant == whole->mask->inside ? whole : std::nullopt;
  }

  //===-- Movements
  //---------------------------------------------------------------------------------------===//

  /// Whether each dim of `from` is known to equal the dim of `to`, or to be 1.
  static bool broadcasts(Value from, Value to) {
    auto own = pd::tensorType(from), all = pd::tensorType(to);
    int64_t added = all.getRank() - own.getRank();
    return added >= 0 && llvm::all_of(llvm::seq(own.getRank()), [&](int64_t dim) {
             bool isStatic = !own.isDynamicDim(dim) && !all.isDynamicDim(dim + added);
             return own.getDimSize(dim) == 1 || isStatic ||
                    pd::dimRootOf(from, dim) == pd::dimRootOf(to, dim + added);
           });
  }

  /// The dims after a reshape that only adds or removes dims of 1.
  std::optional<Form> reshaped(Value from, Value to, unsigned depth) {
    std::optional<Form> form = read(from, depth);
    if (!form || form->isNumber())
      return form;
    ArrayRef<int64_t> before = pd::tensorType(from).getShape(), after = pd::tensorType(to).getShape();
    SmallVector<unsigned> old = dimsOf(before), own = dimsOf(after);
    auto hasSize = [&](auto dims) {
      return pd::dimRootOf(from, static_cast<int64_t>(before.size()) - 1 - std::get<0>(dims)) ==
             pd::dimRootOf(to, static_cast<int64_t>(after.size()) - 1 - std::get<1>(dims));
    };
    if (old.size() != own.size() || !llvm::all_of(llvm::zip(old, own), hasSize))
      return std::nullopt;
    auto moved = [&](unsigned dim) -> std::optional<unsigned> {
      auto *found = llvm::find(old, dim);
      return found == old.end() ? std::nullopt : std::optional(own[static_cast<size_t>(found - old.begin())]);
    };
    Form result = *form;
    result.factors = {};
    for (unsigned dim : old)
      result.factors[*moved(dim)] = form->factors[dim];
    if (result.lengths.dim)
      result.lengths.dim = moved(*result.lengths.dim);
    return result.mask && !moveMask(result.mask->range, moved) ? std::nullopt : std::optional(result);
  }

  /// False if a dim of the range has the size 1.
  static bool moveMask(KeyRange &range, function_ref<std::optional<unsigned>(unsigned)> moved) {
    std::optional<unsigned> key = moved(range.keyDim), query = moved(range.queryDim);
    if (!key || ((range.left || range.right) && !query))
      return false;
    range.keyDim = *key;
    range.queryDim = query.value_or(range.keyDim + 1);
    for (KeyLimit &limit : range.limits)
      if (limit.dim)
        limit.dim = moved(*limit.dim);
    return true;
  }

  /// A triangle of the last two dims, with zeros elsewhere.
  std::optional<Form> triangle(Operation *op, unsigned depth) {
    std::optional<Form> x = read(op->getOperand(0), depth);
    if (!x)
      return std::nullopt;
    KeyRange range;
    if (auto lower = dyn_cast<pd::TrilOp>(op))
      range.right = static_cast<int64_t>(lower.getDiagonal());
    else
      range.left = -static_cast<int64_t>(cast<pd::TriuOp>(op).getDiagonal());
    Form triangle;
    triangle.mask = PositionMask{range, 1, 0};
    return apply({*x, triangle}, [](ArrayRef<double> values) { return values[1] != 0 ? values[0] : 0; });
  }

  //===-- Arithmetic
  //--------------------------------------------------------------------------------------===//

  std::optional<Form> scaled(pd::ScaleOp op, RankedTensorType type, unsigned depth) {
    std::optional<Form> x = op.getScaleTensor() || op.getBiasTensor() ? std::nullopt : read(op.getX(), depth);
    if (!x)
      return std::nullopt;
    double scale = op.getScale().convertToDouble(), bias = op.getBias().convertToDouble();
    double offset = op.getBiasAfterScale() ? bias : scale * bias;
    if (!x->mask && !x->isNumber())
      return sumOf(*x, scale, Form::number(offset), 1);
    return apply({*x}, [&](ArrayRef<double> values) {
      return rounded(pd::HostScalar::of(scale * values[0] + offset), type.getElementType());
    });
  }

  /// x times a plus y times b, of linear forms.
  static std::optional<Form> sumOf(const Form &x, double a, const Form &y, double b) {
    if (x.mask || y.mask || a != std::trunc(a) || b != std::trunc(b) ||
        (x.lengths.lengths && y.lengths.lengths))
      return std::nullopt;
    Form sum = x.lengths.lengths ? x : y;
    sum.sign *= static_cast<int64_t>(x.lengths.lengths ? a : b);
    sum.constant = a * x.constant + b * y.constant;
    for (unsigned dim = 0; dim < mostDims; ++dim)
      sum.factors[dim] = static_cast<int64_t>(a) * x.factors[dim] + static_cast<int64_t>(b) * y.factors[dim];
    return sum;
  }

  std::optional<Form> elementwise(Operation *op, RankedTensorType type, unsigned depth) {
    auto scalar = dyn_cast<pd::ScalarOpInterface>(op);
    if (!scalar || !type.getElementType().isIntOrFloat())
      return std::nullopt;
    SmallVector<Form> operands;
    for (Value operand : op->getOperands()) {
      std::optional<Form> own = read(operand, depth);
      if (!own || !broadcasts(operand, op->getResult(0)))
        return std::nullopt;
      operands.push_back(*own);
    }
    if (!llvm::all_of(operands, [](const Form &own) { return own.mask || own.isNumber(); }))
      return ofLinear(op, type.getElementType(), operands);
    return apply(operands, [&](ArrayRef<double> values) {
      SmallVector<pd::HostScalar> scalars;
      for (auto [value, operand] : llvm::zip_equal(values, op->getOperands()))
        scalars.push_back(scalarOf(value, getElementTypeOrSelf(operand)));
      pd::HostScalarBuilder builder(*pd::dtypeOf(type.getElementType()));
      return rounded(scalar.evaluateScalar(builder, scalars), type.getElementType());
    });
  }

  /// Casts, sums and comparisons of linear forms.
  static std::optional<Form> ofLinear(Operation *op, Type element, ArrayRef<Form> operands) {
    if (isa<pd::CastOp>(op)) {
      bool isExact = element.isF32() || element.isF64() || element.isSignlessInteger(32) ||
                     element.isSignlessInteger(64);
      return isExact ? std::optional(operands[0]) : std::nullopt;
    }
    if (isa<pd::AddOp>(op))
      return sumOf(operands[0], 1, operands[1], 1);
    if (isa<pd::SubtractOp>(op))
      return sumOf(operands[0], 1, operands[1], -1);
    if (isa<pd::LessThanOp, pd::GreaterEqualOp>(op))
      return compared(operands[0], operands[1], /*allowsEqual=*/false, isa<pd::GreaterEqualOp>(op));
    if (isa<pd::LessEqualOp, pd::GreaterThanOp>(op))
      return compared(operands[0], operands[1], /*allowsEqual=*/true, isa<pd::GreaterThanOp>(op));
    return std::nullopt;
  }

  /// Whether a linear form of indices, which are not negative, is below 0 or, with `allowsEqual`, at most 0
  /// everywhere, or nowhere. Empty if that depends on the index.
  static std::optional<bool> signOf(const Form &form, bool allowsEqual) {
    if (form.lengths.lengths || form.mask)
      return std::nullopt;
    bool grows = llvm::all_of(form.factors, [](int64_t factor) { return factor >= 0; }),
         falls = llvm::all_of(form.factors, [](int64_t factor) { return factor <= 0; });
    bool isBelow = allowsEqual ? form.constant <= 0 : form.constant < 0;
    return (falls && isBelow) || (grows && !isBelow) ? std::optional(isBelow) : std::nullopt;
  }

  /// Where x < y or, with `allowsEqual`, x <= y; with `isOpposite` where it is not.
  static std::optional<Form> compared(const Form &x, const Form &y, bool allowsEqual, bool isOpposite) {
    std::optional<Form> difference = sumOf(x, 1, y, -1);
    if (!difference || difference->constant != std::trunc(difference->constant))
      return std::nullopt;
    if (std::optional<bool> everywhere = signOf(*difference, allowsEqual))
      return Form::number(*everywhere != isOpposite);
    // The sum of the indices times their factors, and of the lengths, is at most `bound`.
    int64_t bound = -static_cast<int64_t>(difference->constant) - (allowsEqual ? 0 : 1);
    SmallVector<unsigned> dims;
    for (unsigned dim = 0; dim < mostDims; ++dim)
      if (difference->factors[dim] != 0)
        dims.push_back(dim);
    if (dims.empty() || dims.size() > 2 ||
        llvm::any_of(dims, [&](unsigned dim) { return std::abs(difference->factors[dim]) != 1; }))
      return std::nullopt;
    Form form;
    KeyRange range;
    range.keyDim = dims[0];
    int64_t ofKeys = difference->factors[dims[0]];
    if (dims.size() == 2) {
      if (difference->lengths.lengths || difference->factors[dims[1]] != -ofKeys)
        return std::nullopt;
      range.queryDim = dims[1];
      (ofKeys > 0 ? range.right : range.left) = bound;
    } else {
      KeyLimit limit = difference->lengths;
      if (!limit.lengths || difference->sign != -ofKeys)
        return std::nullopt;
      // key <= lengths + bound, or lengths - key <= bound: not key <= lengths - bound - 1.
      limit.offset = ofKeys > 0 ? bound + 1 : -bound;
      range.limits.push_back(limit);
      isOpposite = isOpposite != (ofKeys < 0);
    }
    form.mask = PositionMask{range, isOpposite ? 0.0 : 1.0, isOpposite ? 1.0 : 0.0};
    return form;
  }
};

} // namespace

std::optional<PositionMask> complementOf(const PositionMask &mask) {
  const KeyRange &range = mask.range;
  if (!range.limits.empty() || bool(range.left) == bool(range.right))
    return std::nullopt;
  PositionMask other{range, mask.outside, mask.inside};
  other.range.left = range.right ? std::optional(-*range.right - 1) : std::nullopt;
  other.range.right = range.left ? std::optional(-*range.left - 1) : std::nullopt;
  return other;
}

std::optional<PositionMask> positionMaskOf(Value mask) {
  std::optional<Form> form = Reader().read(mask);
  return form ? form->mask : std::nullopt;
}

bool isTrueEverywhere(Value condition) {
  std::optional<Form> form = Reader().read(condition);
  return form && form->isNumber() && form->constant != 0;
}

} // namespace proa
