// Calls of libdevice to calls of libm.
#include "passes/emulate-gpu/ThreadCode.h"

#include "llvm/ADT/StringSet.h"
#include "llvm/ADT/StringSwitch.h"

using namespace mlir;

namespace proa {

/// Functions with the same arguments and result in libdevice (`__nv_` before the name) and libm, by their
/// names for double; `f` follows for float.
static const llvm::StringSet<> &libmFunctions() {
  static const llvm::StringSet<> names{
      "acos",  "acosh", "asin",  "asinh", "atan", "atan2", "atanh",     "cbrt",      "ceil",      "copysign",
      "cos",   "cosh",  "erf",   "erfc",  "exp",  "exp10", "exp2",      "expm1",     "fabs",      "fdim",
      "floor", "fma",   "fmax",  "fmin",  "fmod", "hypot", "j0",        "j1",        "ldexp",     "lgamma",
      "log",   "log10", "log1p", "log2",  "logb", "pow",   "nearbyint", "nextafter", "remainder", "rint",
      "round", "sin",   "sinh",  "sqrt",  "tan",  "tanh",  "tgamma",    "trunc",     "y0",        "y1"};
  return names;
}

/// The emulator's functions for others.
static StringRef emulatorFunction(StringRef name) {
  return llvm::StringSwitch<StringRef>(name)
      .Cases({"__nv_rsqrt", "__nv_drsqrt"}, "proa_emulate_rsqrt")
      .Case("__nv_rsqrtf", "proa_emulate_rsqrtf")
      .Case("__nv_drcp_rn", "proa_emulate_rcp")
      .Case("__nv_frcp_rn", "proa_emulate_rcpf")
      .Case("__nv_powi", "proa_emulate_powi")
      .Case("__nv_powif", "proa_emulate_powif")
      .Default("");
}

static std::string hostFunction(StringRef name) {
  if (StringRef own = emulatorFunction(name); !own.empty())
    return own.str();
  StringRef base = name;
  if (!base.consume_front("__nv_"))
    return "";
  base.consume_front("fast_");
  StringRef inDouble = base;
  if (libmFunctions().contains(base) || (inDouble.consume_back("f") && libmFunctions().contains(inDouble)))
    return base.str();
  return llvm::StringSwitch<StringRef>(base)
      .Case("fsqrt_rn", "sqrtf")
      .Case("dsqrt_rn", "sqrt")
      .Case("fmaf_rn", "fmaf")
      .Case("fma_rn", "fma")
      .Default("")
      .str();
}

LogicalResult emulateCall(LLVM::CallOp call, ThreadCode &code) {
  auto module = call->getParentOfType<ModuleOp>();
  std::optional<StringRef> name = call.getCallee();
  if (!name)
    return call.emitOpError("calls through a pointer, which the emulator does not support");
  if (name->starts_with("proa_emulate_"))
    return success();
  auto callee = module.lookupSymbol<LLVM::LLVMFuncOp>(*name);
  if (callee && !callee.isExternal())
    return call.emitOpError() << "calls '" << *name << "', expected that functions are inlined";
  std::string host = hostFunction(*name);
  if (host.empty())
    return call.emitOpError() << "calls '" << *name << "', which has no equivalent on the host";
  if (callee && !module.lookupSymbol(host)) {
    OpBuilder builder(callee);
    LLVM::LLVMFuncOp::create(builder, callee.getLoc(), host, callee.getFunctionType());
  }
  call.setCallee(host);
  return success();
}

} // namespace proa
