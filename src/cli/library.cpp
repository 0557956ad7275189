// libatoll.so is made of the rooms' archives and this file.
//
// Inside other people's programs its threads may run until the last instruction, past exit(). So nothing that is static in here
// is ever destroyed: registrations of destructors, which the compiler makes through this function (Itanium C++ ABI 3.3.6.3), come
// to nothing. Those of thread-local objects go another way and are made.
extern "C" __attribute__((visibility("hidden"))) int __cxa_atexit(void (*)(void*), void*, void*) { return 0; }
