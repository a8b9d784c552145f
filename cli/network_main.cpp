#include "command.h"
#include "program.h"

// All commands, with LibTorch loaded: what main.cpp hands over to.
int main(int argc, char** argv) {
  using namespace atcav::cli;
  return run_program(argc, argv,
                     {add_score_command, add_theory_command, add_run_command, add_layers_command,
                      add_demo_command, add_paper_command});
}
