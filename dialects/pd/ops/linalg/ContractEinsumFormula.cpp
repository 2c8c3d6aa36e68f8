//! pd.einsum: its notation, its type, and its formula of transposes, matmuls and elementwise products.
#include "dialects/pd/builders/TensorBuilder.h"
#include "dialects/pd/ir/MatchFailure.h"
#include "dialects/pd/ops/linalg/Contract.h"
#include "dialects/pd/ops/shape/DiagonalOps.h"
#include "dialects/pd/ops/shape/DimSize.h"

#include "llvm/ADT/StringExtras.h"

#include <map>

using namespace mlir;

namespace proa::pd {
namespace {

/// The labels of a tensor's dimensions: letters, or for the dimensions of `...` digits counted from the end,
/// where '0' is the last.
using Labels = std::string;

struct Equation {
  std::vector<Labels> terms;
  Labels result;
};

LogicalResult notationError(std::optional<Location> location, llvm::StringRef equation,
                            const llvm::Twine &message) {
  return inferenceError(location, message + " in the equation '" + equation + "'");
}

/// One term for a tensor of `rank` dimensions.
FailureOr<Labels> parseTerm(std::optional<Location> location, llvm::StringRef equation, llvm::StringRef term,
                            int64_t rank, int64_t label) {
  size_t dots = term.find("...");
  std::string letters =
      dots == llvm::StringRef::npos ? term.str() : (term.take_front(dots) + term.drop_front(dots + 3)).str();
  if (!llvm::all_of(letters, llvm::isAlpha))
    return notationError(location, equation,
                         "C1: expected letters and at most one '...', found '" + term + "'");
  auto count = static_cast<int64_t>(letters.size());
  if (dots == llvm::StringRef::npos ? count != rank : (count > rank || rank - count > 10))
    return notationError(location, equation,
                         "C2: operand " + llvm::Twine(label) + " has rank " + llvm::Twine(rank) +
                             ", but its term '" + term + "' has " + llvm::Twine(count) + " labels");
  if (dots == llvm::StringRef::npos)
    return letters;
  Labels spread;
  for (int64_t i = rank - count; i-- > 0;)
    spread += static_cast<char>('0' + i);
  return letters.substr(0, dots) + spread + letters.substr(dots);
}

/// The `...` labels of all terms, and then, without an explicit result, the letters that occur once.
Labels implicitResult(llvm::ArrayRef<Labels> terms, bool withLetters) {
  Labels digits, once;
  std::map<char, int> uses;
  for (const Labels &term : terms)
    for (char label : term)
      ++uses[label];
  for (auto [label, count] : uses) {
    if (llvm::isDigit(label))
      digits.insert(digits.begin(), label);
    else if (count == 1 && withLetters)
      once += label;
  }
  return digits + once;
}

FailureOr<Equation> parseEquation(std::optional<Location> location, llvm::StringRef text,
                                  ValueRange operands) {
  std::string compact = text.str();
  llvm::erase(compact, ' ');
  llvm::StringRef rest = compact;
  auto [left, right] = rest.split("->");
  bool isExplicit = rest.contains("->");
  llvm::SmallVector<llvm::StringRef> terms;
  left.split(terms, ',');
  if (terms.size() != operands.size())
    return notationError(location, text,
                         "C1: expected " + llvm::Twine(operands.size()) + " terms, found " +
                             llvm::Twine(terms.size()));
  Equation equation;
  for (auto [i, term] : llvm::enumerate(terms)) {
    auto labels = parseTerm(location, text, term, tensorType(operands[i]).getRank(), i);
    if (failed(labels))
      return failure();
    equation.terms.push_back(*labels);
  }
  if (!isExplicit) {
    equation.result = implicitResult(equation.terms, true);
    return equation;
  }
  size_t dots = right.find("...");
  equation.result = right.str();
  if (dots != llvm::StringRef::npos)
    equation.result.replace(dots, 3, implicitResult(equation.terms, false));
  std::string seen;
  for (char label : equation.result) {
    if (!llvm::isAlnum(label) ||
        llvm::none_of(equation.terms, [&](const Labels &term) { return llvm::is_contained(term, label); }))
      return notationError(location, text,
                           "C4: the result has '" + llvm::Twine(label) + "', which no term has,");
    if (llvm::is_contained(seen, label))
      return notationError(location, text, "C4: the result has the label '" + llvm::Twine(label) + "' twice");
    seen += label;
  }
  return equation;
}

/// An intermediate tensor of the formula.
struct Labelled {
  Expression tensor;
  Labels labels;
};

/// The formula: operands are multiplied from left to right, and a label is summed over with its last operand.
class Contraction {
public:
  Contraction(TensorBuilder &e, const Equation &equation) : e(e), equation(equation) {}

