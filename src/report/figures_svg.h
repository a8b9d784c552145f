#pragma once

#include <string>
#include <vector>

// A small writer of SVG for charts on white paper: shapes, texts, axes. Coordinates are pixels from the top
// left corner.
namespace atcav::report {

struct Point {
  double x = 0;
  double y = 0;
};

namespace colour {
inline constexpr const char* kInk = "#1c2024";
inline constexpr const char* kMuted = "#5a626b";
inline constexpr const char* kLine = "#dedbd4";
inline constexpr const char* kFor = "#0a6a9c";
inline constexpr const char* kAgainst = "#b3450f";
inline constexpr const char* kNone = "#7b828a";
}  // namespace colour
// Colours that those who see few can tell apart too; from the seventh on they repeat.
const char* series_colour(std::size_t index);

// Values onto pixels: `low` at `from`, `high` at `to`, evenly or by their logarithm.
struct Scale {
  double low = 0;
  double high = 1;
  double from = 0;
  double to = 1;
  bool logarithmic = false;
  double operator()(double value) const;
};
// Round values within the scale, about `most` of them; powers of ten where it is logarithmic.
std::vector<double> ticks(const Scale& scale, int most);
// From the least to the greatest of the values and a little beyond. Values that are not finite do not count;
// where there is nothing to see it is -1 to 1.
Scale scale_over(std::vector<double> values, double from, double to);

// "2", "−0.5": a number with a true minus sign.
std::string tick_text(double value);

enum class Anchor { kStart, kMiddle, kEnd };

class Svg {
 public:
  // `title` is shown; both are read aloud.
  Svg(double width, double height, const std::string& title, const std::string& description);

  void line(Point a, Point b, const char* stroke, double width = 1);
  void rectangle(Point corner, double width, double height, const char* fill);
  // Hollow: the outline alone.
  void dot(Point centre, const char* fill, bool hollow = false);
  void curve(const std::vector<Point>& points, const char* stroke, bool dashed = false);
  // Between two curves, lightly.
  void band(const std::vector<Point>& upper, const std::vector<Point>& lower, const char* fill);
  void text(Point at, const std::string& text, Anchor anchor = Anchor::kStart,
            const char* fill = colour::kInk, double size = 12);
  // A line at the bottom or left with ticks, their numbers and a name; faint lines through the chart up to
  // `far`.
  void x_axis(const Scale& scale, double y, double far, const std::string& name);
  void y_axis(const Scale& scale, double x, double far, const std::string& name);

  std::string finish() const;

 private:
  std::string body_;
};

}  // namespace atcav::report
