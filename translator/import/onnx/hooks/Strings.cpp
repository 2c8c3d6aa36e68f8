#include "translator/import/onnx/hooks/Strings.h"

#include "translator/import/onnx/hooks/Dims.h"
#include "translator/onnx/Strings.h"

#include "dialects/pd/ops/index/GatherOps.h"
#include "dialects/pd/ops/math/BinaryOps.h"
#include "dialects/pd/ops/math/Logic.h"
#include "dialects/pd/ops/math/UnaryOps.h"
#include "dialects/pd/ops/reduce/ReduceOps.h"
#include "dialects/pd/ops/search/SearchOps.h"
#include "dialects/pd/ops/sequence/Recurrence.h"

using namespace mlir;

namespace proa::import {

using namespace onnxhooks;
using onnx::DataType;

//===-- Strings as bytes --------------------------------------------------------------------------------===//

bool isString(NodeImporter &node, Value value) {
  return value && node.getGraph().storedType(value) == DataType::String;
}

Expression stringConstants(NodeImporter &node, const std::vector<std::string> &strings) {
  return node.wrap(node.constant(onnx::bytesOf(strings, {static_cast<int64_t>(strings.size())})));
}

void setStrings(NodeImporter &node, llvm::StringRef output, Expression bytes) {
  node.getGraph().setStoredType(bytes, DataType::String);
  node.setOutput(output, bytes);
}

static Expression zeroBytes(TensorBuilder &e, llvm::ArrayRef<DimSize> dims) {
  return filled(e.constant(0, e.getBuilder().getIntegerType(8, /*isSigned=*/false)), dims);
}

/// The dims of a tensor of strings.
static Dims stringDims(Expression x) {
  Dims dims = pd::dimSizesOf(x);
  dims.pop_back();
  return dims;
}

static DimSize widthOf(Expression x) { return {x, x.rank() - 1}; }

Expression widened(Expression x, const DimSize &width) {
  if (DimSize own = widthOf(x); own.isKnown() && width.isKnown() && own.getNumber() == width.getNumber())
    return x;
  Dims dims = stringDims(x);
  dims.push_back(width);
  int64_t last = x.rank() - 1;
  return pd::sliceBetween(pd::concat({x, zeroBytes(x.owner(), dims)}, last), last, 0, width);
}

Expression areEqualStrings(NodeImporter &node, Expression x, Expression y) {
  DimSize width = pd::maximum(node.tensors(), widthOf(x), widthOf(y));
  Expression areEqual = node.create<pd::EqualOp>(widened(x, width), widened(y, width));
  return node.create<pd::AllOp>(areEqual, Ints{areEqual.rank() - 1}, /*keepdim=*/false);
}

Expression lengthsOf(Expression x) {
  TensorBuilder &e = x.owner();
  Type i64 = e.getBuilder().getI64Type();
  return e.sum(e.cast(e.cast(x, i64) > 0.0, i64), {x.rank() - 1}, false);
}

Value trimmedStrings(OpBuilder &builder, Value value) {
  // A detached op gives the builder its location.
  OpBuilder detached(builder.getContext());
  OwningOpRef<Operation *> anchor =
      UnrealizedConversionCastOp::create(detached, value.getLoc(), TypeRange(), ValueRange()).getOperation();
  TensorBuilder e(builder, *anchor);
  Expression x = e.wrap(value);
  // With a string of one byte, there is a longest one.
  Expression lengths = e.reshape(lengthsOf(x), {-1}),
             one = e.reshape(e.constant(1, lengths.type().getElementType()), {1});
  DimSize longest = pd::dimSizeOf(e.max(pd::concat({lengths, one}, 0), {0}, false));
  return pd::sliceBetween(x, x.rank() - 1, 0, longest);
}

//===-- Ops that move elements --------------------------------------------------------------------------===//

/// A table of strings, and the index of each element of several tensors in it.
namespace {
struct StringTable {
  Expression rows; ///< [strings, bytes]
  llvm::SmallVector<Expression> indices;
};
} // namespace

static StringTable tableOf(TensorBuilder &e, llvm::ArrayRef<Expression> tensors) {
  Type i64 = e.getBuilder().getI64Type();
  DimSize width = 1;
  for (Expression tensor : tensors)
    width = pd::maximum(e, width, widthOf(tensor));
  llvm::SmallVector<Expression> pieces, indices;
  Expression before = e.constant(0, i64);
  for (Expression tensor : tensors) {
    Dims dims = stringDims(tensor);
    DimSize count = 1;
    for (const DimSize &dim : dims)
      count = pd::multiply(e, count, dim);
    pieces.push_back(pd::reshapeTo(widened(tensor, width), {count, width}));
    indices.push_back(pd::reshapeTo(pd::iota(e, count, i64) + before, dims));
    before = before + valueOf(e, count);
  }
  return {pieces.size() == 1 ? pieces.front() : pd::concat(pieces, 0), indices};
}

bool importMovedStrings(NodeImporter &node, const onnx::Schema &schema, llvm::function_ref<void()> import) {
  GraphImporter &graph = node.getGraph();
  llvm::SmallVector<std::string> names;
  llvm::SmallVector<Expression> tensors;
  llvm::StringRef type;
  for (const auto &[i, name] : llvm::enumerate(node.getNode().inputs)) {
    Value value = graph.find(name);
    if (!isString(node, value) || llvm::is_contained(names, name))
      continue;
    names.push_back(name);
    tensors.push_back(node.wrap(value));
    type = schema.inputs[std::min(i, schema.inputs.size() - 1)].type;
  }
  if (names.empty())
    return false;
  StringTable table = tableOf(node.tensors(), tensors);
  llvm::StringMap<Value> given;
  for (const auto &[name, index] : llvm::zip(names, table.indices))
    given[name] = index;
  llvm::StringMap<Value> results = graph.importWith(given, import);
  for (const auto &[o, name] : llvm::enumerate(node.getNode().outputs)) {
    Value result = results.lookup(name);
    if (!result)
      continue;
    if (llvm::StringRef(schema.outputs[std::min(o, schema.outputs.size() - 1)].type) == type) {
      result = node.create<pd::GatherOp>(table.rows, result, Value(), uint64_t(0));
      graph.setStoredType(result, DataType::String);
    }
    graph.define(name, result);
  }
  return true;
}

namespace onnxhooks {

//===-- Ops on strings ----------------------------------------------------------------------------------===//

/// x with dimensions of size 1 before its own ones.
static Expression withRank(Expression x, int64_t rank) {
  while (x.rank() < rank)
    x = pd::insertDim(x, 0);
  return x;
}

void importStringConcat(NodeImporter &node) {
  TensorBuilder &e = node.tensors();
  Expression x = node.operand("X"), y = node.operand("Y");
  int64_t rank = std::max(x.rank(), y.rank()), last = rank - 1;
  x = withRank(x, rank), y = withRank(y, rank);
  Type i64 = e.getBuilder().getI64Type();
  DimSize left = widthOf(x), right = widthOf(y);
  DimSize width = left.isKnown() && right.isKnown() ? DimSize(left.getNumber() + right.getNumber())
                                                    : pd::dimSizeOf(valueOf(e, left) + valueOf(e, right));
  // Byte j of the result is byte j of x, or byte j - length of y.
  Expression length = pd::insertDim(lengthsOf(x), last), position = indicesAlong(e, width, last, rank);
  Expression inRight = e.maximum(position - length, e.constant(0, i64));
  Expression rest = node.create<pd::TakeAlongAxisOp>(widened(y, width), inRight, last);
  setStrings(node, "Z", e.select(position < length, widened(x, width), rest));
}

/// ASCII letters in upper or lower case; other bytes stay.
static Expression inCase(Expression x, bool isUpper) {
  TensorBuilder &e = x.owner();
  Type byte = x.type().getElementType();
  Expression value = e.cast(x, e.getBuilder().getI32Type());
  char first = isUpper ? 'a' : 'A', end = isUpper ? 'z' : 'Z';
  Expression isLetter = e.wrap(e.create<pd::LogicalAndOp>(value >= double(first), value <= double(end)));
  return e.cast(e.select(isLetter, value + (isUpper ? -32.0 : 32.0), value), byte);
}

/// The strings of a vector that are not `words`; an empty string if there are no others.
static Expression withoutWords(NodeImporter &node, Expression x, const std::vector<std::string> &words,
                               bool isCaseSensitive) {
  TensorBuilder &e = node.tensors();
  Type i64 = e.getBuilder().getI64Type();
  Expression list = stringConstants(node, words);
  auto compared = [&](Expression strings) { return isCaseSensitive ? strings : inCase(strings, false); };
  Expression isWord = areEqualStrings(node, pd::insertDim(compared(x), 1), compared(list));
  Expression isKept = e.equal(e.max(e.cast(isWord, i64), {1}, false), 0);
  Expression kept = e.reshape(node.create<pd::NonzeroOp>(isKept), {-1});
  // An empty string follows the others.
  Expression none = e.reshape(e.wrap(DimSize(x, 0).getValue(e)), {1});
  DimSize count = pd::maximum(e, DimSize(kept, 0), 1);
  Expression index = pd::sliceBetween(pd::concat({kept, none}, 0), 0, 0, count);
  Expression rows = pd::concat({x, zeroBytes(e, {1, widthOf(x)})}, 0);
  return node.create<pd::GatherOp>(rows, index, Value(), uint64_t(0));
}

void importStringNormalizer(NodeImporter &node) {
  Expression x = node.operand("X");
  std::string action = node.stringAttribute("case_change_action");
  node.stringAttribute("locale"); // only ASCII letters change
  bool isCaseSensitive = node.boolAttribute("is_case_sensitive"), isMatrix = x.rank() == 3;
  if (action != "NONE" && action != "LOWER" && action != "UPPER")
    return node.report("attribute 'case_change_action' is '" + action + "', expected NONE, LOWER or UPPER");
  if (x.rank() < 2 || x.rank() > 3)
    return node.report("input 'X' has rank " + llvm::Twine(x.rank() - 1) + ", expected 1 or 2");
  if (isMatrix)
    x = pd::dropDim(x, 0);
  if (std::vector<std::string> words = node.stringsAttribute("stopwords"); !words.empty())
    x = withoutWords(node, x, words, isCaseSensitive);
  if (action != "NONE")
    x = inCase(x, action == "UPPER");
  setStrings(node, "Y", isMatrix ? pd::insertDim(x, 0) : x);
}

//===-- StringSplit -------------------------------------------------------------------------------------===//

namespace {

/// The pieces of strings [strings, bytes].
struct Pieces {
  Expression index;  ///< of the piece that each byte is in
  Expression isKept; ///< 1 for a byte of a piece, 0 for a separator and after the end
  Expression count;  ///< [strings]
};

/// Splits strings in one scan over their bytes.
class StringSplitter {
public:
  StringSplitter(NodeImporter &node, Expression strings)
      : node(node), e(node.tensors()), strings(strings), i64(e.getBuilder().getI64Type()),
        codes(e.cast(strings, i64)) {}

