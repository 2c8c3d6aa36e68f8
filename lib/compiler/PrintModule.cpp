#include "lib/compiler/PrintModule.h"

#include "lib/compiler/OpTexts.h"
#include "lib/compiler/ThreadedContext.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/AsmState.h"
#include "mlir/IR/Threading.h"
#include "mlir/IR/Verifier.h"

#include "llvm/Support/raw_ostream.h"

#include <future>
#include <mutex>
#include <optional>
#include <vector>

using namespace mlir;

namespace proa {
namespace {

/// Number of ops that one thread prints at a time; larger functions use several threads.
constexpr size_t chunkSize = 1000, worthwhile = 3 * chunkSize;
/// Estimated characters of an op or an argument.
constexpr size_t usualLength = 192;

/// `size` is the estimated length: a string that grows is copied again and again.
std::string printed(size_t size, llvm::function_ref<void(llvm::raw_ostream &)> print) {
  std::string text;
  text.reserve(size);
  llvm::raw_string_ostream stream(text);
  stream.SetBufferSize(1 << 16); // the printer writes a few characters at a time
  print(stream);
  stream.flush();
  return text;
}

/// The only function of the module, if it is large and has one block.
func::FuncOp longFunction(ModuleOp module) {
  if (!llvm::hasSingleElement(module.getBody()->getOperations()))
    return {};
  auto function = dyn_cast<func::FuncOp>(module.getBody()->front());
  bool isLong = function && function.getBody().hasOneBlock() &&
                function.getBody().front().getOperations().size() >= worthwhile;
  return isLong ? function : func::FuncOp();
}

/// Text of the module with an empty body.
std::string printEmpty(ModuleOp module, OpPrintingFlags flags) {
  OwningOpRef<Operation *> empty(module->cloneWithoutRegions());
  empty->getRegion(0).emplaceBlock();
  return printed(0, [&](llvm::raw_ostream &stream) { empty->print(stream, flags.skipRegions(false)); });
}

/// Text of a function up to the line of its first op, printed without regions.
std::string printHeader(func::FuncOp function, AsmState &withoutRegions) {
  std::string header = printed(function.getNumArguments() * usualLength / 2,
                               [&](llvm::raw_ostream &stream) { function->print(stream, withoutRegions); });
  header.resize(header.rfind('{') + 1);
  header += '\n';
  return header;
}

/// Text before and after the arguments, taken from a declaration without arguments.
std::pair<std::string, std::string> printAroundArguments(func::FuncOp function, OpPrintingFlags flags) {
  OwningOpRef<func::FuncOp> declaration(cast<func::FuncOp>(function->cloneWithoutRegions()));
  declaration->removeArgAttrsAttr();
  declaration->setFunctionType(
      FunctionType::get(function.getContext(), {}, function.getFunctionType().getResults()));
  std::string text = printed(0, [&](llvm::raw_ostream &stream) { declaration->print(stream, flags); });
  size_t open = text.find('(') + 1; // after the name, which needs no quotes: "main"
  return {text.substr(0, open), llvm::StringRef(text).substr(open).rtrim().str() + " {\n"};
}

bool hasRegions(Block &block) {
  return llvm::any_of(block, [](Operation &op) { return op.getNumRegions() != 0; });
}

/// Whether all values of a block are defined before their uses: the only check left for verified ops without
/// regions.
bool areDefinedBefore(Block &block) {
  return llvm::all_of(block, [&](Operation &op) {
    return llvm::all_of(op.getOperands(), [&](Value operand) {
      Operation *producer = operand.getDefiningOp();
      return operand.getParentBlock() == &block && (!producer || producer->isBeforeInBlock(&op));
    });
  });
}

/// An op as printed inside of a function: indented, and without the dialect's name if it is that of the
/// function.
void printOp(llvm::raw_ostream &stream, Operation *op, AsmState &state, OpTexts &texts) {
  constexpr llvm::StringRef indentation = "    ";
  stream << indentation;
  bool isOfFunction = op->getName().getDialectNamespace() == func::FuncDialect::getDialectNamespace();
  if (op->getNumRegions() == 0 && !isOfFunction) {
    texts.print(stream, op);
    stream << '\n';
    return;
  }
  std::string lines = printed(0, [&](llvm::raw_ostream &text) { op->print(text, state); });
  if (isOfFunction)
    lines.erase(lines.find("func."), llvm::StringRef("func.").size());
  for (char c : lines) {
    stream << c;
    if (c == '\n')
      stream << indentation;
  }
  stream << '\n';
}

/// Writes pieces in order, whatever the order in which threads produce them.
class PieceWriter {
public:
  PieceWriter(size_t count, llvm::function_ref<void(llvm::StringRef)> write) : pieces(count), write(write) {}

