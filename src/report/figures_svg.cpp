#include "report/figures_svg.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "atcav/version.h"
#include "report/escape.h"

namespace atcav::report {
namespace {

constexpr double kMargin = 0.06;  // of the range, on both sides

std::string path_of(const std::vector<Point>& points) {
  std::string path;
  for (const Point& point : points)
    path += fmt::format("{}{:.2f},{:.2f}", path.empty() ? "" : " ", point.x, point.y);
  return path;
}

// 1, 2 or 5 times a power of ten, so that about `most` steps fill the range.
double round_step(double range, int most) {
  const double rough = range / most;
  const double power = std::pow(10, std::floor(std::log10(rough)));
  for (const double factor : {1.0, 2.0, 5.0}) {
    if (factor * power >= rough) return factor * power;
  }
  return 10 * power;
}

}  // namespace

const char* series_colour(std::size_t index) {
  constexpr std::array kColours = {"#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00", "#56b4e9"};
  return kColours[index % kColours.size()];
}

double Scale::operator()(double value) const {
  const double share =
      logarithmic ? std::log(value / low) / std::log(high / low) : (value - low) / (high - low);
  return from + share * (to - from);
}

std::vector<double> ticks(const Scale& scale, int most) {
  std::vector<double> values;
  if (scale.logarithmic) {
    for (double value = std::pow(10, std::ceil(std::log10(scale.low) - 1e-9));
         value <= scale.high * (1 + 1e-9); value *= 10)
      values.push_back(value);
    return values;
  }
  const double step = round_step(scale.high - scale.low, most);
  for (double i = std::ceil(scale.low / step - 1e-9); i * step <= scale.high + 1e-9 * step; ++i)
    values.push_back(i == 0 ? 0 : i * step);
  return values;
}

Scale scale_over(std::vector<double> values, double from, double to) {
  std::erase_if(values, [](double value) { return !std::isfinite(value); });
  if (values.empty()) return {-1, 1, from, to};
  const auto [least, greatest] = std::ranges::minmax_element(values);
  const double range = *greatest - *least;
  if (range <= 0) return {*least - 1, *least + 1, from, to};
  return {*least - kMargin * range, *greatest + kMargin * range, from, to};
}

std::string tick_text(double value) { return fmt::format("{}{:g}", value < 0 ? "−" : "", std::abs(value)); }

Svg::Svg(double width, double height, const std::string& title, const std::string& description) {
  body_ = fmt::format(
      "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{0:g}\" height=\"{1:g}\" viewBox=\"0 0 {0:g} "
      "{1:g}\" "
      "role=\"img\" font-family=\"Helvetica, Arial, sans-serif\">\n<!-- Written by atcav {2}. "
      "-->\n<title>{3}</title>\n"
      "<desc>{4}</desc>\n<rect width=\"100%\" height=\"100%\" fill=\"#ffffff\"/>\n",
      width, height, kVersion, escape_html(title), escape_html(description));
  text({20, 28}, title, Anchor::kStart, colour::kInk, 16);
  text({20, 47}, description, Anchor::kStart, colour::kMuted);
}

void Svg::line(Point a, Point b, const char* stroke, double width) {
  body_ += fmt::format(
      "<line x1=\"{:.2f}\" y1=\"{:.2f}\" x2=\"{:.2f}\" y2=\"{:.2f}\" stroke=\"{}\" stroke-width=\"{:g}\"/>\n",
      a.x, a.y, b.x, b.y, stroke, width);
}

void Svg::rectangle(Point corner, double width, double height, const char* fill) {
  body_ += fmt::format("<rect x=\"{:.2f}\" y=\"{:.2f}\" width=\"{:.2f}\" height=\"{:.2f}\" fill=\"{}\"/>\n",
                       corner.x, corner.y, width, height, fill);
}

void Svg::dot(Point centre, const char* fill, bool hollow) {
  body_ += fmt::format(
      "<circle cx=\"{:.2f}\" cy=\"{:.2f}\" r=\"4\" fill=\"{}\" stroke=\"{}\" stroke-width=\"1.5\"/>\n",
      centre.x, centre.y, hollow ? "#ffffff" : fill, fill);
}

void Svg::curve(const std::vector<Point>& points, const char* stroke, bool dashed) {
  body_ += fmt::format("<polyline points=\"{}\" fill=\"none\" stroke=\"{}\" stroke-width=\"2\"{}/>\n",
                       path_of(points), stroke, dashed ? " stroke-dasharray=\"5 4\"" : "");
}

void Svg::band(const std::vector<Point>& upper, const std::vector<Point>& lower, const char* fill) {
  std::vector<Point> outline = upper;
  outline.insert(outline.end(), lower.rbegin(), lower.rend());
  body_ +=
      fmt::format("<polygon points=\"{}\" fill=\"{}\" fill-opacity=\"0.18\"/>\n", path_of(outline), fill);
}

void Svg::text(Point at, const std::string& text, Anchor anchor, const char* fill, double size) {
  const char* word = anchor == Anchor::kStart ? "start" : anchor == Anchor::kEnd ? "end" : "middle";
  body_ += fmt::format(
      "<text x=\"{:.2f}\" y=\"{:.2f}\" font-size=\"{:g}\" text-anchor=\"{}\" fill=\"{}\">{}</text>\n", at.x,
      at.y, size, word, fill, escape_html(text));
}

void Svg::x_axis(const Scale& scale, double y, double far, const std::string& name) {
  for (const double value : ticks(scale, 6)) {
    line({scale(value), y}, {scale(value), far}, value == 0 ? colour::kNone : colour::kLine);
    text({scale(value), y + 16}, tick_text(value), Anchor::kMiddle, colour::kMuted, 11);
  }
  line({scale.from, y}, {scale.to, y}, colour::kNone);
  text({(scale.from + scale.to) / 2, y + 34}, name, Anchor::kMiddle, colour::kMuted);
}

void Svg::y_axis(const Scale& scale, double x, double far, const std::string& name) {
  for (const double value : ticks(scale, 6)) {
    line({x, scale(value)}, {far, scale(value)}, value == 0 ? colour::kNone : colour::kLine);
    text({x - 6, scale(value) + 4}, tick_text(value), Anchor::kEnd, colour::kMuted, 11);
  }
  line({x, scale.from}, {x, scale.to}, colour::kNone);
  text({x - 6, std::min(scale.from, scale.to) - 10}, name, Anchor::kStart, colour::kMuted);
}

std::string Svg::finish() const { return body_ + "</svg>\n"; }

}  // namespace atcav::report
