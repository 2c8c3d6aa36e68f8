#include "lib/compiler/OpTexts.h"

#include "llvm/ADT/Hashing.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/Support/raw_ostream.h"

using namespace mlir;

namespace proa {
namespace {

/// Results first, then operands.
Value valueOf(Operation *op, unsigned number) {
  unsigned results = op->getNumResults();
  return number < results ? Value(op->getResult(number)) : op->getOperand(number - results);
}

bool isOfName(char c) { return llvm::isAlnum(c) || llvm::StringRef("_$.-#").contains(c); }

/// The start of the next value name ("%out_3", "%5#1"), or the length of the text.
size_t findName(llvm::StringRef text, size_t from) {
  bool isInString = false;
  for (size_t at = from; at < text.size(); ++at) {
    if (isInString && text[at] == '\\')
      ++at;
    else if (text[at] == '"')
      isInString = !isInString;
    else if (text[at] == '%' && !isInString)
      return at;
  }
  return text.size();
}

/// The indices of the op's values by name; nothing if a name belongs to several values.
std::optional<llvm::StringMap<unsigned>> numbersByName(Operation *op, AsmState &state) {
  llvm::StringMap<unsigned> numbers;
  for (unsigned i = 0; i < op->getNumResults() + op->getNumOperands(); ++i) {
    std::string name;
    llvm::raw_string_ostream stream(name);
    valueOf(op, i).printAsOperand(stream, state);
    if (!numbers.try_emplace(name, i).second)
      return std::nullopt;
  }
  return numbers;
}

} // namespace

unsigned OpTexts::SameText::getHashValue(Operation *op) {
  return static_cast<unsigned>(llvm::hash_combine(
      op->getName(), op->getDiscardableAttrDictionary(), op->hashProperties(),
      llvm::hash_combine_range(op->result_type_begin(), op->result_type_end()), op->getNumOperands()));
}

bool OpTexts::SameText::isEqual(Operation *left, Operation *right) {
  if (left == right)
    return true;
  for (Operation *key : {getEmptyKey(), getTombstoneKey()})
    if (left == key || right == key)
      return false;
  return left->getName() == right->getName() &&
         left->getDiscardableAttrDictionary() == right->getDiscardableAttrDictionary() &&
         left->getName().compareOpProperties(left->getPropertiesStorage(), right->getPropertiesStorage()) &&
         llvm::equal(left->getResultTypes(), right->getResultTypes()) &&
         llvm::equal(left->getOperandTypes(), right->getOperandTypes());
}

std::optional<OpTexts::Template> OpTexts::templateOf(Operation *op, llvm::StringRef text) {
  auto numbers = numbersByName(op, state);
  if (!numbers)
    return std::nullopt;
  Template found;
  size_t end = 0;
  for (size_t at = findName(text, 0); at < text.size(); at = findName(text, end)) {
    llvm::StringRef name = text.substr(at, 1 + text.drop_front(at + 1).take_while(isOfName).size());
    auto number = numbers->find(name);
    if (number == numbers->end()) // of several results at once, "%5:2"
      return std::nullopt;
    found.pieces.push_back({text.slice(end, at).str(), number->second});
    end = at + name.size();
  }
  found.end = text.substr(end);
  return found;
}

void OpTexts::print(llvm::raw_ostream &stream, Operation *op) {
  auto [entry, isNew] = known.try_emplace(op);
  Known &same = entry->second;
  if (isNew) // possibly the only such op, for which a template would not pay
    return op->print(stream, state);
  if (!same.isTried) {
    std::string text;
    llvm::raw_string_ostream whole(text);
    op->print(whole, state);
    same.text = templateOf(op, text);
    same.isTried = true;
    stream << text;
    return;
  }
  if (!same.text)
    return op->print(stream, state);
  for (const Piece &piece : same.text->pieces) {
    stream << piece.text;
    valueOf(op, piece.value).printAsOperand(stream, state);
  }
  stream << same.text->end;
}

} // namespace proa
