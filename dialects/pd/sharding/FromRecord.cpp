//! Sharding rules from the field `sharding` of op records.
#include "dialects/pd/sharding/ShardingRule.h"

#include "lib/base/support/TableByName.h"

#include "llvm/ADT/StringExtras.h"

using namespace mlir;

namespace proa::pd {
namespace {

/// A rule as generated and checked by proa-tblgen (tools/proa-tblgen/Sharding.cpp). `operands` and `results`
/// have one character per operand and result of the record: "1" for one value, "?" for an optional one, "*"
/// for any index. `text` has the dimensions, then the factors of other kinds.
struct RecordedSharding {
  const char *op, *operands, *results, *text;
};

constexpr RecordedSharding recorded[] = {
#include "dialects/pd/AllSharding.inc"
};

/// An op that cannot be split, and the reason.
struct WholeOp {
  const char *op, *reason;
};

constexpr WholeOp wholeOps[] = {
#include "dialects/pd/AllWholeSharding.inc"
};

const RecordedSharding *find(llvm::StringRef op) {
  static const auto byName = tableByName(recorded, &RecordedSharding::op);
  return byName.lookup(op);
}

/// The index of values of each operand (result) of the record.
std::optional<llvm::SmallVector<int64_t>> segmentsOf(Operation *op, llvm::StringRef kinds, int64_t count,
                                                     llvm::StringRef attribute) {
  if (auto sizes = op->getAttrOfType<DenseI32ArrayAttr>(attribute))
    return llvm::SmallVector<int64_t>(sizes.asArrayRef());
  auto fixed = static_cast<int64_t>(kinds.count('1'));
  if (static_cast<int64_t>(kinds.size()) - fixed > 1)
    return std::nullopt;
  return llvm::map_to_vector(kinds, [&](char kind) { return kind == '1' ? 1 : count - fixed; });
}

/// Parses the dimensions of tensors into a rule.
class Reader {
public:
  explicit Reader(Operation *op, llvm::StringRef kinds) : rule(op) {
    // "; sum k": the kind and the letters of factors that are not pass-through.
    for (llvm::StringRef entry : llvm::split(kinds, ';')) {
      auto [kind, letters] = entry.trim().split(' ');
      for (llvm::StringRef letter : llvm::split(letters, ' '))
        if (!letter.empty())
          kindOf[letter.front()] = kind == "sum" ? FactorKind::Reduction : FactorKind::Replicated;
    }
  }

  /// Adds the dimensions of one operand or result; false if they do not match its rank.
  bool add(bool isResult, unsigned index, llvm::StringRef dims) {
    RankedTensorType type = isResult ? rule.resultType(index) : rule.operandType(index);
    llvm::SmallVector<llvm::StringRef> tokens;
    dims.split(tokens, ' ', -1, /*KeepEmpty=*/false);
    bool hasBatch = llvm::is_contained(tokens, "...");
    int64_t batch = type.getRank() - static_cast<int64_t>(tokens.size()) + 1;
    if (hasBatch ? batch < 0 : batch != 1)
      return false;
    int64_t dim = 0;
    for (llvm::StringRef token : tokens)
      if (token != "...")
        set(isResult, index, dim++, token.front());
      else
        for (int64_t i = 0; i < batch; ++i) // lettered from the last: broadcast aligns batch dims at the end
          set(isResult, index, dim++, static_cast<char>(batchBase + batch - 1 - i));
    return true;
  }

  ShardingRule take() { return rule.take(); }

private:
  /// The first letter for the dimensions of "...".
  static constexpr char batchBase = 'A';

  void set(bool isResult, unsigned index, int64_t dim, char letter) {
    RankedTensorType type = isResult ? rule.resultType(index) : rule.operandType(index);
    int64_t size = type.getDimSize(dim);
    if (letter == '*')
      return;
    auto entry = factors.find(letter);
    if (entry == factors.end()) {
      auto kind = kindOf.find(letter);
      entry = factors
                  .try_emplace(letter,
                               kind != kindOf.end() && kind->second == FactorKind::Replicated
                                   ? rule.addWholeFactor(size, "each result depends on the whole dimension")
                                   : rule.addFactor(size, kind == kindOf.end() ? FactorKind::PassThrough
                                                                               : kind->second),
                               size)
                  .first;
    }
    if (entry->second.second != size) // one of them is broadcast
      return;
    isResult ? rule.setResult(index, dim, entry->second.first)
             : rule.setOperand(index, dim, entry->second.first);
  }

  ShardingRuleBuilder rule;
  std::map<char, FactorKind> kindOf;
  std::map<char, std::pair<unsigned, int64_t>> factors; ///< with their sizes
};

} // namespace

llvm::StringRef wholeReasonOf(Operation *op) {
  static const auto byName = tableByName(wholeOps, &WholeOp::op);
  const WholeOp *found = byName.lookup(op->getName().getStringRef());
  return found ? found->reason : "";
}

llvm::StringRef whyWhole(Operation *op) {
  llvm::StringRef reason = wholeReasonOf(op);
  return reason.empty() ? "these operands and attributes have no sharding rule" : reason;
}

bool hasRecordedSharding(Operation *op) { return find(op->getName().getStringRef()) != nullptr; }

std::optional<ShardingRule> shardingOfRecord(Operation *op) {
  const RecordedSharding *record = find(op->getName().getStringRef());
  if (!record)
    return std::nullopt;
  auto [tensors, kinds] = llvm::StringRef(record->text).split(';');
  auto [operands, results] = tensors.split("->");
  Reader reader(op, kinds);
  for (bool isResult : {false, true}) {
    auto segments = segmentsOf(op, isResult ? record->results : record->operands,
                               isResult ? op->getNumResults() : op->getNumOperands(),
                               isResult ? "resultSegmentSizes" : "operandSegmentSizes");
    if (!segments)
      return std::nullopt;
    llvm::SmallVector<llvm::StringRef> dims;
    (isResult ? results : operands).split(dims, ',');
    unsigned index = 0;
    for (auto [one, count] : llvm::zip(dims, *segments))
      for (int64_t i = 0; i < count; ++i)
        if (!reader.add(isResult, index++, one.trim()))
          return std::nullopt;
  }
  return reader.take();
}

} // namespace proa::pd
