#include "kernels/row_kernel.h"

#include <algorithm>

#include "core/error.h"
#include "kernels/scratch.h"

namespace hybrid {
namespace {

constexpr int64_t kTileElements = 4096;
constexpr double kChunkNs = 1e5;  // of one thread at a time
constexpr int64_t kLine = 64;

int64_t padded(int64_t bytes) { return (bytes + kLine - 1) / kLine * kLine; }

bool touches(const RowPhase& phase, int number) {
  if (phase.kind == RowPhase::reduction) return phase.from == number || phase.to == number;
  return std::find(phase.memory.begin(), phase.memory.end(), number) != phase.memory.end();
}

// Addresses of element 0 of whole arrays, also where only some rows of them exist.
void find_tiles(const RowKernel& k, int64_t row, char* scratch, char** at) {
  for (size_t t = 0; t < k.tiles.size(); ++t) {
    const RowTile& tile = k.tiles[t];
    const int64_t before = row * (tile.wide ? k.size : 1) * tile.item;
    at[static_cast<size_t>(k.num_arrays) + t] = reinterpret_cast<char*>(
        reinterpret_cast<uintptr_t>(scratch + tile.offset) - static_cast<uintptr_t>(before));
  }
}

char* moved(char* address, int64_t bytes) {
  return reinterpret_cast<char*>(reinterpret_cast<uintptr_t>(address) +
                                 static_cast<uintptr_t>(bytes));
}

void run_phase(const RowKernel& k, const RowPhase& phase, int64_t row, int64_t n, char* const* at) {
  if (phase.kind == RowPhase::reduction) {
    const int64_t item = static_cast<int64_t>(dtype_size(phase.dtype));
    reduce_rows(phase.reduce, phase.dtype, moved(at[phase.from], row * k.size * item), n, k.size,
                moved(at[phase.to], row * item));
    return;
  }
  char* memory[RowKernel::kMaxMemory];
  for (size_t i = 0; i < phase.memory.size(); ++i) memory[i] = at[phase.memory[i]];
  const int64_t step = phase.wide ? k.size : 1;
  phase.plan.run(row * step, (row + n) * step, memory);
}

}  // namespace

int64_t rows_at_once(int64_t size) { return std::max<int64_t>(1, kTileElements / size); }

void RowKernel::finish() {
  require(num_arrays + static_cast<int>(tiles.size()) <= kMaxMemory, "row kernel: ", num_arrays,
          " arrays and ", tiles.size(), " tiles, at most ", kMaxMemory, " together");
  tile_rows = std::min(rows, rows_at_once(size));
  // A tile takes over the place of one that nobody needs any more.
  struct Place {
    int64_t offset, bytes;
    size_t free_from;
  };
  std::vector<Place> places;
  for (size_t p = 0; p < phases.size(); ++p) {
    for (size_t t = 0; t < tiles.size(); ++t) {
      const int number = num_arrays + static_cast<int>(t);
      size_t first = 0, last = phases.size() - 1;
      while (first < phases.size() && !touches(phases[first], number)) ++first;
      if (first != p) continue;
      while (!touches(phases[last], number)) --last;
      const int64_t bytes = padded(tile_rows * (tiles[t].wide ? size : 1) * tiles[t].item);
      auto place = std::find_if(places.begin(), places.end(), [&](const Place& q) {
        return q.free_from <= p && q.bytes == bytes;
      });
      if (place == places.end()) {
        places.push_back({scratch_bytes, bytes, 0});
        place = places.end() - 1;
        scratch_bytes += bytes + 3 * kLine;  // so that tiles do not share cache sets
      }
      tiles[t].offset = place->offset;
      place->free_from = last + 1;
    }
  }
}

void run_row_kernel(const RowKernel& k, char* const* arrays, Resources& resources) {
  if (k.rows == 0) return;
  const double tile_ns = k.cost_ns * static_cast<double>(k.tile_rows) + 1;
  const int64_t grain =
      k.tile_rows * std::max<int64_t>(1, static_cast<int64_t>(kChunkNs / tile_ns));
  resources.parallel(k.rows, grain, [&](int64_t begin, int64_t end) {
    thread_local ThreadScratch scratch;
    char* const tiles = static_cast<char*>(scratch.get(static_cast<size_t>(k.scratch_bytes)));
    char* at[RowKernel::kMaxMemory];
    std::copy_n(arrays, k.num_arrays, at);
    for (int64_t row = begin; row < end; row += k.tile_rows) {
      const int64_t n = std::min(k.tile_rows, end - row);
      find_tiles(k, row, tiles, at);
      for (const RowPhase& phase : k.phases) run_phase(k, phase, row, n, at);
    }
  });
}

}  // namespace hybrid
