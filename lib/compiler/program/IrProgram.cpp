#include "lib/compiler/program/IrProgram.h"

#include "dialects/pd/autodiff/Autodiff.h"
#include "dialects/pd/ir/FunctionAttributes.h"
#include "dialects/pd/ir/Pd.h"
#include "dialects/pd/ir/ResultNames.h"
#include "lib/base/support/DiagnosticCollector.h"
#include "lib/base/support/Suggest.h"
#include "passes/analysis/KernelAttributes.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/AsmState.h"
#include "mlir/IR/Verifier.h"
#include "mlir/Parser/Parser.h"
#include "mlir/Transforms/Inliner.h"
#include "mlir/Transforms/InliningUtils.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallPtrSet.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/ADT/StringSet.h"

#include <set>

using namespace mlir;

namespace proa {
namespace {

std::string listOf(llvm::ArrayRef<std::string> names) {
  return names.empty() ? "none" : "'" + llvm::join(names, "', '") + "'";
}

/// Turns a function of a module into a program.
class IrReader {
public:
  IrReader(ModuleOp module, const IrRequest &request) : module(module), request(request) {}

  Result<void> read() {
    if (!choose() || !checkTypes() || !inlineCalls() || !isolate())
      return diagnostics;
    nameInterface();
    if (!checkNames())
      return diagnostics;
    orderResults();
    pd::eraseUnused(main.getBody().front());
    eraseUnusedArguments();
    return {};
  }

private:
  bool refuse(const std::string &message) {
    diagnostics.add(request.path, message);
    return false;
  }

  bool choose() {
    std::vector<std::string> all, open;
    for (auto function : module.getOps<func::FuncOp>()) {
      if (function->hasAttr(kernelAttribute))
        continue;
      all.push_back(function.getName().str());
      if (function.isPublic())
        open.push_back(all.back());
    }
    std::string name = !request.function.empty()         ? request.function
                       : llvm::is_contained(all, "main") ? "main"
                       : open.size() == 1                ? open.front()
                                                         : "";
    main = name.empty() ? func::FuncOp() : module.lookupSymbol<func::FuncOp>(name);
    if (!main && !request.function.empty())
      return refuse("the module has no function '" + name + "'" + didYouMean(name, all) +
                    "; its functions: " + listOf(all));
    if (!main)
      return refuse(
          "expected a function 'main' or one public function, or the name of a function; the public "
          "functions: " +
          listOf(open));
    if (main.isExternal())
      return refuse("function '" + name + "' has no body");
    return main.getBody().hasOneBlock() ||
           refuse("function '" + name + "' has " + std::to_string(main.getBody().getBlocks().size()) +
                  " blocks, expected one; loops and conditions are scf ops");
  }

  bool checkTypes() {
    auto check = [&](const char *kind, unsigned index, Type type) {
      auto tensor = dyn_cast<RankedTensorType>(type);
      if (tensor && pd::dtypeOf(tensor.getElementType()))
        return;
      std::string text;
      llvm::raw_string_ostream(text) << "function '" << main.getName() << "': " << kind << " " << index
                                     << " is '" << type << "', expected a ranked tensor of numbers";
      refuse(text);
    };
    for (auto [i, type] : llvm::enumerate(main.getArgumentTypes()))
      check("argument", static_cast<unsigned>(i), type);
    for (auto [i, type] : llvm::enumerate(main.getResultTypes()))
      check("result", static_cast<unsigned>(i), type);
    return diagnostics.empty();
  }

  func::FuncOp calleeOf(func::CallOp call) { return module.lookupSymbol<func::FuncOp>(call.getCallee()); }

  /// The functions on the call path, to detect recursion.
  bool inlineCalls() {
    InlinerInterface interface(module.getContext());
    InlinerConfig config;
    std::vector<func::CallOp> calls;
    auto collect = [&](Operation *root) {
      root->walk([&](func::CallOp call) {
        if (!calleeOf(call)->hasAttr(kernelAttribute))
          calls.push_back(call);
      });
    };
    collect(main);
    // Inlines calls. Each function is inlined at most once per call, unless it is recursive.
    constexpr size_t most = 100'000;
    for (size_t done = 0; !calls.empty(); ++done) {
      func::CallOp call = calls.back();
      func::FuncOp callee = calleeOf(call);
      calls.pop_back();
      bool isPossible =
          done < most && !callee.isExternal() && callee.getBody().hasOneBlock() && !callsItself(callee);
      auto before = call->getPrevNode();
      Block *block = call->getBlock();
      if (!isPossible ||
          failed(inlineCall(interface, config.getCloneCallback(), call, callee, callee.getCallableRegion())))
        return refuse("the call of function '" + callee.getName().str() +
                      "' cannot be inlined: it has no body, several blocks, or calls itself");
      Operation *end = call;
      for (Operation *op = before ? before->getNextNode() : &block->front(); op != end;
           op = op->getNextNode())
        collect(op);
      call.erase();
    }
    return true;
  }

