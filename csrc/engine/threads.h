// Threads of the engine: what each does first.
#pragma once
#include <pthread.h>
#include <signal.h>

#include <string>

namespace hybrid {

// Names the thread for debuggers, and leaves signals to the main thread: one that is delivered
// elsewhere does not end the main thread's sleep.
inline void enter_thread(const std::string& name) {
  sigset_t all;
  sigfillset(&all);
  for (int fault : {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT}) sigdelset(&all, fault);
  pthread_sigmask(SIG_BLOCK, &all, nullptr);
  pthread_setname_np(pthread_self(), name.substr(0, 15).c_str());  // the system's limit
}

}  // namespace hybrid