  Pieces atDelimiter(const std::string &delimiter, double mostSplits) {
    auto length = static_cast<int64_t>(delimiter.size());
    DimSize width(strings, 1);
    Expression behind = pd::concat({codes, e.cast(zeroBytes(e, {DimSize(strings, 0), length}), i64)}, 1);
    Expression isMatch = codes > 0.0;
    for (int64_t k = 0; k < length; ++k) {
      Expression shifted = pd::sliceBetween(behind, 1, k, pd::sum(e, width, DimSize(k)));
      isMatch = pd::both(isMatch, e.equal(shifted, static_cast<uint8_t>(delimiter[static_cast<size_t>(k)])));
    }
    // The bytes of the delimiter that are left, beside the number of the piece and whether a byte is kept.
    return scanned({isMatch}, 0, [&](llvm::ArrayRef<Expression> now, llvm::ArrayRef<Expression> before) {
      Expression isInside = before[2] > 0.0;
      Expression begins = pd::both(pd::both(now[1], pd::negation(isInside)), before[0] < mostSplits);
      Expression left = e.select(begins, static_cast<double>(length - 1), e.maximum(before[2] - 1.0, 0.0));
      Expression isKept = pd::both(now[0], pd::negation(pd::either(isInside, begins)));
      return Expressions{before[0] + pd::asInts(begins), pd::asInts(isKept), left};
    });
  }

