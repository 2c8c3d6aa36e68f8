#include "lib/compiler/codegen/cuda/Assembler.h"

#include "lib/base/support/ChildProcess.h"
#include "lib/base/support/Files.h"
#include "lib/base/support/LibrarySymbols.h"
#include "lib/base/support/TemporaryFolder.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringRef.h"

#include <fmt/format.h>

#include <cstring>
#include <dlfcn.h>
#include <map>

namespace proa::cuda {
namespace {

using llvm::StringRef;

/// The functions of libnvJitLink that are used. Declarations follow the ABI of versions 12 and 13.
struct NvJitLinkApi {
  using Handle = void *;
  int (*create)(Handle *handle, uint32_t optionCount, const char **options);
  int (*destroy)(Handle *handle);
  int (*addData)(Handle handle, int inputType, const void *data, size_t bytes, const char *name);
  int (*complete)(Handle handle);
  int (*cubinBytes)(Handle handle, size_t *bytes);
  int (*cubin)(Handle handle, void *cubin);
  int (*errorLogBytes)(Handle handle, size_t *bytes);
  int (*errorLog)(Handle handle, char *log);
  int (*infoLogBytes)(Handle handle, size_t *bytes);
  int (*infoLog)(Handle handle, char *log);
  int (*version)(unsigned *major, unsigned *minor);
};

constexpr int ptxInput = 2; // NVJITLINK_INPUT_PTX

/// The library stays loaded: loading it takes longer than assembling a kernel.
Result<NvJitLinkApi> loadNvJitLink(const std::string &path) {
  void *library = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (!library)
    return errorAt(path, std::string("cannot be loaded: ") + dlerror());
  NvJitLinkApi api;
  LibrarySymbols symbols(library);
  symbols.load(api.create, "nvJitLinkCreate");
  symbols.load(api.destroy, "nvJitLinkDestroy");
  symbols.load(api.addData, "nvJitLinkAddData");
  symbols.load(api.complete, "nvJitLinkComplete");
  symbols.load(api.cubinBytes, "nvJitLinkGetLinkedCubinSize");
  symbols.load(api.cubin, "nvJitLinkGetLinkedCubin");
  symbols.load(api.errorLogBytes, "nvJitLinkGetErrorLogSize");
  symbols.load(api.errorLog, "nvJitLinkGetErrorLog");
  symbols.load(api.infoLogBytes, "nvJitLinkGetInfoLogSize");
  symbols.load(api.infoLog, "nvJitLinkGetInfoLog");
  symbols.load(api.version, "nvJitLinkVersion");
  if (!symbols.missing().empty())
    return errorAt(path, "has no symbol '" + symbols.missing()[0] + "', expected nvJitLink of CUDA 12 or 13");
  return api;
}

std::string trimmed(std::string text) { return StringRef(text).trim(StringRef(" \n\0", 3)).str(); }

class NvJitLinkAssembler final : public Assembler {
public:
  explicit NvJitLinkAssembler(const NvJitLinkApi &api) : api(api) {
    unsigned major = 0, minor = 0;
    api.version(&major, &minor);
    versionText = fmt::format("nvJitLink {}.{}", major, minor);
  }

protected:
  Result<Cubin> run(const std::string &ptx, const std::string &chip) override {
    std::string arch = "-arch=" + chip;
    const char *options[] = {arch.c_str(), "-O3", "-verbose"};
    NvJitLinkApi::Handle handle = nullptr;
    if (int code = api.create(&handle, std::size(options), options))
      return errorAt("nvJitLink", fmt::format("cannot start for {}: error {}", chip, code));
    // PTX is given with its terminating null character.
    int code = api.addData(handle, ptxInput, ptx.c_str(), ptx.size() + 1, "kernels");
    if (code == 0)
      code = api.complete(handle);
    Cubin cubin;
    cubin.report = log(handle, api.infoLogBytes, api.infoLog);
    std::string errors = trimmed(log(handle, api.errorLogBytes, api.errorLog));
    size_t bytes = 0;
    if (code == 0)
      code = api.cubinBytes(handle, &bytes);
    if (code == 0) {
      cubin.bytes.resize(bytes);
      code = api.cubin(handle, cubin.bytes.data());
    }
    api.destroy(&handle);
    if (code != 0)
      return errorAt("nvJitLink", fmt::format("cannot assemble for {}: error {}: {}", chip, code, errors));
    return cubin;
  }

private:
  const NvJitLinkApi api;

