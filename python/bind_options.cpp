#include <fmt/format.h>
#include <pybind11/stl.h>

#include <algorithm>
#include <regex>
#include <string>
#include <vector>

#include "bind.h"
#include "pipeline/option_table.h"

// Keywords are the options of the command line: names and values, both ways.
namespace atcav::python {
namespace {

namespace py = pybind11;

OptionValue option_value(const py::handle& value);

std::string option_text(const py::handle& value) {
  if (py::isinstance<py::tuple>(value)) {  // relative=[("striped", "dotted")]
    std::string text;
    for (const auto& part : value) text += (text.empty() ? "" : ":") + option_text(part);
    return text;
  }
  return py::isinstance<py::float_>(value) ? fmt::format("{}", value.cast<double>())
                                           : py::str(value).cast<std::string>();
}

OptionValue option_list(const py::sequence& values) {
  std::vector<Index> whole;
  std::vector<double> numbers;
  std::vector<std::string> texts;
  for (const auto& value : values) {
    const OptionValue one = option_value(value);
    if (const auto* number = std::get_if<Index>(&one)) whole.push_back(*number);
    if (const auto* number = std::get_if<double>(&one)) numbers.push_back(*number);
    texts.push_back(option_text(value));
  }
  if (whole.size() == texts.size()) return whole;
  if (numbers.size() == texts.size()) return numbers;
  return texts;
}

// A keyword's value; NumPy's numbers too.
OptionValue option_value(const py::handle& value) {
  if (value.is_none()) return {};
  if (PyBool_Check(value.ptr()) ||
      py::str(py::type::of(value).attr("__name__")).cast<std::string>() == "bool_")
    return PyObject_IsTrue(value.ptr()) == 1;
  if (py::isinstance<py::str>(value)) return value.cast<std::string>();
  if (PyIndex_Check(value.ptr())) {
    const auto number = py::reinterpret_steal<py::int_>(PyNumber_Index(value.ptr()));
    if (!number) throw py::error_already_set();
    int overflow = 0;
    const long long whole = PyLong_AsLongLongAndOverflow(number.ptr(), &overflow);
    if (overflow != 0) return py::str(py::object(number)).cast<std::string>();
    return Index{whole};
  }
  if (py::isinstance<py::list>(value) || py::isinstance<py::tuple>(value))
    return option_list(py::reinterpret_borrow<py::sequence>(value));
  if (py::hasattr(value, "__fspath__")) return value.attr("__fspath__")().cast<std::string>();
  if (PyNumber_Check(value.ptr()))
    return py::float_(py::reinterpret_borrow<py::object>(value)).cast<double>();
  throw py::type_error(fmt::format("an option is {}, must be a number, text, or a list of those",
                                   py::repr(value).cast<std::string>()));
}

std::string keyword_of(std::string key) {
  std::ranges::replace(key, '-', '_');
  return key == "lambda" || key == "class" ? key + "_" : key;
}

// What an option may be told, for keywords, their checks and the documentation.
py::list options() {
  py::list found;
  for (const Option& option : option_table()) {
    const py::object value =
        std::visit([](const auto& held) -> py::object { return py::cast(held); }, option.get(Config()));
    found.append(py::make_tuple(keyword_of(option.key), option.key, option.type, option.help, option.of_score,
                                option.of_run, option.repeatable, value,
                                option.group == OptionGroup::kStatistics || option.key == "threads" ||
                                    option.key == "influences" || option.key == "class-groups",
                                option.words));
  }
  return found;
}

}  // namespace

std::string in_keywords(const std::string& message) {
  static const std::regex option("--([a-z][a-z-]*)(=([a-z]+))?");
  std::string text;
  auto rest = message.begin();
  for (std::sregex_iterator at(message.begin(), message.end(), option), end; at != end; ++at) {
    text.append(rest, message.begin() + at->position());
    const std::string key = at->str(1) == "pooling" ? "pool" : keyword_of(at->str(1));  // what most say
    text += key + "=" + (at->length(3) > 0 ? "\"" + at->str(3) + "\"" : "");
    rest = message.begin() + at->position() + at->length();
  }
  return text.append(rest, message.end());
}

Config config_of(const py::dict& options, Config config) {
  for (const auto& [key, value] : options) {
    const bool pair = py::isinstance<py::tuple>(value) && key.cast<std::string>() == "relative";
    set_option(config, key.cast<std::string>(), pair ? option_text(value) : option_value(value));
  }
  return config;
}

void bind_options(py::module_& module) { module.def("options", &options); }

}  // namespace atcav::python