  /// Runs of white space separate pieces; none is at the begin or end.
  Pieces atSpace(double mostSplits) {
    Expression isSpace = pd::either(e.equal(codes, ' '), pd::both(codes >= 9.0, codes <= 13.0));
    return scanned({isSpace}, -1, [&](llvm::ArrayRef<Expression> now, llvm::ArrayRef<Expression> before) {
      Expression wasInside = before[2] > 0.0, ends = pd::both(now[1], before[0] < mostSplits);
      Expression isInside = pd::either(pd::negation(now[1]), pd::both(wasInside, pd::negation(ends)));
      Expression begins = pd::both(pd::both(isInside, pd::negation(wasInside)), now[0]);
      Expression isKept = pd::asInts(pd::both(isInside, now[0]));
      return Expressions{before[0] + pd::asInts(begins), isKept, isKept};
    });
  }

  /// The bytes of pieces [strings, pieces, bytes].
  Expression bytesOf(const Pieces &pieces) {
    DimSize most = pd::dimSizeOf(
        e.max(pd::concat({pieces.count, e.reshape(e.constant(0, i64), {1})}, 0), {0}, /*keepdim=*/false));
    Expression piece = e.reshape(pd::iota(e, most, i64), {1, -1, 1});
    Expression isOwn =
        pd::both(pd::insertDim(pieces.index, 1) == piece, pd::insertDim(pieces.isKept, 1) > 0.0);
    Expression length = e.sum(pd::asInts(isOwn), {2});
    Expression position = e.reshape(pd::iota(e, widthOf(strings), i64), {1, 1, -1});
    Expression start = -e.max(e.select(isOwn, -position, -noPosition), {2});
    Expression isInside = position < length;
    Expression from = e.select(isInside, start + position, 0.0);
    Dims dims = pd::dimSizesOf(from);
    Expression repeated = pd::expandTo(pd::insertDim(strings, 1), dims);
    Expression bytes = node.create<pd::TakeAlongAxisOp>(repeated, from, int64_t(2));
    return e.select(isInside, bytes, 0.0);
  }

private:
  using Expressions = llvm::SmallVector<Expression>;
  using Step = llvm::function_ref<Expressions(llvm::ArrayRef<Expression>, llvm::ArrayRef<Expression>)>;
  static constexpr double noPosition = 1e9;

