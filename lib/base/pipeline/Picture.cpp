//! Draws schedules.
#include "lib/base/pipeline/Picture.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

namespace proa::pipeline {
namespace {

constexpr double left = 70, top = 56, width = 1200, jobHeight = 24, memoryHeight = 20, rowHeight = 54;

constexpr std::string_view updateColor = "#956cb4";

/// Jobs narrower than this have no text.
constexpr double leastTextWidth = 18;

std::string escaped(const std::string &text) {
  std::string out;
  for (char c : text)
    out += c == '<' ? "&lt;" : c == '>' ? "&gt;" : c == '&' ? "&amp;" : std::string(1, c);
  return out;
}

class Drawing {
public:
  Drawing(const Schedule &schedule, const Timeline &timeline)
      : schedule(schedule), timeline(timeline), scale(timeline.makespan > 0 ? width / timeline.makespan : 0) {
  }

  std::string draw(const std::string &title) {
    double height = top + rowHeight * static_cast<double>(schedule.jobs.size()) + 30;
    add(R"svg(<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {:.0f} {:.0f}" font-family="sans-serif" )svg"
        R"svg(font-size="11">)svg",
        left + width + 60, height);
    add(R"svg(<defs><pattern id="idle" width="6" height="6" patternUnits="userSpaceOnUse" )svg"
        R"svg(patternTransform="rotate(45)"><rect width="6" height="6" fill="#f4f4f4"/>)svg"
        R"svg(<line x1="0" y1="0" x2="0" y2="6" stroke="#bbbbbb" stroke-width="2"/></pattern></defs>)svg");
    add(R"svg(<rect width="100%" height="100%" fill="white"/>)svg");
    add(R"svg(<text x="{}" y="20" font-size="14">{}</text>)svg", left, escaped(title));
    drawLegend();
    for (size_t rank = 0; rank < schedule.jobs.size(); ++rank)
      drawRank(rank, top + rowHeight * static_cast<double>(rank));
    add(R"svg(<text x="{}" y="{:.0f}">0</text><text x="{:.0f}" y="{:.0f}" text-anchor="end">time {:.6g}</text>)svg",
        left, height - 12, left + width, height - 12, timeline.makespan);
    return out + "</svg>\n";
  }

private:
  template <class... Arguments> void add(fmt::format_string<Arguments...> format, Arguments &&...arguments) {
    out += fmt::format(format, std::forward<Arguments>(arguments)...) + "\n";
  }

  static std::string_view colorOf(JobKind kind) {
    constexpr std::array<std::string_view, 4> colors{"#4878cf", "#ee854a", "#6acc64", "#d65f5f"};
    return colors[static_cast<uint8_t>(kind)];
  }

  double x(double time) const { return left + time * scale; }

  void drawLegend() {
    constexpr std::array<std::string_view, 4> names{"forward", "input gradient", "weight gradient",
                                                    "backward"};
    double at = left;
    for (size_t kind = 0; kind < names.size(); ++kind, at += 130)
      add(R"svg(<rect x="{:.0f}" y="30" width="12" height="12" fill="{}"/><text x="{:.0f}" y="40">{}</text>)svg",
          at, colorOf(static_cast<JobKind>(kind)), at + 17, names[kind]);
    if (std::ranges::any_of(timeline.updates, [](const JobSpan &span) { return span.end > span.begin; })) {
      add(R"svg(<rect x="{:.0f}" y="30" width="12" height="12" fill="{}"/><text x="{:.0f}" y="40">update</text>)svg",
          at, updateColor, at + 17);
      at += 130;
    }
    add(R"svg(<rect x="{:.0f}" y="30" width="12" height="12" fill="url(#idle)"/>)svg"
        R"svg(<text x="{:.0f}" y="40">idle</text>)svg",
        at, at + 17);
    add(R"svg(<line x1="{:.0f}" y1="36" x2="{:.0f}" y2="36" stroke="#555555"/>)svg"
        R"svg(<text x="{:.0f}" y="40">activations</text>)svg",
        at + 70, at + 90, at + 95);
  }

  void drawRank(size_t rank, double y) {
    add(R"svg(<g><text x="8" y="{:.0f}">rank {}</text>)svg", y + 16, rank);
    add(R"svg(<rect class="idle" x="{}" y="{:.0f}" width="{}" height="{}" fill="url(#idle)"/>)svg", left, y,
        width, jobHeight);
    for (size_t i = 0; i < timeline.spans[rank].size(); ++i)
      drawJob(schedule.jobs[rank][i], timeline.spans[rank][i], y);
    if (const JobSpan &update = timeline.updates[rank]; update.end > update.begin)
      drawUpdate(update, y);
    drawMemory(rank, y + jobHeight + 2);
    add("</g>");
  }

  void drawJob(const Job &job, const JobSpan &span, double y) {
    std::string name = textOf(job, schedule.shape.chunks);
    double size = (span.end - span.begin) * scale;
    double opacity = schedule.shape.chunks == 1 ? 1
                                                : 1 - 0.6 * static_cast<double>(job.chunk) /
                                                          static_cast<double>(schedule.shape.chunks);
    add(R"svg(<rect x="{:.2f}" y="{:.0f}" width="{:.2f}" height="{}" fill="white"/>)svg", x(span.begin), y,
        size, jobHeight);
    add(R"svg(<rect x="{:.2f}" y="{:.0f}" width="{:.2f}" height="{}" fill="{}" fill-opacity="{:.2f}" )svg"
        R"svg(stroke="white" stroke-width="0.5"><title>{}: {:.6g} to {:.6g}</title></rect>)svg",
        x(span.begin), y, size, jobHeight, colorOf(job.kind), opacity, name, span.begin, span.end);
    if (size >= leastTextWidth)
      add(R"svg(<text x="{:.2f}" y="{:.0f}" text-anchor="middle" pointer-events="none">{}</text>)svg",
          x((span.begin + span.end) / 2), y + 16, size >= 34 ? name : std::to_string(job.microBatch));
  }

  void drawUpdate(const JobSpan &span, double y) {
    add(R"svg(<rect x="{:.2f}" y="{:.0f}" width="{:.2f}" height="{}" fill="{}"><title>update: {:.6g} to {:.6g})svg"
        R"svg(</title></rect>)svg",
        x(span.begin), y, (span.end - span.begin) * scale, jobHeight, updateColor, span.begin, span.end);
  }

  void drawMemory(size_t rank, double y) {
    double largest = std::max(*std::ranges::max_element(timeline.peak), 1e-30);
    auto height = [&](double amount) { return y + memoryHeight * (1 - amount / largest); };
    std::string path = fmt::format("M {} {:.2f}", left, height(0));
    for (const MemoryPoint &point : timeline.memory[rank])
      path += fmt::format(" H {:.2f} V {:.2f}", x(point.time), height(point.amount));
    add(R"svg(<path class="memory" d="{} H {}" fill="none" stroke="#555555"/>)svg", path, left + width);
    add(R"svg(<text x="{}" y="{:.0f}">{:.6g}</text>)svg", left + width + 6, y + 14, timeline.peak[rank]);
  }

  const Schedule &schedule;
  const Timeline &timeline;
  double scale;
  std::string out;
};

} // namespace

std::string drawSchedule(const Schedule &schedule, const Timeline &timeline, const std::string &title) {
  return Drawing(schedule, timeline).draw(title);
}

} // namespace proa::pipeline
