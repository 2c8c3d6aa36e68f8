/// The files of `page/`.
#pragma once

namespace proa::picture {

extern const char *const pageHtml; ///< with the placeholders {{title}}, {{css}}, {{data}} and {{js}}
extern const char *const pageCss;
extern const char *const pageJs;

} // namespace proa::picture
