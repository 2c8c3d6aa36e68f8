//! The field `sharding`: the sharding rule of an op (dialects/pd/sharding/FromRecord.cpp).
#include "Records.h"

#include "mlir/TableGen/GenInfo.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/TableGen/Error.h"

using namespace proa::tblgen;

std::optional<llvm::StringRef> proa::tblgen::wholeReasonOf(const llvm::Record &record) {
  llvm::StringRef text = record.getValueAsString("sharding");
  return text.consume_front("whole: ") ? std::optional(text) : std::nullopt;
}

namespace {

/// One character per value of the record.
std::string kindsOf(llvm::ArrayRef<mlir::tblgen::NamedTypeConstraint> values) {
  std::string kinds;
  for (const mlir::tblgen::NamedTypeConstraint &value : values)
    kinds += value.isOptional() ? '?' : value.isVariadic() ? '*' : '1';
  return kinds;
}

/// The letters of "... i j, * k".
void checkDims(const llvm::Record &record, llvm::StringRef tensors, size_t count, const char *what,
               std::string &letters) {
  llvm::SmallVector<llvm::StringRef> each;
  tensors.split(each, ',');
  if (each.size() != count)
    llvm::PrintFatalError(record.getLoc(), "sharding: expected dimensions of " + llvm::Twine(count) + " " +
                                               what + ", found '" + tensors.trim() + "'");
  for (llvm::StringRef tensor : each)
    for (llvm::StringRef token : llvm::split(tensor.trim(), ' ')) {
      bool isLetter = token.size() == 1 && llvm::isLower(token.front());
      if (!isLetter && token != "*" && token != "..." && !token.empty())
        llvm::PrintFatalError(record.getLoc(), "sharding: expected a small letter, '*' or '...' for a "
                                               "dimension, found '" +
                                                   token + "'");
      if (isLetter)
        letters += token;
    }
}

void check(const llvm::Record &record, const mlir::tblgen::Operator &op, llvm::StringRef text) {
  auto [tensors, kinds] = text.split(';');
  auto [operands, results] = tensors.split("->");
  std::string letters;
  checkDims(record, operands, static_cast<size_t>(op.getNumOperands()), "operands", letters);
  checkDims(record, results, static_cast<size_t>(op.getNumResults()), "results", letters);
  for (llvm::StringRef entry : llvm::split(kinds, ';')) {
    if (entry.trim().empty())
      continue;
    auto [kind, named] = entry.trim().split(' ');
    bool isKnown = kind == "sum" || kind == "replicated";
    bool areLetters = !named.empty() && llvm::all_of(llvm::split(named, ' '), [&](llvm::StringRef letter) {
      return llvm::StringRef(letters).contains(letter);
    });
    if (!isKnown || !areLetters)
      llvm::PrintFatalError(record.getLoc(),
                            "sharding: expected '; sum' or '; replicated' and dimensions, found '" +
                                entry.trim() + "'");
  }
}

bool emitSharding(const llvm::RecordKeeper &records, llvm::raw_ostream &os) {
  for (const llvm::Record *record : opsOfMainFile(records)) {
    llvm::StringRef text = record->getValueAsString("sharding");
    if (text.empty() || text == "inCode" || wholeReasonOf(*record))
      continue;
    mlir::tblgen::Operator op(*record);
    check(*record, op, text);
    llvm::SmallVector<mlir::tblgen::NamedTypeConstraint> operands(op.getOperands()), results(op.getResults());
    os << "{" << quoted(op.getOperationName()) << ", " << quoted(kindsOf(operands)) << ", "
       << quoted(kindsOf(results)) << ", " << quoted(text) << "},\n";
  }
  return false;
}

bool emitWholeTable(const llvm::RecordKeeper &records, llvm::raw_ostream &os) {
  for (const llvm::Record *record : opsOfMainFile(records))
    if (auto reason = wholeReasonOf(*record))
      os << "{" << quoted(mlir::tblgen::Operator(*record).getOperationName()) << ", " << quoted(*reason)
         << "},\n";
  return false;
}

mlir::GenRegistration wholeGenerator("gen-whole-sharding", "The table of reasons why ops cannot be split",
                                     emitWholeTable);
mlir::GenRegistration shardingGenerator("gen-sharding", "The table of recorded sharding rules", emitSharding);

} // namespace
