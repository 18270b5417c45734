// Staging: pinned host memory through which a lane copies, in pieces that take turns.
#pragma once
#include <cstddef>

#include "cuda/device.h"

namespace hybrid {
namespace cuda {

class Staging {
 public:
  Staging(Device& device, Lane& lane) : device_(device), lane_(lane) {}
  // The source may be reused on return; the copy is on the stream.
  void to_device(Address to, const void* from, size_t bytes);
  // Waits: the bytes are there on return.
  void to_host(void* to, Address from, size_t bytes);

 private:
  struct Piece {
    char* memory = nullptr;
    Handle free = nullptr;  // event: the last copy through it is done
    bool under_way = false;
  };
  Piece& next();  // waits until it is free
  void settle(Piece& piece);

  Device& device_;
  Lane& lane_;
  Piece pieces_[2];
  int turn_ = 0;
};

}  // namespace cuda
}  // namespace hybrid
