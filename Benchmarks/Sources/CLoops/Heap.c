#include "CLoops.h"

#ifdef __GLIBC__
#include <malloc.h>
#endif

void CLoopsSteadyHeap(void) {
#ifdef __GLIBC__
    mallopt(M_TRIM_THRESHOLD, 1 << 30);
    mallopt(M_TOP_PAD, 64 << 20);
    // The most that glibc takes.
    mallopt(M_MMAP_THRESHOLD, 32 << 20);
#endif
}
