// Tests of csrc/cuda, in a process of their own: its GPUs are the fake driver's.
#define DOCTEST_CONFIG_IMPLEMENT
#include <cstdlib>

#include "doctest/doctest.h"

int main(int argc, char** argv) {
  setenv("HYBRID_CUDA_DRIVER", FAKE_CUDA, 1);
  return doctest::Context(argc, argv).run();
}
