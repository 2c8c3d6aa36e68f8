// proa-ptx: compiles a device module to PTX or machine code for a CUDA chip.
#include "dialects/proa/Proa.h"
#include "lib/base/support/DiagnosticCollector.h"
#include "lib/base/support/Files.h"
#include "lib/compiler/codegen/cuda/CompileDevice.h"
#include "tools/common/CommandLine.h"

#include "mlir/IR/MLIRContext.h"
#include "mlir/Parser/Parser.h"

#include <map>

using namespace proa;
using namespace proa::tools;

namespace {

struct Options {
  static constexpr const char *ptx = "ptx", *llvm = "llvm", *host = "host", *resources = "resources",
                              *report = "report", *sass = "sass", *mix = "mix", *cubin = "cubin";
  std::string input, output = "-", emit = ptx, chip = "sm_90a";
  cuda::Assembler::Kind assembler = cuda::Assembler::Kind::Any;
  std::optional<int64_t> maxRegisters, maxShared;
  bool check = false, toolkit = false, force = false;
};

void declare(CommandLine &line, Options &options) {
  using Kind = cuda::Assembler::Kind;
  line.add_option("module", options.input,
                  "IR file of a device module: LLVM dialect and NVVM ops; '-': stdin")
      ->type_name("FILE");
  line.add_option("-o,--output", options.output, "Output file; default: stdout")
      ->check(checkName)
      ->type_name("FILE");
  line.add_option("--emit", options.emit,
                  "ptx; llvm: optimized LLVM IR; host: the functions that run on the host; resources: "
                  "registers, shared memory and spills of each kernel; report: the assembler's output; "
                  "sass; mix: number of instructions by opcode; cubin")
      ->check(CLI::IsMember({Options::ptx, Options::llvm, Options::host, Options::resources, Options::report,
                             Options::sass, Options::mix, Options::cubin}))
      ->capture_default_str();
  std::vector<std::string> chips;
  for (const cuda::ChipInfo &chip : cuda::knownChips())
    chips.push_back(chip.name);
  line.add_option("--chip", options.chip, "The chip that code is generated for")
      ->check(CLI::IsMember(chips))
      ->capture_default_str();
  line.add_option("--assembler", options.assembler, "nvjitlink: in process; ptxas: child process")
      ->transform(oneOf<Kind>({{"any", Kind::Any}, {"nvjitlink", Kind::NvJitLink}, {"ptxas", Kind::Ptxas}}));
  line.add_flag(
      "--check", options.check,
      "Fails on a spill, a stack frame or a note C75xx of a kernel, or a block that does not fit the chip");
  line.add_option("--max-registers", options.maxRegisters, "With --check: registers per thread")
      ->type_name("N");
  line.add_option("--max-shared", options.maxShared, "With --check: bytes of static shared memory")
      ->type_name("BYTES");
  line.add_flag("--toolkit", options.toolkit, "Prints which components of a CUDA toolkit were found");
  line.add_flag("-f,--force", options.force, "Writes binary data even to a terminal");
}

std::string textOf(mlir::ModuleOp module) {
  std::string text;
  llvm::raw_string_ostream stream(text);
  module.print(stream);
  return text + "\n";
}

/// --check of the assembled kernels of `device`.
Result<void> check(const Options &options, const cuda::ChipInfo &chip, mlir::ModuleOp device,
                   const cuda::Cubin &cubin) {
  cuda::ResourceBudget budget;
  budget.registers = options.maxRegisters.value_or(budget.registers);
  budget.sharedBytes = options.maxShared.value_or(budget.sharedBytes);
  Diagnostics diagnostics = cuda::checkResources(cubin.kernels, budget).diagnostics();
  for (const cuda::KernelResources &kernel : cubin.kernels) {
    Result<cuda::BlockSize> block = cuda::blockOf(device.lookupSymbol(kernel.symbol));
    diagnostics.append(block ? cuda::checkBlock(kernel, *block, gpuOf(device, chip.name)).diagnostics()
                             : block.diagnostics());
  }
  return diagnostics;
}

/// The output that is requested of the assembled PTX of `device`.
Result<std::string> assembled(const Options &options, const cuda::CudaToolkit &toolkit,
                              const cuda::ChipInfo &chip, mlir::ModuleOp device, const std::string &ptx) {
  Result<std::unique_ptr<cuda::Assembler>> assembler = cuda::Assembler::create(toolkit, options.assembler);
  if (!assembler)
    return assembler.diagnostics();
  Result<cuda::Cubin> cubin = (*assembler)->assemble(ptx, options.chip);
  if (!cubin)
    return cubin.diagnostics();
  if (options.check)
    if (Result<void> checked = check(options, chip, device, *cubin); !checked)
      return checked.diagnostics();
  if (options.emit == Options::report)
    return cubin->report;
  if (options.emit == Options::resources)
    return cuda::resourcesText(cubin->kernels);
  if (options.emit == Options::cubin)
    return cubin->bytes;
  if (options.emit != Options::sass && options.emit != Options::mix)
    return ptx;
  Result<std::string> sass = cuda::disassemble(cubin->bytes, toolkit);
  return sass && options.emit == Options::mix ? Result<std::string>(cuda::instructionMix(*sass)) : sass;
}

Result<std::string> compile(const Options &options) {
  cuda::CudaToolkit toolkit = cuda::CudaToolkit::find();
  if (options.toolkit)
    return toolkit.text();
  Result<std::string> text = readFile(options.input);
  if (!text)
    return text.diagnostics();
  mlir::DialectRegistry registry;
  cuda::registerDeviceDialects(registry);
  mlir::MLIRContext context(registry);
  context.allowUnregisteredDialects(false);
  DiagnosticCollector diagnostics(&context);
  auto module = mlir::parseSourceString<mlir::ModuleOp>(*text, &context, options.input);
  if (!module)
    return diagnostics.take(options.input + " cannot be parsed");
  Result<cuda::SplitModule> split = cuda::splitHostFunctions(*module);
  if (!split)
    return split.diagnostics();
  if (options.emit == Options::host)
    return textOf(*split->host);
  Result<cuda::ChipInfo> chip = cuda::chipNamed(options.chip);
  if (!chip)
    return chip.diagnostics();
  Result<cuda::PtxCode> code = cuda::emitPtx(*split->device, *chip, toolkit, options.emit == Options::llvm);
  if (!code)
    return code.diagnostics();
  if (options.emit == Options::llvm)
    return code->llvmIr;
  if (options.emit == Options::ptx && !options.check)
    return code->ptx;
  return assembled(options, toolkit, *chip, *split->device, code->ptx);
}

} // namespace

