// The entry point of the C++ tests; every other file here holds the tests of one noun.
#define DOCTEST_CONFIG_IMPLEMENT_WITH_MAIN
#include <doctest/doctest.h>
