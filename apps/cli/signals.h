#pragma once

// How the program answers signals. No thread of it ever runs a handler for Ctrl-C or SIGTERM: they are
// blocked everywhere and one thread waits for them, so that none arrives inside a library that cannot bear it
// (core/parallel.h).
namespace atcav::cli {

// To be called first, before there are other threads, which inherit what is blocked.
//
// After Ctrl-C or SIGTERM interrupted() is true; work that asks stops by itself. A third of a second later,
// or at a second signal, the program ends with exit code 130 wherever it is, but not between the names of
// files that belong together. A file that grows beyond the system's limit (SIGXFSZ) is an error of write.
void catch_signals();

bool interrupted();

// To be called once, before the program's last line: it ends with this code now, if need be in the middle of
// what its libraries do at the end, and a signal no longer adds a line of its own. Does not return where a
// signal came first and is ending the program.
void claim_exit(int code);

}  // namespace atcav::cli
