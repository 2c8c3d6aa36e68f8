#include "tools/common/Target.h"

namespace proa::tools {

CLI::Option *declareAmp(CLI::App &line, AmpChoice &choice) {
  CLI::Option *amp =
      line.add_option("--amp", choice.level,
                      "Computes in 16 bits what is safe in them: O1 the products, O2 nearly all")
          ->check(CLI::IsMember({"O1", "O2"}));
  line.add_flag("--bf16", choice.bfloat16, "The 16 bits are bfloat16, not float16")->needs(amp);
  return amp;
}

std::optional<AmpOptions> ampOf(const AmpChoice &choice) {
  if (choice.level.empty())
    return std::nullopt;
  return AmpOptions{.level = choice.level == "O1" ? AmpOptions::Level::O1 : AmpOptions::Level::O2,
                    .dtype = choice.bfloat16 ? DType::BFloat16 : DType::Float16};
}

CLI::Option *declareCpu(CLI::App &line, std::string &cpu) {
  return line
      .add_option(
          "--cpu", cpu,
          "The CPU that kernels are compiled for, as LLVM names it (x86-64-v3, znver4); default: this "
          "machine's")
      ->check(checkName)
      ->type_name("NAME");
}

} // namespace proa::tools
