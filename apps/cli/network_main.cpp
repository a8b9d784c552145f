#include <malloc.h>

#include "command.h"
#include "program.h"

// All commands, with LibTorch loaded: what main.cpp hands over to.
int main(int argc, char** argv) {
  using namespace atcav::cli;
  // A network asks for the same large pieces again and again; given back to the system and cleared by it each
  // time they cost a quarter of a run.
  mallopt(M_MMAP_MAX, 0);
  mallopt(M_TRIM_THRESHOLD, 1 << 30);
  return run_program(argc, argv,
                     {add_score_command, add_theory_command, add_run_command, add_layers_command,
                      add_demo_command, add_paper_command});
}
