//! The field `newIrGradients`: operands and results of the gradient ops of Paddle's new IR
//! (translator/import/newir/GradientTable.h).
#include "NewIr.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/TableGen/Error.h"

#include <map>

using namespace proa::tblgen;

namespace {

/// An operand of a gradient op: a value of its forward op, or the cotangent of a result.
struct Given {
  const char *kind;
  size_t index;
};

/// An op of the new IR with names for its values. It may be a gradient op, which can be differentiated too.
struct Signature {
  struct Operand {
    std::string name;
    bool isMutableAttribute;
    bool mayHaveGradient;
  };
  std::string name;
  std::vector<Operand> operands;
  std::vector<std::string> results;
  unsigned order = 0;
};

/// Parses "NAME(operands) -> operands whose gradients are the results".
struct Written {
  std::vector<llvm::StringRef> operands, results;
};

bool mayHaveGradient(const mlir::tblgen::NamedTypeConstraint &value) {
  std::string elements = elementsOf(value);
  return elements != "integer" && elements != "bool" && elements != "bool or integer";
}

Signature signatureOf(const mlir::tblgen::Operator &op, const NewIrSpelling &spelling) {
  Signature out{spelling.name.str(), {}, {}};
  for (llvm::StringRef role : spelling.operands) {
    bool isMutable = isMutableAttribute(op, role);
    role.consume_front("#");
    auto values = op.getOperands();
    const auto *value = llvm::find_if(values, [&](const auto &operand) { return operand.name == role; });
    out.operands.push_back(
        {role.str(), isMutable, !isMutable && value != values.end() && mayHaveGradient(*value)});
  }
  for (llvm::StringRef name : spelling.results)
    out.results.push_back(name.str());
  return out;
}

class GradientOp {
public:
  /// The default without `written`.
  GradientOp(const llvm::Record &record, const Signature &forward, llvm::StringRef name,
             const Written *written)
      : record(record), forward(forward) {
    signature.name = name.str();
    signature.order = forward.order + 1;
    if (written)
      for (llvm::StringRef value : written->operands)
        give(value);
    else
      for (const Signature::Operand &operand : forward.operands)
        if (!operand.isMutableAttribute && !operand.name.empty())
          give(operand.name);
    if (llvm::none_of(given, [](const Given &value) { return llvm::StringRef(value.kind) == "Cotangent"; }))
      giveCotangentsAndAttributes();
    collectResults(written ? llvm::ArrayRef(written->results) : llvm::ArrayRef<llvm::StringRef>());
  }

  bool givesNothing() const { return results.empty(); }
  const Signature &asForward() const { return signature; }

  void emit(llvm::raw_ostream &os) const {
    os << "{" << quoted(signature.name) << ", " << quoted(forward.name) << ", " << forward.operands.size()
       << ", " << forward.results.size() << ", {";
    llvm::interleaveComma(
        given, os, [&](const Given &value) { os << "{Given::" << value.kind << ", " << value.index << "}"; });
    os << "}, {";
    llvm::interleaveComma(results, os);
    os << "}},\n";
  }

private:
  void add(llvm::StringRef name, Given value) {
    bool isOperand = llvm::StringRef(value.kind) == "Operand";
    given.push_back(value);
    signature.operands.push_back({name.str(), isOperand && forward.operands[value.index].isMutableAttribute,
                                  isOperand ? forward.operands[value.index].mayHaveGradient : true});
  }

  void give(llvm::StringRef name) {
    for (auto [i, operand] : llvm::enumerate(forward.operands))
      if (operand.name == name)
        return add(name, {"Operand", i});
    size_t index = 0;
    llvm::StringRef digits = name;
    if (digits.consume_front("result ") && !digits.getAsInteger(10, index) && index < forward.results.size())
      return add(name, {"Result", index});
    for (auto [i, result] : llvm::enumerate(forward.results))
      if (result == name)
        return add(name, {"Result", i});
    for (auto [i, result] : llvm::enumerate(forward.results))
      if ("d" + result == name.str())
        return add(name, {"Cotangent", i});
    llvm::PrintFatalError(record.getLoc(), "newIrGradients: " + signature.name + ": '" + name +
                                               "' is not an operand, result or cotangent of " + forward.name);
  }