  Expression run(llvm::ArrayRef<Expression> operands) {
    Labelled product = diagonals({operands[0], equation.terms[0]});
    sumUnused(product, 1);
    for (size_t i = 1; i < operands.size(); ++i) {
      Labelled next = diagonals({operands[i], equation.terms[i]});
      dropUnused(next, product, i + 1);
      product = multiply(product, next, i + 1);
    }
    return arrange(product, equation.result).tensor;
  }

private:
  /// Of two dimensions with the same label only elements of equal indices are used.
  Labelled diagonals(Labelled x) {
    for (size_t i = 0; i < x.labels.size();) {
      char label = x.labels[i];
      size_t other = x.labels.find(label, i + 1);
      if (other == Labels::npos) {
        ++i;
        continue;
      }
      x.tensor = e.wrap(e.create<DiagonalOp>(x.tensor, uint64_t(0), uint64_t(i), uint64_t(other)));
      x.labels.erase(other, 1);
      x.labels.erase(i, 1);
      x.labels += label;
    }
    return x;
  }

  /// Whether the result or a term from `first` on has the label.
  bool isUsedLater(char label, size_t first) const {
    if (llvm::is_contained(equation.result, label))
      return true;
    for (size_t i = first; i < equation.terms.size(); ++i)
      if (llvm::is_contained(equation.terms[i], label))
        return true;
    return false;
  }

  void sumUnused(Labelled &x, size_t first) { dropUnused(x, std::nullopt, first); }

  void dropUnused(Labelled &x, const std::optional<Labelled> &other, size_t first) {
    llvm::SmallVector<int64_t> axes;
    Labels kept;
    for (auto [axis, label] : llvm::enumerate(x.labels)) {
      if (isUsedLater(label, first) || (other && llvm::is_contained(other->labels, label)))
        kept += label;
      else
        axes.push_back(static_cast<int64_t>(axis));
    }
    if (!axes.empty())
      x = {e.wrap(e.sum(x.tensor, axes, false)), kept};
  }

  Labelled arrange(const Labelled &x, const Labels &order) {
    llvm::SmallVector<int64_t> permutation;
    for (char label : order)
      permutation.push_back(static_cast<int64_t>(x.labels.find(label)));
    if (llvm::is_sorted(permutation))
      return x;
    return {e.transpose(x.tensor, permutation), order};
  }

  static bool hasSizeOne(const Labelled &x, char label) {
    size_t at = x.labels.find(label);
    return at != Labels::npos && x.tensor.type().getDimSize(static_cast<int64_t>(at)) == 1;
  }

  /// x with a dimension for each label of `order`, of size 1 if it has none.
  Expression spread(const Labelled &x, const Labels &order) {
    Labels own;
    llvm::SmallVector<int64_t> missing;
    for (auto [i, label] : llvm::enumerate(order)) {
      if (llvm::is_contained(x.labels, label))
        own += label;
      else
        missing.push_back(static_cast<int64_t>(i));
    }
    Expression out = arrange(x, own).tensor;
    llvm::SmallVector<DimSize> dimSizes = dimSizesOf(out);
    for (int64_t axis : missing)
      dimSizes.insert(dimSizes.begin() + axis, DimSize(1));
    return reshapeTo(out, dimSizes);
  }

