#include "CLoops.h"

__attribute__((noinline)) void CLoopsMeasured(void (*body)(void *), void *context) {
    body(context);
    // Keeps the call from becoming a jump that would end this function first.
    __asm__ volatile("");
}
