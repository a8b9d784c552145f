// draw_images SET COUNT SEED FILE.npy: pictures of the demo as an array, one per row, for train.py and
// check.py.
#include <exception>
#include <iostream>
#include <string>

#include "apps/demo/images.h"
#include "data/array/npy.h"

int main(int argc, char** argv) {
  if (argc != 5) {
    std::cerr << "usage: draw_images SET COUNT SEED FILE.npy\n";
    return 2;
  }
  try {
    const atcav::MatrixF images =
        atcav::demo::images(atcav::demo::parse_set(argv[1]), std::stol(argv[2]), std::stoull(argv[3]));
    atcav::data::write_npy(argv[4], images);
  } catch (const std::exception& error) {
    std::cerr << "draw_images: " << error.what() << '\n';
    return 1;
  }
}
