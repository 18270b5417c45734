/* Loads a model, feeds its first input from a file of raw float32 numbers and prints the outputs.
 *
 *   cc -std=c99 example.c -I FOLDER/include -L FOLDER/lib -lhybrid -Wl,-rpath,FOLDER/lib -o example
 *   ./example net-symbol.json net-0000.params pixels.bin 1 3 32 32
 */
#include <stdio.h>
#include <stdlib.h>

#include "hybrid.h"

static void check(int status) {
  if (status == HYBRID_OK) return;
  fprintf(stderr, "example: %s\n", hybrid_last_error());
  exit(1);
}

static float* read_floats(const char* name, size_t bytes) {
  FILE* file = fopen(name, "rb");
  float* numbers = malloc(bytes > 0 ? bytes : 1);
  if (file == NULL || numbers == NULL || fread(numbers, 1, bytes, file) != bytes) {
    fprintf(stderr, "example: %s: cannot read %lu bytes\n", name, (unsigned long)bytes);
    exit(1);
  }
  fclose(file);
  return numbers;
}

static void print_output(hybrid_model* model, size_t index) {
  hybrid_array_info info;
  const void* data;
  size_t i, bytes;
  check(hybrid_output(model, index, &info));
  check(hybrid_output_data(model, index, &data, &bytes));
  if (info.dtype != HYBRID_FLOAT32) {
    printf("%s: %s, %lu bytes\n", info.name, hybrid_dtype_name(info.dtype), (unsigned long)bytes);
    return;
  }
  printf("%s:", info.name);
  for (i = 0; i < bytes / sizeof(float); ++i) printf(" %.9g", ((const float*)data)[i]);
  printf("\n");
}

int main(int argc, char** argv) {
  hybrid_model* model;
  hybrid_array_info input;
  int64_t shape[HYBRID_MAX_DIMS];
  int ndim = argc - 4, i;
  size_t outputs, k;
  float* numbers;

  if (ndim < 0 || ndim > HYBRID_MAX_DIMS) {
    fprintf(stderr, "usage: example SYMBOL.json MODEL.params INPUT.bin [SIZE...]\n");
    return 2;
  }
  for (i = 0; i < ndim; ++i) shape[i] = atol(argv[4 + i]);

  check(hybrid_load(argv[1], argv[2], &model));
  check(hybrid_set_shape(model, 0, HYBRID_FLOAT32, ndim, shape));
  check(hybrid_input(model, 0, &input));
  numbers = read_floats(argv[3], input.bytes);
  check(hybrid_set_input(model, 0, numbers, input.bytes));
  free(numbers);
  check(hybrid_run(model));
  check(hybrid_num_outputs(model, &outputs));
  for (k = 0; k < outputs; ++k) print_output(model, k);
  return hybrid_free(model);
}