  /// The product of two tensors, summed over labels that are not used afterwards.
  Labelled multiply(const Labelled &x, const Labelled &y, size_t first) {
    Labels batch, rows, columns, inner;
    bool broadcasts = false;
    for (char label : x.labels) {
      bool shared = llvm::is_contained(y.labels, label);
      (!shared ? rows : isUsedLater(label, first) ? batch : inner) += label;
      broadcasts |= shared && hasSizeOne(x, label) != hasSizeOne(y, label);
    }
    for (char label : y.labels)
      if (!llvm::is_contained(x.labels, label))
        columns += label;
    if (inner.empty() || broadcasts) {
      Labels all = batch + rows + columns + inner;
      Expression product = e.wrap(spread(x, all)) * e.wrap(spread(y, all));
      Labelled out{product, all};
      dropUnused(out, std::nullopt, first);
      return out;
    }
    Expression left = arrange(x, batch + rows + inner).tensor,
               right = arrange(y, batch + inner + columns).tensor;
    llvm::SmallVector<DimSize> xs = dimSizesOf(left), ys = dimSizesOf(right);
    auto merged = [&](Expression t, llvm::ArrayRef<DimSize> dimSizes, size_t middle, size_t last) {
      llvm::SmallVector<DimSize> out(dimSizes.take_front(batch.size()));
      out.push_back(productOf(e, dimSizes.slice(batch.size(), middle)));
      out.push_back(productOf(e, dimSizes.slice(batch.size() + middle, last)));
      return reshapeTo(t, out);
    };
    Expression product = e.matmul(merged(left, xs, rows.size(), inner.size()),
                                  merged(right, ys, inner.size(), columns.size()));
    llvm::SmallVector<DimSize> out(llvm::ArrayRef<DimSize>(xs).take_front(batch.size() + rows.size()));
    llvm::append_range(out, llvm::ArrayRef<DimSize>(ys).drop_front(batch.size() + inner.size()));
    return {reshapeTo(product, out), batch + rows + columns};
  }

  TensorBuilder &e;
  const Equation &equation;
};

} // namespace

LogicalResult inferEinsumOf(std::optional<Location> location, ValueRange operands, llvm::StringRef text,
                            Results &results) {
  if (operands.empty())
    return notationError(location, text, "C1: expected at least one operand");
  auto equation = parseEquation(location, text, operands);
  if (failed(equation))
    return failure();
  std::map<char, int64_t> dimSizes;
  for (auto [labels, operand] : llvm::zip(equation->terms, operands)) {
    if (tensorType(operand).getElementType() != tensorType(operands[0]).getElementType())
      return inferenceError(location, "C5: the operands must have one element type");
    for (auto [label, dim] : llvm::zip(labels, tensorType(operand).getShape())) {
      auto [known, isNew] = dimSizes.try_emplace(label, dim);
      if (isNew || known->second == dim || ShapedType::isDynamic(dim))
        continue;
      // Dimensions of `...` broadcast and, as in Paddle, all others.
      if (known->second != 1 && dim != 1 && !ShapedType::isDynamic(known->second))
        return notationError(location, text,
                             "C3: the label '" + llvm::Twine(label) + "' has the dims " +
                                 llvm::Twine(known->second) + " and " + llvm::Twine(dim));
      if (dim != 1)
        known->second = dim;
    }
  }
  llvm::SmallVector<int64_t> shape;
  for (char label : equation->result)
    shape.push_back(dimSizes[label]);
  results.push_back(RankedTensorType::get(shape, tensorType(operands[0]).getElementType()));
  return success();
}

FailureOr<SmallVector<Value>> EinsumOp::decompose(OpBuilder &builder) {
  auto equation = parseEquation(std::nullopt, getEquation(), getX());
  if (failed(equation))
    return notifyDecompositionFailure(builder, *this, "its equation does not fit the operands");
  TensorBuilder e(builder, getOperation());
  llvm::SmallVector<Expression> operands;
  for (unsigned i = 0; i < getNumOperands(); ++i)
    operands.push_back(e.operand(i));
  return e.results({Contraction(e, *equation).run(operands)});
}

} // namespace proa::pd