  static std::string log(NvJitLinkApi::Handle handle, int (*sizeOf)(NvJitLinkApi::Handle, size_t *),
                         int (*read)(NvJitLinkApi::Handle, char *)) {
    size_t bytes = 0;
    if (sizeOf(handle, &bytes) != 0 || bytes == 0)
      return "";
    std::string text(bytes, '\0');
    read(handle, text.data());
    return trimmed(text) + "\n";
  }
};

/// Bytes of spills of all kernels.
int64_t spillsOf(const std::string &report) {
  int64_t bytes = 0;
  for (const KernelResources &kernel : parseResources(report))
    bytes += kernel.spillStoreBytes + kernel.spillLoadBytes;
  return bytes;
}

/// The kernels, each of which asks for one resident block.
std::string withOneBlock(StringRef ptx) {
  constexpr llvm::StringLiteral least = ".minnctapersm ", most = ".maxntid ";
  std::string text;
  while (!ptx.empty()) {
    auto [line, rest] = ptx.split('\n');
    if (!line.starts_with(least))
      text += (line + "\n").str();
    if (line.starts_with(most))
      text += (least + "1\n").str();
    ptx = rest;
  }
  return text;
}

class PtxasAssembler final : public Assembler {
public:
  PtxasAssembler(std::string program, const std::string &version) : program(std::move(program)) {
    // "Cuda compilation tools, release 13.0, V13.0.88"
    versionText = "ptxas " + trimmed(StringRef(version).rsplit(", ").second.split('\n').first.str());
  }

protected:
  Result<Cubin> run(const std::string &ptx, const std::string &chip) override {
    Result<TemporaryFolder> folder = TemporaryFolder::create();
    if (!folder)
      return folder.diagnostics();
    Result<Cubin> cubin = assembleIn(*folder, ptx, chip);
    if (!cubin || spillsOf(cubin->report) == 0)
      return cubin;
    // ptxas may spill so that more blocks are resident at once, but not where a kernel asks for one.
    std::string single = withOneBlock(ptx);
    if (single == ptx)
      return cubin;
    Result<Cubin> other = assembleIn(*folder, single, chip);
    return other && spillsOf(other->report) < spillsOf(cubin->report) ? std::move(other) : std::move(cubin);
  }

private:
  std::string program;

