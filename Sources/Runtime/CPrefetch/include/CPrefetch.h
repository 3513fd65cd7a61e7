#ifndef CPREFETCH_H
#define CPREFETCH_H

#include <stddef.h>

/// Has the processor bring an object into its caches, as far as objects are mostly looked at, while other work goes on.
static inline void CPrefetchObject(const void *object) {
    __builtin_prefetch(object);
    __builtin_prefetch((const char *)object + 64);
    __builtin_prefetch((const char *)object + 128);
}

/// As CPrefetchObject, for the object that a loop comes to eight elements later. Each element begins with its object or
/// with NULL.
static inline void CPrefetchAhead(const void *elements, size_t stride, size_t index, size_t count) {
    const size_t later = index + 8;
    if (later < count) {
        CPrefetchObject(*(const void *const *)((const char *)elements + later * stride));
    }
}

#endif
