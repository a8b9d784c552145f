#pragma once

#include <string_view>

// The parts of the page that are files (atcav/report/assets/), compiled in by cmake/EmbedFiles.cmake. A
// script is a module: names are its own, what it takes from others is named in its first lines, what it gives
// in its last one (page.NAME = {…}).
namespace atcav::report::assets {

extern const std::string_view shell;      // shell.html, around every page: {{names}} are filled in
extern const std::string_view page;       // report.html
extern const std::string_view style;      // report.css
extern const std::string_view dom;        // dom.js: elements by id, new ones, numbers as texts
extern const std::string_view results;    // results.js: the data of the page as objects
extern const std::string_view chosen;     // chosen.js: which result and which α
extern const std::string_view charts;     // charts.js: how each chart is drawn
extern const std::string_view maps;       // maps.js: maps over pictures and words
extern const std::string_view scores;     // scores.js: the choice of α
extern const std::string_view table;      // table.js: searched, filtered, sorted
extern const std::string_view overview;   // overview.js: the heat map of concepts and layers
extern const std::string_view atlas;      // atlas.js: the heat map of concepts and classes
extern const std::string_view curves;     // curves.js: all concepts over α and over layers
extern const std::string_view closer;     // closer.js: one result closely
extern const std::string_view negatives;  // negatives.js: other random examples
extern const std::string_view gallery;    // gallery.js: maps over the patches of found concepts
extern const std::string_view start;      // start.js: selectors, findings, links, print; starts the others
extern const std::string_view library;    // Chart.js; empty when it was not found at build time

}  // namespace atcav::report::assets