  Result<Cubin> assembleIn(const TemporaryFolder &folder, const std::string &ptx,
                           const std::string &chip) const {
    std::string input = folder.file("kernels.ptx"), output = folder.file("kernels.cubin");
    if (Result<void> written = writeFile(input, ptx); !written)
      return written.diagnostics();
    Result<std::string> report = runProgram(program, {"-v", "-O3", "-arch=" + chip, input, "-o", output});
    if (!report)
      return report.diagnostics();
    Result<std::string> bytes = readFile(output);
    if (!bytes)
      return bytes.diagnostics();
    return Cubin{std::move(*bytes), std::move(*report), {}};
  }
};

/// A cached cubin: the number of bytes of the report, the report, the machine code.
std::string packed(const Cubin &cubin) {
  uint64_t reportBytes = cubin.report.size();
  std::string text(reinterpret_cast<const char *>(&reportBytes), sizeof reportBytes);
  return text + cubin.report + cubin.bytes;
}

std::optional<Cubin> unpacked(const std::string &text) {
  uint64_t reportBytes = 0;
  if (text.size() < sizeof reportBytes)
    return std::nullopt;
  std::memcpy(&reportBytes, text.data(), sizeof reportBytes);
  if (reportBytes > text.size() - sizeof reportBytes)
    return std::nullopt;
  Cubin cubin;
  cubin.report = text.substr(sizeof reportBytes, reportBytes);
  cubin.bytes = text.substr(sizeof reportBytes + reportBytes);
  return cubin;
}

} // namespace

Result<std::unique_ptr<Assembler>> Assembler::create(const CudaToolkit &toolkit, Kind kind) {
  Diagnostics diagnostics;
  if (kind != Kind::NvJitLink && !toolkit.ptxas.empty()) {
    Result<std::string> version = runProgram(toolkit.ptxas, {"--version"});
    if (version)
      return std::unique_ptr<Assembler>(new PtxasAssembler(toolkit.ptxas, *version));
    diagnostics.append(version.diagnostics());
  }
  if (kind != Kind::Ptxas && !toolkit.nvJitLink.empty()) {
    Result<NvJitLinkApi> api = loadNvJitLink(toolkit.nvJitLink);
    if (api)
      return std::unique_ptr<Assembler>(new NvJitLinkAssembler(*api));
    diagnostics.append(api.diagnostics());
  }
  if (diagnostics.empty()) {
    const char *missing = kind == Kind::NvJitLink ? "nvJitLink was not"
                          : kind == Kind::Ptxas   ? "ptxas was not"
                                                  : "neither ptxas nor nvJitLink was";
    diagnostics.add("CUDA toolkit", std::string(missing) + " found; " + toolkitHint());
  }
  return diagnostics;
}

Result<Cubin> Assembler::assemble(const std::string &ptx, const std::string &chip, const ObjectCache *cache) {
  std::string key = "cubin " + versionText + " " + chip + "\n" + ptx;
  std::optional<Cubin> cubin;
  if (cache)
    if (std::optional<std::string> stored = cache->find(key))
      cubin = unpacked(*stored);
  if (!cubin) {
    Result<Cubin> assembled = run(ptx, chip);
    if (!assembled)
      return assembled.diagnostics();
    // A cache that cannot be written only costs time.
    if (cache)
      (void)static_cast<bool>(cache->store(key, packed(*assembled)));
    cubin = std::move(*assembled);
  }
  cubin->kernels = parseResources(cubin->report);
  return std::move(*cubin);
}

Result<std::string> disassemble(const std::string &cubin, const CudaToolkit &toolkit) {
  if (toolkit.nvdisasm.empty())
    return errorAt("CUDA toolkit", "nvdisasm was not found; " + toolkitHint());
  Result<TemporaryFolder> folder = TemporaryFolder::create();
  if (!folder)
    return folder.diagnostics();
  std::string input = folder->file("kernels.cubin");
  if (Result<void> written = writeFile(input, cubin); !written)
    return written.diagnostics();
  return runProgram(toolkit.nvdisasm, {"-c", input});
}

std::string instructionMix(const std::string &sass) {
  std::map<std::string, std::map<std::string, int64_t>> counts;
  std::string kernel;
  for (StringRef line : llvm::split(sass, '\n')) {
    if (line.consume_front(".text.") && line.contains(':')) {
      kernel = line.split(':').first.str();
      continue;
    }
    // "        /*0010*/                   @!P0 LDG.E.128 R4, [R2.64] ;"
    line = line.ltrim();
    if (kernel.empty() || !line.consume_front("/*") || !line.contains("*/"))
      continue;
    line = line.split("*/").second.ltrim();
    if (line.starts_with("@"))
      line = line.split(' ').second.ltrim();
    StringRef opcode = line.split(' ').first.rtrim(';');
    if (!opcode.empty())
      ++counts[kernel][opcode.str()];
  }
  std::string text;
  for (const auto &[name, instructions] : counts)
    for (const auto &[opcode, count] : instructions)
      text += fmt::format("{}: {} {}\n", name, opcode, count);
  return text;
}

} // namespace proa::cuda
