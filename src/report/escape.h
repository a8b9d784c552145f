#pragma once

#include <map>
#include <string>
#include <string_view>

// Users' names and paths inside HTML and on a terminal: whatever they hold, they stay text.
namespace atcav::report {

// For text and for quoted attributes: & < > " '. Bytes that are not UTF-8 become U+FFFD, control characters
// that HTML forbids too.
std::string escape_html(std::string_view text);
// JSON for a <script> element: < > & as \u00.., so that no string in it can end the element.
std::string escape_json_for_script(std::string_view json);
// JavaScript for a <script> element: "</script" and "<!--" inside it get a backslash, which changes nothing
// in the strings, comments and patterns they can be in.
std::string escape_code_for_script(std::string_view code);
// For one line of a terminal: control characters, line ends among them, marks of direction and of no width,
// and bytes that are not UTF-8 become U+FFFD, so that no name can move the cursor, change colours or turn the
// order of what is around it.
std::string printable(std::string_view text);
// The same for messages of several lines: line ends stay.
std::string printable_lines(std::string_view text);
// `page` with each {{name}} replaced by its value. Values are not looked into, so braces in them stay.
// Throws std::invalid_argument for a name without a value.
std::string fill_template(std::string_view page, const std::map<std::string, std::string>& values);

}  // namespace atcav::report
