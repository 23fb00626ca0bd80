#include "harness/reports/svg.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <vector>

#include "harness/codec/gate_figures.h"
#include "harness/reports/clock_figures.h"
#include "harness/reports/figures.h"
#include "harness/reports/gate_text.h"
#include "harness/reports/terminal.h"
#include "harness/reports/text.h"
#include "harness/reports/words.h"

namespace traceml {
namespace {

constexpr int kWidth = 880;
constexpr int kLeft = 16;  // of everything
constexpr int kRight = kWidth - 16;
constexpr int kGateHeight = 52;
constexpr int kArmHeight = 40;

// Colours that are told apart with any colour vision; the words say it all the same.
constexpr const char* kStyle = R"(<style>
.page { fill: #ffffff } text { font: 14px system-ui, sans-serif; fill: #1b1f24 }
.head { font-size: 20px; font-weight: 600 }
.dim { fill: #57606a; font-size: 12px }
.name { font-weight: 600 }
.pass { fill: #0b5cad }
.fail { fill: #b34700 }
.inconclusive { fill: #6b4fa0 }
.axis { stroke: #8c959f; stroke-width: 1 }
.margin { stroke: #1b1f24; stroke-width: 2; stroke-dasharray: 5 3 }
.bar { stroke-width: 6; stroke-linecap: round }
.bar.pass { stroke: #0b5cad }
.bar.fail { stroke: #b34700 }
.bar.inconclusive { stroke: #6b4fa0 }
.point { fill: #ffffff; stroke: #1b1f24; stroke-width: 2 }
.p0 { fill: #d55e00 }
.p1 { fill: #a67c00 }
.p2 { fill: #56b4e9 }
.p3 { fill: #8c8c8c }
.p4 { fill: #0072b2 }
.p5 { fill: #f0c05a }
.p6 { fill: #007a5a }
.p7 { fill: #b35c8f }
@media (prefers-color-scheme: dark) {
.page { fill: #0d1117 } text { fill: #e6edf3 }
.dim { fill: #9da7b3 }
.margin, .point { stroke: #e6edf3 }
.point { fill: #0d1117 }
.pass { fill: #6cb6ff }
.fail { fill: #ffa657 }
.inconclusive { fill: #d2a8ff }
.bar.pass { stroke: #6cb6ff }
.bar.fail { stroke: #ffa657 }
.bar.inconclusive { stroke: #d2a8ff }
}
</style>
)";

// A value's place between kLeft and kRight.
struct Scale {
  double from = 0, to = 1;
  double x(double value) const {
    const double share = to > from ? (value - from) / (to - from) : 0;
    return kLeft + std::clamp(share, 0.0, 1.0) * (kRight - kLeft);
  }
};

// 1, 2 or 5 times a power of ten: five to ten of them span `width`.
double tick_of(double width) {
  const double power = std::pow(10, std::floor(std::log10(width)) - 1);
  for (const double factor : {1.0, 2.0, 5.0, 10.0}) {
    if (width / (factor * power) <= 10) return factor * power;
  }
  return 10 * power;
}

std::vector<double> ticks_of(const Scale& scale) {
  const double tick = tick_of(scale.to - scale.from);
  std::vector<double> ticks;
  for (double n = std::ceil(scale.from / tick); n * tick <= scale.to; ++n) {
    ticks.push_back(n * tick);
  }
  return ticks;
}

// "+3.1 % wall per step [+2.4, +3.8]  allows < 2 %"
std::string figures_of(const GateText& text) {
  const std::string interval = text.interval == kNull ? "" : " " + text.interval;
  return text.estimate + interval + ", " + text.margin;
}

// "x" is what the text is anchored to: start, middle or end.
std::string text_at(double x, int y, std::string_view attributes, const std::string& text) {
  return fmt::format("<text x=\"{:.1f}\" y=\"{}\" {}>{}</text>\n", x, y, attributes,
                     xml_text(text));
}

std::string line_at(std::string_view style, double x1, double y1, double x2, double y2) {
  return fmt::format(
      "<line class=\"{}\" x1=\"{:.1f}\" y1=\"{:.1f}\" x2=\"{:.1f}\" y2=\"{:.1f}\"/>\n", style, x1,
      y1, x2, y2);
}

class Picture {
 public:
  explicit Picture(const ReportInput& input) : input_(input) {}

  std::string draw() {
    const std::string verdict = render_verdict_line(input_);
    add_text("head", shortened(plain_text(input_.plan.config.name), 84), 34);
    const std::string state = ended_early(input_.info) ? "fail"
                              : input_.summary.no_gates
                                  ? "dim"
                                  : std::string(name_of(input_.summary.outcome));
    add_text("name " + state, shortened(plain_text(verdict), 110), 24);
    add_gates();
    add_steps();
    y_ += 12;
    return fmt::format(
               "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {0} {1}\" width=\"{0}\" "
               "height=\"{1}\" role=\"img\">\n<title>{2}</title>\n{3}<rect class=\"page\" "
               "width=\"{0}\" height=\"{1}\"/>\n",
               kWidth, y_, xml_text(input_.plan.config.name + ": " + verdict), kStyle) +
           body_ + "</svg>\n";
  }

 private:
  void add_text(const std::string& style, const std::string& text, int height) {
    y_ += height;
    body_ += text_at(kLeft, y_, fmt::format("class=\"{}\"", style), text);
  }

  // Of all gates, as changes of the time per step: their intervals, margins and zero.
  Scale scale_of_gates() const {
    Scale scale{0, 0};
    const auto take = [&](double theta) {
      scale.from = std::min(scale.from, std::expm1(theta));
      scale.to = std::max(scale.to, std::expm1(theta));
    };
    for (const GateResult& gate : input_.summary.gates) {
      take(std::log1p(gate.spec.delta));
      if (gate.theta) take(*gate.theta);
      if (gate.interval) take(gate.interval->lower), take(gate.interval->upper);
    }
    const double edge = 0.04 * std::max(scale.to - scale.from, 1e-6);
    return {scale.from - edge, scale.to + edge};
  }

  void add_gates() {
    if (input_.summary.gates.empty()) return;
    const Scale scale = scale_of_gates();
    const std::vector<GateText> texts = gate_texts(input_);
    const std::vector<const GateResult*> gates = worst_first(input_.summary);
    y_ += 12;
    for (std::size_t i = 0; i < gates.size(); ++i) body_ += gate_row(texts[i], *gates[i], scale);
    add_axis(scale);
    add_text("dim",
             input_.plan.facts.commands
                 ? "Change of a launch's cost against the baseline, %; right is worse. Bar: the "
                   "interval that decides; dashed: the margin."
                 : "Change of the wall time per step against the baseline, %; right is slower. "
                   "Bar: the interval that decides; dashed: the margin.",
             32);
  }

  void add_axis(const Scale& scale) {
    const double tick = tick_of(scale.to - scale.from);
    const int decimals = std::max(0, -static_cast<int>(std::floor(std::log10(tick * 100) + 1e-9)));
    for (const double value : ticks_of(scale)) {
      body_ += text_at(scale.x(value), y_ + 18, "class=\"dim\" text-anchor=\"middle\"",
                       value == 0 ? "0 %" : signed_percent(value, decimals) + " %");
    }
  }

  std::string gate_row(const GateText& text, const GateResult& gate, const Scale& scale) {
    const std::string outcome(name_of(gate.outcome));
    std::string row;
    const int words = y_ + 18;
    row += fmt::format(
        "<text x=\"{}\" y=\"{}\"><tspan class=\"name {}\">{}</tspan><tspan class=\"name\" "
        "dx=\"8\">{}"
        "</tspan><tspan dx=\"8\">{}</tspan></text>\n",
        kLeft, words, outcome, text.outcome, xml_text(shortened(plain_text(text.name), 46)),
        xml_text(shortened(plain_text(figures_of(text)), 70)));
    const double y = y_ + 36;
    const double margin = scale.x(gate.spec.delta);
    for (const double tick : ticks_of(scale)) {
      row += line_at("axis", scale.x(tick), y - 10, scale.x(tick), y + 10);
    }
    row += line_at("margin", margin, y - 10, margin, y + 10);
    if (gate.interval) {
      row += line_at("bar " + outcome, scale.x(std::expm1(gate.interval->lower)), y,
                     scale.x(std::expm1(gate.interval->upper)), y);
    }
    if (gate.theta) {
      row += fmt::format("<circle class=\"point\" cx=\"{:.1f}\" cy=\"{:.1f}\" r=\"5\"/>\n",
                         scale.x(std::expm1(*gate.theta)), y);
    }
    y_ += kGateHeight;
    return row;
  }

  void add_steps() {
    std::vector<const ArmSummary*> arms;
    double longest = 0;
    for (const ArmSummary& arm : input_.summary.arms) {
      const auto step = arm.clock ? step_on(arm.global, *arm.clock) : std::nullopt;
      if (arm.hidden || !step) continue;
      arms.push_back(&arm);
      longest = std::max(longest, step->count());
    }
    if (arms.empty()) return;
    add_text("name", "Time per step by phase, ms, mean of ranks and steps", 36);
    std::array<bool, kPhaseCount> seen{};
    for (const ArmSummary* arm : arms) add_arm(*arm, {0, longest}, &seen);
    add_legend(seen);
  }

  void add_arm(const ArmSummary& arm, const Scale& scale, std::array<bool, kPhaseCount>* seen) {
    const Millis step = *step_on(arm.global, *arm.clock);
    const auto images = arm.images_per_s ? fmt::format(", {:.0f} images/s", *arm.images_per_s) : "";
    add_text("",
             fmt::format("{}: {} ({}){}", shortened(plain_text(arm.name), 60),
                         ms(step, decimals_for(step)), clock_name(*arm.clock), images),
             22);
    double at = 0;
    for (const Phase phase : kAllPhases) {
      const auto time = phase_on(arm.global, phase, *arm.clock);
      if (phase == Phase::kTraced || !time) continue;
      (*seen)[index_of(phase)] = true;
      body_ += fmt::format(
          "<rect class=\"p{}\" x=\"{:.1f}\" y=\"{}\" width=\"{:.1f}\" height=\"14\"/>\n",
          index_of(phase), scale.x(at), y_ + 5, scale.x(at + time->count()) - scale.x(at));
      at += time->count();
    }
    y_ += kArmHeight - 18;
  }

  void add_legend(const std::array<bool, kPhaseCount>& seen) {
    y_ += 18;
    double x = kLeft;
    for (const Phase phase : kAllPhases) {
      if (!seen[index_of(phase)]) continue;
      body_ +=
          fmt::format("<rect class=\"p{}\" x=\"{:.1f}\" y=\"{}\" width=\"12\" height=\"12\"/>\n",
                      index_of(phase), x, y_ - 10);
      body_ += text_at(x + 16, y_, "class=\"dim\"", std::string(name_of(phase)));
      x += 36 + 7.0 * static_cast<double>(name_of(phase).size());
    }
  }

  const ReportInput& input_;
  int y_ = 0;  // of what was drawn last
  std::string body_;
};

}  // namespace

std::string render_svg(const ReportInput& input) {
  return Picture(input).draw();
}

}  // namespace traceml
