#include "lib/compiler/codegen/LoadedObject.h"

#include "lib/base/support/KernelScratch.h"
#include "lib/runtime/emulator/Emulator.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/ExecutionEngine/Orc/AbsoluteSymbols.h"
#include "llvm/ExecutionEngine/Orc/ExecutionUtils.h"
#include "llvm/ExecutionEngine/Orc/LLJIT.h"
#include "llvm/Object/Archive.h"
#include "llvm/Support/TargetSelect.h"

#include <set>

namespace proa {

/// Errors reported by linking, other than the failed lookup.
struct LoadedObject::Reports {
  std::set<std::string> missing; ///< undefined symbols
  std::string others;

  void add(llvm::Error error) {
    llvm::handleAllErrors(
        std::move(error),
        [&](const llvm::orc::SymbolsNotFound &notFound) {
          for (const llvm::orc::SymbolStringPtr &symbol : notFound.getSymbols())
            missing.insert((*symbol).str());
        },
        [&](const llvm::ErrorInfoBase &other) { others += (others.empty() ? "" : "; ") + other.message(); });
  }
};

static Diagnostics toDiagnostics(llvm::Error error) {
  return errorAt("loading compiled kernels", llvm::toString(std::move(error)));
}

static llvm::Error defineSupportSymbols(llvm::orc::LLJIT &jit) {
  llvm::orc::SymbolMap symbols;
  auto define = [&](const char *name, auto *address) {
    symbols[jit.mangleAndIntern(name)] = {llvm::orc::ExecutorAddr::fromPtr(address),
                                          llvm::JITSymbolFlags::Exported | llvm::JITSymbolFlags::Callable};
  };
  define("aligned_alloc", allocateKernelScratch);
  for (const emulator::Symbol &symbol : emulator::symbols())
    define(symbol.name, symbol.address);
  return jit.getMainJITDylib().define(llvm::orc::absoluteSymbols(std::move(symbols)));
}

static llvm::Error addMembers(llvm::orc::LLJIT &jit, llvm::MemoryBufferRef bytes) {
  auto archive = llvm::object::Archive::create(bytes);
  if (!archive)
    return archive.takeError();
  llvm::Error error = llvm::Error::success();
  for (const llvm::object::Archive::Child &child : (*archive)->children(error)) {
    auto member = child.getMemoryBufferRef();
    if (!member)
      return llvm::joinErrors(std::move(error), member.takeError());
    // A copy, because archive members are not aligned and the archive may be freed.
    auto copy = llvm::MemoryBuffer::getMemBufferCopy(member->getBuffer(), member->getBufferIdentifier());
    if (auto added = jit.addObjectFile(std::move(copy)))
      return llvm::joinErrors(std::move(error), std::move(added));
  }
  return error;
}

Result<LoadedObject> LoadedObject::load(std::string_view archive) {
  static const bool initialized =
      !llvm::InitializeNativeTarget() && !llvm::InitializeNativeTargetAsmPrinter();
  (void)initialized;
  auto jit = llvm::orc::LLJITBuilder().create();
  if (!jit)
    return toDiagnostics(jit.takeError());
  // The session reports the reason of a failed lookup separately; by default it prints it.
  auto reports = std::make_shared<Reports>();
  (*jit)->getExecutionSession().setErrorReporter(
      [reports](llvm::Error error) { reports->add(std::move(error)); });
  auto process = llvm::orc::DynamicLibrarySearchGenerator::GetForCurrentProcess(
      (*jit)->getDataLayout().getGlobalPrefix());
  if (!process)
    return toDiagnostics(process.takeError());
  (*jit)->getMainJITDylib().addGenerator(std::move(*process));
  if (auto error = defineSupportSymbols(**jit))
    return toDiagnostics(std::move(error));
  if (auto error = addMembers(
          **jit, llvm::MemoryBufferRef(llvm::StringRef(archive.data(), archive.size()), "kernels")))
    return toDiagnostics(std::move(error));
  LoadedObject loaded;
  loaded.jit = std::move(*jit);
  loaded.reports = reports;
  return loaded;
}

Result<void *> LoadedObject::find(const std::string &symbol) const {
  auto address = jit->lookup(symbol);
  if (!address) {
    std::string message = llvm::toString(address.takeError());
    // All symbols that were linked together have then failed, independent of the lookup.
    if (!reports->missing.empty())
      message = "'" + symbol + "' cannot be linked: undefined symbol '" +
                llvm::join(reports->missing, "', '") + "'";
    if (!reports->others.empty())
      message += " (" + reports->others + ")";
    return errorAt("loading compiled kernels", message);
  }
  return address->toPtr<void *>();
}

} // namespace proa
