//! The field `sharding` of op records.
#include "dialects/pd/sharding/ShardingRule.h"

#include "lib/support/TableByName.h"

#include "llvm/ADT/StringExtras.h"

using namespace mlir;

namespace proa::pd {
namespace {

/// As proa-tblgen writes and checks it (tools/proa-tblgen/Sharding.cpp): the dimensions of the operands and
/// results of the record, in its order, "1" for one value, "?" for an optional one and "*" for any number.
struct RecordedSharding {
  const char *op, *operands, *results, *text;
};

constexpr RecordedSharding recorded[] = {
#include "dialects/pd/AllSharding.inc"
};

const RecordedSharding *find(llvm::StringRef op) {
  static const auto byName = tableByName(recorded, &RecordedSharding::op);
  return byName.lookup(op);
}

/// How many values each operand (result) of the record has.
std::optional<llvm::SmallVector<int64_t>> segmentsOf(Operation *op, llvm::StringRef kinds, int64_t count,
                                                     llvm::StringRef attribute) {
  if (auto given = op->getAttrOfType<DenseI32ArrayAttr>(attribute))
    return llvm::SmallVector<int64_t>(given.asArrayRef());
  auto fixed = static_cast<int64_t>(kinds.count('1'));
  if (static_cast<int64_t>(kinds.size()) - fixed > 1)
    return std::nullopt;
  return llvm::map_to_vector(kinds, [&](char kind) { return kind == '1' ? 1 : count - fixed; });
}

/// Reads the dimensions of tensors into a rule.
class Reader {
public:
  explicit Reader(Operation *op, llvm::StringRef kinds) : rule(op) {
    // "; sum k": a letter for each factor of another kind.
    for (llvm::StringRef part : llvm::split(kinds, ';')) {
      auto [kind, letters] = part.trim().split(' ');
      for (llvm::StringRef letter : llvm::split(letters, ' '))
        if (!letter.empty())
          kindOf[letter.front()] = kind == "sum" ? FactorKind::Reduction : FactorKind::Replicated;
    }
  }

  /// The dimensions of one operand or result; false where the rank is another.
  bool add(bool isResult, unsigned number, llvm::StringRef dims) {
    RankedTensorType type = isResult ? rule.resultType(number) : rule.operandType(number);
    llvm::SmallVector<llvm::StringRef> tokens;
    dims.split(tokens, ' ', -1, /*KeepEmpty=*/false);
    bool hasBatch = llvm::is_contained(tokens, "...");
    int64_t batch = type.getRank() - static_cast<int64_t>(tokens.size()) + 1;
    if (hasBatch ? batch < 0 : batch != 1)
      return false;
    int64_t dim = 0;
    for (llvm::StringRef token : tokens)
      if (token != "...")
        set(isResult, number, dim++, token.front());
      else
        for (int64_t i = 0; i < batch; ++i) // counted from the last on: those before may be missing
          set(isResult, number, dim++, static_cast<char>(batchBase + batch - 1 - i));
    return true;
  }

  ShardingRule take() { return rule.take(); }

private:
  /// The factors of the dimensions of "...".
  static constexpr char batchBase = 'A';

  void set(bool isResult, unsigned number, int64_t dim, char letter) {
    RankedTensorType type = isResult ? rule.resultType(number) : rule.operandType(number);
    int64_t size = type.getDimSize(dim);
    if (letter == '*')
      return;
    auto found = factors.find(letter);
    if (found == factors.end()) {
      auto kind = kindOf.find(letter);
      found =
          factors
              .try_emplace(
                  letter, rule.addFactor(size, kind == kindOf.end() ? FactorKind::PassThrough : kind->second),
                  size)
              .first;
    }
    if (found->second.second != size) // one of them is broadcast
      return;
    isResult ? rule.setResult(number, dim, found->second.first)
             : rule.setOperand(number, dim, found->second.first);
  }

  ShardingRuleBuilder rule;
  std::map<char, FactorKind> kindOf;
  std::map<char, std::pair<unsigned, int64_t>> factors; ///< with their sizes
};

} // namespace

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
    unsigned number = 0;
    for (auto [one, count] : llvm::zip(dims, *segments))
      for (int64_t i = 0; i < count; ++i)
        if (!reader.add(isResult, number++, one.trim()))
          return std::nullopt;
  }
  return reader.take();
}

} // namespace proa::pd
