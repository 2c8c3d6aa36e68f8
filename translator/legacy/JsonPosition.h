/// Finds where JSON text is damaged.
#pragma once

#include <string>
#include <string_view>

namespace proa::legacy::json {

/// "line 3, column 14 (byte 57): unexpected end of input; expected ..."; `otherwise` where the text has no
/// damage.
std::string describeDamage(std::string_view text, std::string_view otherwise);

} // namespace proa::legacy::json
