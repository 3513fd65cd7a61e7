#include "CLoops.h"

#ifdef __GLIBC__
#include <malloc.h>
#elif defined(__APPLE__)
#include <malloc/malloc.h>
#endif

void CLoopsSteadyHeap(void) {
#ifdef __GLIBC__
    // Never, which is more than any size.
    mallopt(M_TRIM_THRESHOLD, -1);
    mallopt(M_TOP_PAD, 64 << 20);
    // The most that glibc takes.
    mallopt(M_MMAP_THRESHOLD, 32 << 20);
#endif
}

size_t CLoopsHeapBytes(void) {
#ifdef __GLIBC__
    struct mallinfo2 info = mallinfo2();
    return info.uordblks + info.hblkhd;
#elif defined(__APPLE__)
    malloc_statistics_t statistics;
    malloc_zone_statistics(NULL, &statistics);
    return statistics.size_in_use;
#else
    return 0;
#endif
}
