#include "data/table/label_table.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <limits>
#include <string_view>
#include <unordered_map>

#include "core/utf8.h"
#include "data/file/fail.h"

namespace atcav::data {
namespace {

constexpr std::string_view kFunction = "read_labels";

struct Cell {
  std::string text;
  bool quoted = false;
};

// Cuts text into lines of cells.
class Cells {
 public:
  Cells(std::string text, std::string file) : text_(std::move(text)), file_(std::move(file)) {
    if (text_.starts_with("\xEF\xBB\xBF")) at_ = 3;
    if (text_.starts_with("\xFF\xFE") || text_.starts_with("\xFE\xFF"))
      fail_file(kFunction, file_, "is UTF-16, must be UTF-8");
    check_characters();
    separator_ = separator_of_header();
  }

  // The next line that is not empty; false at the end.
  bool next(std::vector<Cell>& cells) {
    while (at_ < text_.size()) {
      read_line(cells);
      if (cells.size() > 1 || !cells.front().text.empty()) return true;
    }
    return false;
  }
  Index line() const { return line_; }  // where the last line began, from 1

 private:
  void check_characters() const {
    Index line = 1;
    for (std::size_t i = at_; i < text_.size();) {
      const std::size_t length = utf8_length(std::string_view(text_).substr(i, 4));
      if (length == 0 || text_[i] == 0)
        fail_file(kFunction, file_, "line {} is not text in UTF-8; save the table as CSV UTF-8", line);
      if (text_[i] == '\n') ++line;
      i += length;
    }
  }

  char separator_of_header() const {
    bool quoted = false;
    for (std::size_t i = at_; i < text_.size() && (quoted || (text_[i] != '\n' && text_[i] != '\r')); ++i) {
      if (text_[i] == '"') quoted = !quoted;
      if (!quoted && (text_[i] == ',' || text_[i] == ';' || text_[i] == '\t')) return text_[i];
    }
    return ',';
  }

  bool ends(char c) const { return c == '\n' || c == '\r'; }

  void read_line(std::vector<Cell>& cells) {
    line_ = next_line_++;
    std::size_t count = 0;
    while (true) {
      if (count == cells.size()) cells.emplace_back();
      read_cell(cells[count++]);
      if (at_ == text_.size() || text_[at_] != separator_) break;
      ++at_;
    }
    cells.resize(count);
    if (at_ < text_.size() && text_[at_] == '\r') ++at_;
    if (at_ < text_.size() && text_[at_] == '\n') ++at_;
  }

  void read_cell(Cell& cell) {
    while (at_ < text_.size() && text_[at_] == ' ') ++at_;
    cell.quoted = at_ < text_.size() && text_[at_] == '"';
    cell.text.clear();
    if (cell.quoted) return read_quoted(cell);
    const std::size_t first = at_;
    while (at_ < text_.size() && text_[at_] != separator_ && !ends(text_[at_])) ++at_;
    std::size_t last = at_;
    while (last > first && text_[last - 1] == ' ') --last;
    cell.text.assign(text_, first, last - first);
  }

  void read_quoted(Cell& cell) {
    for (++at_; at_ < text_.size(); ++at_) {
      if (text_[at_] == '"' && (at_ + 1 == text_.size() || text_[at_ + 1] != '"')) break;
      if (text_[at_] == '"') ++at_;
      if (text_[at_] == '\n') ++next_line_;
      cell.text += text_[at_];
    }
    if (at_ == text_.size()) fail_file(kFunction, file_, "line {}: a quote is not closed", line_);
    ++at_;
    while (at_ < text_.size() && text_[at_] == ' ') ++at_;
    if (at_ < text_.size() && text_[at_] != separator_ && !ends(text_[at_]))
      fail_file(kFunction, file_, "line {}: text behind a closing quote", line_);
  }

