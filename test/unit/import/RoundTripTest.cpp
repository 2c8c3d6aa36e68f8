// Every op of the dialects survives a round trip through text, generic text and bytecode: all imported
// programs of the corpus, and the lit tests of the dialects. An op that occurs in none of them fails the
// test.
#include "dialects/pd/ir/Pd.h"
#include "dialects/rt/Rt.h"
#include "lib/check/CaseMeta.h"
#include "lib/compiler/compile/Registration.h"
#include "translator/import/Import.h"
#include "translator/legacy/ReadProgram.h"

#include "mlir/Bytecode/BytecodeWriter.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/MLIRContext.h"
#include "mlir/Parser/Parser.h"

#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/raw_ostream.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <set>

using namespace proa;
namespace fs = std::filesystem;

namespace {

class RoundTrip : public testing::Test {
protected:
  static void SetUpTestSuite() {
    mlir::DialectRegistry registry;
    registerAllDialects(registry);
    context = new mlir::MLIRContext(registry, mlir::MLIRContext::Threading::DISABLED);
    context->loadDialect<pd::PdDialect, rt::RtDialect>();
    // A program that does not parse or import is not tested here.
    handler = new mlir::ScopedDiagnosticHandler(context, [](mlir::Diagnostic &) { return mlir::success(); });
  }
  static void TearDownTestSuite() {
    delete handler;
    delete context;
  }

  static std::string print(mlir::ModuleOp module, bool generic) {
    std::string text;
    llvm::raw_string_ostream stream(text);
    mlir::OpPrintingFlags flags;
    module.print(stream, flags.printGenericOpForm(generic));
    return text;
  }

  /// Parses text or bytecode and prints it.
  static std::string again(const std::string &source) {
    auto module = mlir::parseSourceString<mlir::ModuleOp>(source, context);
    return module ? print(*module, false) : "does not parse:\n" + source;
  }

  static void check(mlir::ModuleOp module, const std::string &where) {
    std::string text = print(module, false);
    EXPECT_EQ(again(text), text) << where;
    EXPECT_EQ(again(print(module, true)), text) << where << ", generic form";
    std::string bytecode;
    llvm::raw_string_ostream stream(bytecode);
    ASSERT_TRUE(mlir::succeeded(mlir::writeBytecodeToFile(module, stream))) << where;
    EXPECT_EQ(again(bytecode), text) << where << ", bytecode";
    module.walk([&](mlir::Operation *op) { seen.insert(op->getName().getStringRef().str()); });
  }

  static inline mlir::MLIRContext *context;
  static inline mlir::ScopedDiagnosticHandler *handler;
  static inline std::set<std::string> seen;
};

TEST_F(RoundTrip, Corpus) {
  for (const fs::directory_entry &entry : fs::recursive_directory_iterator(PROA_CORPUS_DIR)) {
    fs::path folder = entry.path().parent_path();
    if (entry.path().filename() != "meta.json" || folder.string().find("/pir/") != std::string::npos)
      continue;
    auto meta = check::readCaseMeta(entry.path().string());
    auto program = legacy::readProgram((folder / "program.json").string());
    if (!meta || !program)
      continue;
    import::ImportOptions options;
    options.feeds = meta->feeds;
    options.fetches = meta->fetches;
    if (auto module = import::importProgram(*context, *program, options))
      check(**module, meta->name);
  }
}

TEST_F(RoundTrip, LitTests) {
  for (const fs::directory_entry &entry :
       fs::recursive_directory_iterator(PROA_SOURCE_DIR "/test/dialects")) {
    auto buffer = llvm::MemoryBuffer::getFile(entry.path().string());
    if (entry.path().extension() != ".mlir" || !buffer)
      continue;
    // Parts of tests of errors do not parse or verify.
    llvm::SmallVector<llvm::StringRef> pieces;
    (*buffer)->getBuffer().split(pieces, "// -----");
    for (llvm::StringRef piece : pieces)
      if (auto module = mlir::parseSourceString<mlir::ModuleOp>(piece, context))
        check(*module, entry.path().string());
  }
}

// Runs last: the two tests above must have seen all ops.
TEST_F(RoundTrip, CoversAllOps) {
  for (mlir::RegisteredOperationName name : context->getRegisteredOperations())
    if (name.getDialectNamespace() == "pd" || name.getDialectNamespace() == "rt")
      EXPECT_TRUE(seen.count(name.getStringRef().str()))
          << name.getStringRef().str()
          << " is in no program of the corpus and in no test under test/dialects";
}

} // namespace
