#include "test/fuzz/ir/Cases.h"

#include "mlir/IR/Diagnostics.h"
#include "mlir/IR/Verifier.h"
#include "mlir/Parser/Parser.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Pass/PassRegistry.h"

#include "llvm/ADT/ScopeExit.h"
#include "llvm/Support/raw_ostream.h"

#include <cstring>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

using namespace mlir;

namespace proa::fuzz {
namespace {

#if defined(__has_feature)
#if __has_feature(address_sanitizer)
#define PROA_HAS_ADDRESS_SANITIZER
#endif
#endif
#if defined(__SANITIZE_ADDRESS__) || defined(PROA_HAS_ADDRESS_SANITIZER)
constexpr bool hasAddressSanitizer = true;
#else
constexpr bool hasAddressSanitizer = false;
#endif

/// A text in memory that both processes share.
template <size_t capacity> struct SharedText {
  size_t size;
  char text[capacity];

  void set(llvm::StringRef from) {
    size = std::min(from.size(), capacity);
    std::memcpy(text, from.data(), size);
  }
  std::string get() const { return {text, size}; }
};

/// Result of the child. It is unchanged if the child ends early.
struct Report {
  enum class Phase { Mutating, Verifying, Running, Done } phase;
  Outcome outcome;
  SharedText<4096> pipeline;
  SharedText<4096> message;
  SharedText<(size_t(1) << 22)> mutant, result;
};

std::string textOf(ModuleOp module, bool generic) {
  std::string text;
  llvm::raw_string_ostream stream(text);
  module.print(stream, generic ? OpPrintingFlags().printGenericOpForm() : OpPrintingFlags());
  return text;
}

/// The work of the child.
class Child {
public:
  Child(Report &report, MLIRContext *context)
      : report(report), handler(context, [this](mlir::Diagnostic &diagnostic) {
          if (diagnostic.getSeverity() == DiagnosticSeverity::Error)
            errors += diagnostic.str() + "\n";
          return success();
        }) {}

  void run(ModuleOp seed, const std::function<std::string(ModuleOp)> &prepare) {
    report.outcome = Outcome::NotValid;
    report.pipeline.set(prepare(seed));
    PassManager passes(seed.getContext(), ModuleOp::getOperationName(), OpPassManager::Nesting::Implicit);
    std::string ignored;
    llvm::raw_string_ostream stream(ignored);
    if (failed(parsePassPipeline(report.pipeline.get(), passes, stream)))
      return;
    // A mutant is printed and parsed, so that absent attributes have their defaults.
    std::string text = textOf(seed, /*generic=*/true);
    report.mutant.set(text);
    report.phase = Report::Phase::Verifying;
    parsed = parseSourceString<ModuleOp>(text, seed.getContext());
    if (!parsed)
      return;
    module = *parsed;
    report.mutant.set(textOf(module, /*generic=*/false));
    errors.clear();
    report.phase = Report::Phase::Running;
    passes.enableVerifier(false);
    finish(succeeded(passes.run(module)));
  }

private:
  Report &report;
  OwningOpRef<ModuleOp> parsed;
  ModuleOp module;
  std::string errors;
  ScopedDiagnosticHandler handler;

  void finish(bool passed) {
    if (!passed) {
      report.outcome = errors.empty() ? Outcome::Silent : Outcome::Refused;
    } else if (failed(verify(module))) {
      report.outcome = Outcome::NotVerified;
    } else {
      std::string text = textOf(module, /*generic=*/false);
      report.result.set(text);
      // A truncated text is not checked.
      bool isWhole = report.result.size == text.size();
      bool parses = !isWhole || parseSourceString<ModuleOp>(text, module.getContext());
      report.outcome = parses ? Outcome::Passed : Outcome::NotVerified;
    }
    report.message.set(errors);
  }
};

[[noreturn]] void runChild(Report &report, ModuleOp module,
                           const std::function<std::string(ModuleOp)> &prepare, const CaseLimits &limits) {
  rlimit cpu{limits.cpuSeconds, limits.cpuSeconds + 1}, core{0, 0};
  setrlimit(RLIMIT_CPU, &cpu);
  setrlimit(RLIMIT_CORE, &core);
  // AddressSanitizer reserves more address space than any limit allows.
  if constexpr (!hasAddressSanitizer) {
    rlimit memory{limits.memoryBytes, limits.memoryBytes};
    setrlimit(RLIMIT_AS, &memory);
  }
  // Output of crash handlers and passes is ignored.
  if (std::freopen("/dev/null", "w", stderr) == nullptr || std::freopen("/dev/null", "w", stdout) == nullptr)
    _exit(1);
  Child(report, module.getContext()).run(module, prepare);
  report.phase = Report::Phase::Done;
  _exit(0);
}

} // namespace

const char *nameOf(Outcome outcome) {
  switch (outcome) {
  case Outcome::NotValid:
    return "not valid";
  case Outcome::Refused:
    return "refused";
  case Outcome::Passed:
    return "passed";
  case Outcome::Crashed:
    return "crash";
  case Outcome::Hung:
    return "hang";
  case Outcome::Silent:
    return "failure without a diagnostic";
  case Outcome::NotVerified:
    return "result that does not verify";
  }
  return "";
}

bool isFailure(Outcome outcome) { return outcome >= Outcome::Crashed; }

CaseResult runCase(ModuleOp module, const std::function<std::string(ModuleOp)> &prepare,
                   const CaseLimits &limits) {
  void *memory = mmap(nullptr, sizeof(Report), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  if (memory == MAP_FAILED)
    llvm::report_fatal_error("no memory for a case");
  llvm::scope_exit unmap([&] { munmap(memory, sizeof(Report)); });
  auto &report = *static_cast<Report *>(memory);
  pid_t child = fork();
  if (child == 0)
    runChild(report, module, prepare, limits);
  int status = 0;
  if (child < 0 || waitpid(child, &status, 0) != child)
    llvm::report_fatal_error("a case cannot be run");
  CaseResult result{report.outcome, report.pipeline.get(), report.mutant.get(), report.result.get(),
                    report.message.get()};
  if (report.phase == Report::Phase::Done)
    return result;
  // An unverified module may be arbitrary.
  if (report.phase == Report::Phase::Mutating) {
    result.outcome = Outcome::NotValid;
    return result;
  }
  int signal = WIFSIGNALED(status) ? WTERMSIG(status) : 0;
  result.outcome = signal == SIGXCPU || signal == SIGKILL ? Outcome::Hung : Outcome::Crashed;
  if (report.phase == Report::Phase::Verifying)
    result.pipeline = verifierName;
  result.message = signal ? strsignal(signal) : "exit code " + std::to_string(WEXITSTATUS(status));
  return result;
}

} // namespace proa::fuzz