  std::string text_;
  std::string file_;
  char separator_ = ',';
  std::size_t at_ = 0;
  Index line_ = 0;
  Index next_line_ = 1;
};

bool same_word(std::string_view text, std::string_view word) {
  return std::ranges::equal(text, word, {}, [](char c) { return c >= 'A' && c <= 'Z' ? c + 32 : c; });
}

class TableReader {
 public:
  TableReader(std::string text, const std::string& file, const std::string& group_column)
      : cells_(std::move(text), file), group_column_(group_column) {
    table_.name = file;
  }

  LabelTable read() {
    read_header();
    while (cells_.next(line_)) read_row();
    if (table_.rows.empty()) fail_file(kFunction, table_.name, "has no rows below its header");
    table_.values =
        Eigen::Map<const Matrix>(values_.data(), std::ssize(table_.rows), std::ssize(table_.columns));
    return std::move(table_);
  }

 private:
  void read_header() {
    if (!cells_.next(line_)) fail_file(kFunction, table_.name, "is empty");
    columns_ = line_.size();
    table_.numbered = line_.front().text.empty() || line_.front().text == "row";
    group_at_ = columns_;
    for (std::size_t c = 1; c < columns_; ++c) {
      const std::string& name = line_[c].text;
      if (name.empty()) fail_file(kFunction, table_.name, "column {} has no name", c + 1);
      if (std::ranges::find(table_.columns, name) != table_.columns.end() ||
          (name == group_column_ && group_at_ < columns_))
        fail_file(kFunction, table_.name, "two columns are called {}", quote(name));
      if (name == group_column_)
        group_at_ = c;
      else
        table_.columns.push_back(name);
    }
    if (!group_column_.empty() && group_at_ == columns_) {
      fail_file(kFunction, table_.name, "has no column {}; closest: {}", quote(group_column_),
                closest_names(group_column_, table_.columns, 3));
    }
    if (table_.columns.empty())
      fail_file(kFunction, table_.name, "has no column of labels beside the first, which names the rows");
  }

  void read_row() {
    const Index line = cells_.line();
    if (line_.size() != columns_)
      fail_file(kFunction, table_.name, "line {} has {} cells, must have {}", line, line_.size(), columns_);
    const std::string& row = line_.front().text;
    if (row.empty()) fail_file(kFunction, table_.name, "line {} does not say which row it is about", line);
    const auto [first, added] = known_.emplace(row, line);
    if (!added)
      fail_file(kFunction, table_.name, "lines {} and {} are both about {}", first->second, line, quote(row));
    table_.rows.push_back(row);
    table_.lines.push_back(line);
    std::size_t label = 0;
    for (std::size_t c = 1; c < columns_; ++c) {
      if (c == group_at_)
        table_.groups.push_back(group(line_[c].text, line));
      else
        values_.push_back(number(line_[c].text, table_.columns[label++], line));
    }
  }

  // Rows whose group is not known would become one group.
  std::string group(const std::string& text, Index line) const {
    if (text.empty())
      fail_file(kFunction, table_.name, "line {}: {} is empty, must name the row's group", line,
                quote(group_column_));
    return text;
  }

  double number(const std::string& text, const std::string& column, Index line) const {
    if (text.empty()) return std::numeric_limits<double>::quiet_NaN();
    if (same_word(text, "true")) return 1;
    if (same_word(text, "false")) return 0;
    const char* begin = text.data() + (text.starts_with('+') ? 1 : 0);
    const char* end = text.data() + text.size();
    double value = 0;
    const auto [stop, error] = std::from_chars(begin, end, value);
    if (error != std::errc() || stop != end || !std::isfinite(value)) {
      fail_file(kFunction, table_.name, "line {}: {} is {}, must be a number, true, false or empty", line,
                quote(column), quote(text));
    }
    return value;
  }

  Cells cells_;
  std::string group_column_;
  LabelTable table_;
  std::vector<Cell> line_;
  std::size_t columns_ = 0;
  std::size_t group_at_ = 0;
  std::vector<double> values_;
  std::unordered_map<std::string, Index> known_;
};

}  // namespace

LabelTable read_labels(const ReaderPtr& reader, const std::string& group_column) {
  return TableReader(reader->read_all(), reader->name(), group_column).read();
}

}  // namespace atcav::data