  /// `step` gets whether a string has a byte, and `marks`, then the states: the number of the piece, whether
  /// the byte is kept, and one more.
  Pieces scanned(llvm::ArrayRef<Expression> marks, double first, Step step) {
    Expressions inputs{e.transpose(codes > 0.0, {1, 0})};
    for (Expression mark : marks)
      inputs.push_back(e.transpose(mark, {1, 0}));
    Expression zero = e.sum(codes * 0.0, {1}, /*keepdim=*/false);
    pd::Recurrence scan = pd::runSteps(widthOf(strings), inputs, {zero + first, zero, zero}, /*recorded=*/2,
                                       [&](Expression, llvm::ArrayRef<Expression> now,
                                           llvm::ArrayRef<Expression> before) { return step(now, before); });
    auto ofBytes = [&](Expression history) {
      return e.transpose(pd::slice(history, 0, 1, pd::toTheEnd), {1, 0});
    };
    return {ofBytes(scan.history[0]), ofBytes(scan.history[1]), scan.last[0] + 1.0};
  }

  NodeImporter &node;
  TensorBuilder &e;
  Expression strings;
  Type i64;
  Expression codes;
};

} // namespace

void importStringSplit(NodeImporter &node) {
  TensorBuilder &e = node.tensors();
  Expression x = node.operand("X");
  std::string delimiter = node.stringAttribute("delimiter");
  int64_t most = node.intAttribute("maxsplit", -1);
  double mostSplits = most < 0 ? 1e9 : static_cast<double>(most);
  Dims dims = stringDims(x);
  DimSize count = 1;
  for (const DimSize &dim : dims)
    count = pd::multiply(e, count, dim);
  StringSplitter splitter(node, pd::reshapeTo(x, {count, widthOf(x)}));
  Pieces pieces =
      delimiter.empty() ? splitter.atSpace(mostSplits) : splitter.atDelimiter(delimiter, mostSplits);
  Expression bytes = splitter.bytesOf(pieces);
  node.setOutput("Z", pd::reshapeTo(pieces.count, dims));
  dims.append({DimSize(bytes, 1), widthOf(x)});
  setStrings(node, "Y", pd::reshapeTo(bytes, dims));
}

} // namespace onnxhooks
} // namespace proa::import