  bool callsItself(func::FuncOp function) {
    std::set<Operation *> seen;
    std::vector<func::FuncOp> open{function};
    while (!open.empty()) {
      func::FuncOp next = open.back();
      open.pop_back();
      bool isCycle = false;
      next.walk([&](func::CallOp call) {
        func::FuncOp callee = calleeOf(call);
        isCycle |= callee == function;
        if (seen.insert(callee).second)
          open.push_back(callee);
      });
      if (isCycle)
        return true;
    }
    return false;
  }

  /// Removes all other functions except kernels.
  bool isolate() {
    for (auto other : llvm::make_early_inc_range(module.getOps<func::FuncOp>()))
      if (other != main && !other->hasAttr(kernelAttribute))
        other.erase();
    if (main.getName() != "main") {
      if (module.lookupSymbol("main"))
        return refuse("the module has a kernel 'main' besides the function '" + main.getName().str() + "'");
      main.setName("main");
    }
    main.setPublic();
    return true;
  }

  void nameInterface() {
    Builder builder(module.getContext());
    for (unsigned i = 0; i < main.getNumArguments(); ++i)
      if (auto state = main.getArgAttrOfType<StringAttr>(i, pd::stateAttribute))
        main.setArgAttr(i, pd::parameterAttribute, state);
      else if (!main.getArgAttrOfType<StringAttr>(i, pd::feedAttribute) &&
               !main.getArgAttrOfType<StringAttr>(i, pd::parameterAttribute))
        main.setArgAttr(i, pd::feedAttribute, builder.getStringAttr("argument" + std::to_string(i)));
    for (unsigned i = 0; i < main.getNumResults(); ++i)
      if (!main.getResultAttrOfType<StringAttr>(i, pd::fetchAttribute) &&
          !main.getResultAttrOfType<StringAttr>(i, pd::stateAttribute))
        main.setResultAttr(i, pd::fetchAttribute, builder.getStringAttr("result" + std::to_string(i)));
  }

  StringAttr argumentName(unsigned i) {
    auto feed = main.getArgAttrOfType<StringAttr>(i, pd::feedAttribute);
    return feed ? feed : main.getArgAttrOfType<StringAttr>(i, pd::parameterAttribute);
  }

  bool checkNames() {
    std::vector<std::string> feeds, fetches;
    std::set<std::string> names;
    for (unsigned i = 0; i < main.getNumArguments(); ++i) {
      std::string name = argumentName(i).str();
      if (!names.insert(name).second)
        refuse("two arguments have the name '" + name + "'");
      if (main.getArgAttr(i, pd::feedAttribute) && !main.getArgAttr(i, pd::lodOwnerAttribute))
        feeds.push_back(name);
    }
    names.clear();
    for (unsigned i = 0; i < main.getNumResults(); ++i) {
      auto fetch = main.getResultAttrOfType<StringAttr>(i, pd::fetchAttribute);
      if (fetch && !names.insert(fetch.str()).second)
        refuse("two results have the name '" + fetch.str() + "'");
      if (fetch && !main.getResultAttr(i, pd::lodOwnerAttribute))
        fetches.push_back(fetch.str());
    }
    auto checkAsked = [&](const char *kind, llvm::ArrayRef<std::string> asked,
                          llvm::ArrayRef<std::string> known) {
      for (const std::string &name : asked)
        if (!llvm::is_contained(known, name))
          refuse("function '" + main.getName().str() + "' has no " + kind + " '" + name + "'" +
                 didYouMean(name, std::span(known.data(), known.size())) + "; it has " + listOf(known));
    };
    checkAsked("feed", request.feeds, feeds);
    checkAsked("fetch", request.fetches, fetches);
    return diagnostics.empty();
  }

  /// Fetches in the requested order, then their LoDs, then states. A subset of the fetches is not a training
  /// step and has no states.
  void orderResults() {
    std::vector<unsigned> fetches, lods, states;
    auto nameOf = [&](unsigned i) { return main.getResultAttrOfType<StringAttr>(i, pd::fetchAttribute); };
    for (unsigned i = 0; i < main.getNumResults(); ++i)
      (!nameOf(i) ? states : main.getResultAttr(i, pd::lodOwnerAttribute) ? lods : fetches).push_back(i);
    if (!request.fetches.empty()) {
      std::vector<unsigned> asked;
      for (const std::string &name : request.fetches)
        asked.push_back(*llvm::find_if(fetches, [&](unsigned i) { return nameOf(i) == name; }));
      if (std::set<unsigned>(asked.begin(), asked.end()).size() != fetches.size())
        states.clear();
      fetches = asked;
      llvm::erase_if(lods, [&](unsigned i) {
        return !llvm::is_contained(request.fetches,
                                   main.getResultAttrOfType<StringAttr>(i, pd::lodOwnerAttribute).str());
      });
    }
    llvm::SmallVector<Value> values;
    llvm::SmallVector<DictionaryAttr> attributes;
    Operation *exit = main.getBody().front().getTerminator();
    for (const auto &results : {fetches, lods, states})
      for (unsigned i : results) {
        values.push_back(exit->getOperand(i));
        attributes.push_back(main.getResultAttrDict(i));
      }
    exit->setOperands(values);
    main.setFunctionType(
        FunctionType::get(main.getContext(), main.getArgumentTypes(), ValueRange(values).getTypes()));
    main.setAllResultAttrs(attributes);
  }