int main(int argc, char **argv) {
  Options options;
  CommandLine line("proa-ptx",
                   "Compiles a device module to PTX or machine code for a CUDA chip. Needs no device.",
                   "  proa-ptx kernels.mlir --chip=sm_80\n"
                   "  proa-ptx kernels.mlir --emit=resources --check --max-registers=128\n"
                   "  proa-ptx kernels.mlir --emit=mix\n"
                   "  proa-ptx --toolkit\n");
  declare(line, options);
  if (std::optional<int> code = line.read(argc, argv))
    return *code;
  if (options.input.empty() != options.toolkit)
    return failCommandLine(line, options.toolkit ? "--toolkit takes no module" : "module is required");
  if ((options.maxRegisters || options.maxShared) && !options.check)
    return failCommandLine(line, "--max-registers and --max-shared require --check");
  if (options.emit == Options::cubin)
    if (std::string wrong = checkBinaryOutput(options.output, options.force); !wrong.empty())
      return failCommandLine(line, wrong);
  options.input = inputPath(options.input);
  return runTool(line, [&] {
    Result<std::string> text = compile(options);
    if (!text)
      return fail(text.diagnostics());
    Result<void> written = writeOutput(options.output, *text);
    return written ? finishOutput(ExitCode::success) : fail(written.diagnostics());
  });
}
