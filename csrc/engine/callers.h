// Callers: the threads that push operators, and which of them wait.
#pragma once

namespace hybrid {
namespace engine {

class Callers {
 public:
  static void note();  // this thread is one
  static bool one_is_free();
  static void after_fork();
  class Waits {  // this thread does
   public:
    Waits();
    ~Waits();

   private:
    bool counts_;
  };
};

}  // namespace engine
}  // namespace hybrid
