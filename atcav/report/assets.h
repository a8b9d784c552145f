#pragma once

#include <string_view>

// The parts of the page that are files (atcav/report/assets/), compiled in by cmake/EmbedFiles.cmake.
namespace atcav::report::assets {

extern const std::string_view shell;     // shell.html, around every page: {{names}} are filled in
extern const std::string_view page;      // report.html
extern const std::string_view style;     // report.css
extern const std::string_view dom;       // dom.js: elements by id, and new ones
extern const std::string_view scores;    // scores.js: α, the table
extern const std::string_view table;     // table.js: searched, filtered, sorted
extern const std::string_view charts;    // charts.js: how each chart is drawn
extern const std::string_view views;     // views.js: what is chosen, charts of all concepts
extern const std::string_view maps;      // maps.js: maps over pictures and words
extern const std::string_view overview;  // overview.js: the heat map of concepts and layers
extern const std::string_view details;   // details.js: one result closely, what happens when
extern const std::string_view library;   // Chart.js; empty when it was not found at build time

}  // namespace atcav::report::assets