  void giveCotangentsAndAttributes() {
    size_t count = forward.order == 0 ? 1 : forward.results.size();
    for (size_t i = 0; i < std::min(count, forward.results.size()); ++i)
      add("d" + forward.results[i], {"Cotangent", i});
    for (auto [i, operand] : llvm::enumerate(forward.operands))
      if (operand.isMutableAttribute)
        add(operand.name, {"Operand", i});
  }

  void collectResults(llvm::ArrayRef<llvm::StringRef> names) {
    for (llvm::StringRef name : names)
      if (llvm::none_of(forward.operands, [&](const auto &operand) { return operand.name == name; }))
        llvm::PrintFatalError(record.getLoc(), "newIrGradients: " + signature.name + ": '" + name +
                                                   "' is not an operand of " + forward.name);
    if (!names.empty()) {
      for (llvm::StringRef name : names)
        for (auto [i, operand] : llvm::enumerate(forward.operands))
          if (operand.name == name)
            results.push_back(i);
    } else {
      for (auto [i, operand] : llvm::enumerate(forward.operands))
        if (operand.mayHaveGradient)
          results.push_back(i);
    }
    for (size_t i : results)
      signature.results.push_back("d" + forward.operands[i].name);
  }

  const llvm::Record &record;
  const Signature &forward;
  Signature signature;
  std::vector<Given> given;
  std::vector<size_t> results;
};

/// The field by the names of the gradient ops.
std::map<std::string, Written> writtenGradients(const llvm::Record &record) {
  std::map<std::string, Written> written;
  for (llvm::StringRef text : record.getValueAsListOfStrings("newIrGradients")) {
    auto [name, rest] = text.split('(');
    auto [operands, behind] = rest.split(')');
    llvm::StringRef results = behind.trim();
    if (!rest.contains(')') || (!results.consume_front("->") && !results.empty()))
      llvm::PrintFatalError(record.getLoc(), "newIrGradients: expected 'NAME_grad(x, dout)', and '-> x' "
                                             "after it or nothing, found '" +
                                                 text + "'");
    if (!written.try_emplace(name.trim().str(), Written{namesIn(operands), namesIn(results)}).second)
      llvm::PrintFatalError(record.getLoc(), "newIrGradients: '" + name + "' occurs twice");
  }
  return written;
}

/// The name of the gradient op of this order.
std::map<std::string, Written>::const_iterator findWritten(const std::map<std::string, Written> &written,
                                                           llvm::StringRef name, unsigned order) {
  static const std::pair<unsigned, const char *> suffixes[] = {
      {1, "_grad"}, {2, "_double_grad"}, {2, "_grad_grad"}, {3, "_triple_grad"}};
  for (auto [of, suffix] : suffixes)
    if (auto found = written.find((name + suffix).str()); of == order && found != written.end())
      return found;
  return written.end();
}

} // namespace

std::vector<llvm::StringRef> proa::tblgen::namesIn(llvm::StringRef list) {
  std::vector<llvm::StringRef> names;
  for (llvm::StringRef name : llvm::split(list, ','))
    if (!name.trim().empty())
      names.push_back(name.trim());
  return names;
}

void proa::tblgen::emitNewIrGradients(const llvm::Record &record, const mlir::tblgen::Operator &op,
                                      const std::vector<NewIrSpelling> &spellings, llvm::raw_ostream &os) {
  std::map<std::string, Written> written = writtenGradients(record);
  bool hasResult = llvm::any_of(op.getResults(), mayHaveGradient);
  for (const NewIrSpelling &spelling : spellings) {
    Signature forward = signatureOf(op, spelling);
    while (true) {
      auto found = findWritten(written, spelling.name, forward.order + 1);
      bool isWritten = found != written.end(), exists = isWritten || (forward.order == 0 && hasResult);
      if (!exists)
        break;
      GradientOp gradient(record, forward, isWritten ? found->first : (spelling.name + "_grad").str(),
                          isWritten ? &found->second : nullptr);
      if (gradient.givesNothing())
        break;
      gradient.emit(os);
      if (isWritten)
        written.erase(found);
      forward = Signature(gradient.asForward());
    }
  }
  if (!written.empty())
    llvm::PrintFatalError(record.getLoc(), "newIrGradients: '" + written.begin()->first +
                                               "' is not a gradient op of this op, or has no results");
}