  /// With a subset of the fetches: removes unused arguments.
  void eraseUnusedArguments() {
    if (request.fetches.empty())
      return;
    llvm::BitVector unused(main.getNumArguments());
    for (BlockArgument argument : main.getArguments())
      if (unsigned i = argument.getArgNumber();
          argument.use_empty() && !llvm::is_contained(request.feeds, argumentName(i).str()))
        unused.set(i);
    (void)main.eraseArguments(unused);
  }

  ModuleOp module;
  const IrRequest &request;
  func::FuncOp main;
  Diagnostics diagnostics;
};

} // namespace

bool isIr(llvm::StringRef path, llvm::StringRef content) {
  if (path.ends_with(".mlir") || path.ends_with(".mlirbc"))
    return true;
  if (path != "/dev/stdin")
    return false;
  llvm::StringRef first = content.ltrim().substr(0, 64);
  bool isText =
      llvm::all_of(first, [](char c) { return llvm::isPrint(c) || c == '\n' || c == '\r' || c == '\t'; });
  return content.starts_with("ML\xEFR") ||
         (isText && !first.empty() && !first.starts_with("{") && !first.starts_with("["));
}

Result<OwningOpRef<ModuleOp>> readIr(MLIRContext &context, llvm::StringRef content,
                                     const IrRequest &request) {
  DiagnosticCollector errors(&context);
  context.loadDialect<pd::PdDialect, func::FuncDialect>();
  auto module = parseSourceString<ModuleOp>(content, &context, request.path);
  if (!module)
    return errors.take(request.path + ": does not parse");
  if (Result<void> read = IrReader(*module, request).read(); !read)
    return read.diagnostics();
  if (failed(verify(*module)))
    return errors.take(request.path + ": does not verify");
  return module;
}

/// The tensors that ops of the body compute, other than constants and results of the function.
static SmallVector<OpResult> unreturnedValues(Block &body) {
  llvm::SmallPtrSet<Value, 16> returned(llvm::from_range, body.getTerminator()->getOperands());
  SmallVector<OpResult> values;
  for (Operation &op : body.without_terminator())
    for (OpResult result : op.getResults()) {
      auto type = dyn_cast<RankedTensorType>(result.getType());
      if (type && pd::dtypeOf(type.getElementType()) && !op.hasTrait<OpTrait::ConstantLike>() &&
          !returned.contains(result))
        values.push_back(result);
    }
  return values;
}

/// The last value for each name in locations of the body.
static llvm::StringMap<Value> valuesByName(Block &body) {
  llvm::StringMap<Value> values;
  for (Operation &op : body)
    for (OpResult result : op.getResults())
      if (StringRef name = pd::resultName(result); !name.empty())
        values[name] = result;
  return values;
}

void fetchAllValues(ModuleOp module) {
  auto main = module.lookupSymbol<func::FuncOp>("main");
  Block &body = main.getBody().front();
  AsmState state(module);
  llvm::StringMap<Value> named = valuesByName(body);
  unsigned fetches = 0;
  llvm::StringSet<> taken;
  for (; fetches < main.getNumResults(); ++fetches) {
    auto fetch = main.getResultAttrOfType<StringAttr>(fetches, pd::fetchAttribute);
    if (!fetch || main.getResultAttr(fetches, pd::lodOwnerAttribute))
      break;
    taken.insert(fetch.getValue());
  }
  SmallVector<OpResult> values = unreturnedValues(body);
  for (auto [i, value] : llvm::enumerate(values)) {
    std::string name;
    llvm::raw_string_ostream stream(name);
    value.printAsOperand(stream, state);
    if (StringRef variable = pd::resultName(value);
        named.lookup(variable) == value && taken.insert(variable).second)
      name = variable.str();
    auto role =
        DictionaryAttr::get(module.getContext(), {{StringAttr::get(module.getContext(), pd::fetchAttribute),
                                                   StringAttr::get(module.getContext(), name)}});
    (void)main.insertResult(fetches + static_cast<unsigned>(i), value.getType(), role);
  }
  body.getTerminator()->insertOperands(fetches, llvm::to_vector_of<Value>(values));
}

std::vector<std::string> savedVariables(ModuleOp module) {
  std::set<std::string> names;
  auto main = module.lookupSymbol<func::FuncOp>("main");
  for (unsigned i = 0; i < main.getNumArguments(); ++i)
    if (auto name = main.getArgAttrOfType<StringAttr>(i, pd::parameterAttribute))
      names.insert(name.str());
  for (unsigned i = 0; i < main.getNumResults(); ++i)
    if (auto name = main.getResultAttrOfType<StringAttr>(i, pd::stateAttribute))
      names.insert(name.str());
  return {names.begin(), names.end()};
}

} // namespace proa