  /// One thread writes available pieces; the others continue.
  void add(size_t i, std::string piece) {
    std::unique_lock lock(mutex);
    pieces[i] = std::move(piece);
    if (isWriting)
      return;
    isWriting = true;
    for (; next < pieces.size() && pieces[next]; ++next) {
      std::string text = std::move(*pieces[next]);
      lock.unlock();
      write(text);
      lock.lock();
    }
    isWriting = false;
  }

private:
  std::mutex mutex;
  std::vector<std::optional<std::string>> pieces;
  size_t next = 0;
  bool isWriting = false;
  llvm::function_ref<void(llvm::StringRef)> write;
};

/// Prints the only function of a verified module.
class FunctionPrinter {
public:
  FunctionPrinter(func::FuncOp function, llvm::ArrayRef<import::Argument> unsettled,
                  llvm::ArrayRef<Operation *> ops, AsmState &state)
      : function(function), unsettled(unsettled), ops(ops), state(state) {}

  /// Prints the module, in pieces by several threads.
  void print(ModuleOp module, AsmState &ofHeader, llvm::function_ref<void(llvm::StringRef)> write) {
    std::string around = printEmpty(module, state.getPrinterFlags());
    size_t end = around.rfind('}');
    write(around.substr(0, end) + "  ");
    auto [front, behind] = unsettled.empty() ? std::pair(printHeader(function, ofHeader), std::string())
                                             : printAroundArguments(function, state.getPrinterFlags());
    write(front);
    size_t ofArguments = chunksOf(unsettled.size()), ofOps = chunksOf(ops.size());
    PieceWriter writer(ofArguments + 1 + ofOps, write);
    mlir::parallelFor(module.getContext(), 0, ofArguments + 1 + ofOps, [&](size_t i) {
      writer.add(i, i < ofArguments    ? printArguments(i * chunkSize)
                    : i == ofArguments ? behind
                                       : printOps((i - ofArguments - 1) * chunkSize));
    });
    write("  }\n" + around.substr(end));
  }

private:
  static size_t chunksOf(size_t count) { return (count + chunkSize - 1) / chunkSize; }

  std::string printArguments(size_t begin) {
    return printed(chunkSize * usualLength / 2, [&](llvm::raw_ostream &stream) {
      llvm::DenseMap<Type, std::string> types;
      for (size_t i = begin; i < std::min(begin + chunkSize, unsettled.size()); ++i) {
        BlockArgument argument = function.getArgument(static_cast<unsigned>(i));
        std::string &type = types[argument.getType()];
        if (type.empty())
          llvm::raw_string_ostream(type) << argument.getType();
        stream << (i == 0 ? "" : ", ");
        argument.printAsOperand(stream, state);
        stream << ": " << type << ' ';
        import::printAttributes(stream, unsettled[i]);
      }
    });
  }

  std::string printOps(size_t begin) {
    OpTexts texts(state);
    return printed(chunkSize * usualLength, [&](llvm::raw_ostream &stream) {
      for (Operation *op : ops.drop_front(begin).take_front(chunkSize))
        printOp(stream, op, state, texts);
    });
  }

  func::FuncOp function;
  llvm::ArrayRef<import::Argument> unsettled;
  llvm::ArrayRef<Operation *> ops;
  AsmState &state;
};

} // namespace

bool verifyImported(ModuleOp module) {
  func::FuncOp function = longFunction(module);
  bool isFlat = function && !hasRegions(function.getBody().front());
  return (isFlat && areDefinedBefore(function.getBody().front())) || succeeded(verify(module));
}

bool verifyAndPrint(import::ImportedProgram &program, llvm::function_ref<void(llvm::StringRef)> write,
                    OpPrintingFlags flags) {
  flags.assumeVerified(); // the printer would verify again
  ModuleOp module = program.module();
  func::FuncOp function = longFunction(module);
  if (!function || flags.shouldPrintDebugInfo()) {
    program.settle();
    if (failed(verify(module)))
      return false;
    write(printed(0, [&](llvm::raw_ostream &stream) { module.print(stream, flags); }));
    return true;
  }
  Block &block = function.getBody().front();
  std::vector<Operation *> ops;
  for (Operation &op : block)
    ops.push_back(&op);
  bool isNested = hasRegions(block);
  // While this thread numbers the values, which takes longer.
  std::future<bool> inOrder =
      std::async(std::launch::async, [&] { return !isNested && areDefinedBefore(block); });
  OpPrintingFlags withoutRegions = flags;
  withoutRegions.skipRegions();
  AsmState state(module, isNested ? flags : withoutRegions);
  std::optional<AsmState> ofHeader;
  if (isNested)
    ofHeader.emplace(module, withoutRegions);
  if (!inOrder.get() && failed(verify(module)))
    return false;
  // Printing queries attributes that ops omit if they have their default.
  ThreadedContext threaded(*module.getContext());
  FunctionPrinter printer(function, program.unsettled(), ops, state);
  printer.print(module, ofHeader ? *ofHeader : state, write);
  return true;
}

} // namespace proa
