// Whether a JPEG file holds as many blocks as its header claims; untrusted input.
#pragma once
#include <cstddef>
#include <cstdint>

namespace hybrid {

// Follows the Huffman codes of the first scan (ITU-T T.81, annexes B, F and G) and decodes nothing:
// decoders take the memory of the whole image first, and fill in what is not there. False where
// the scan ends early, is broken, or is coded in another way.
bool jpeg_is_whole(const uint8_t* data, size_t size);

}  // namespace hybrid
