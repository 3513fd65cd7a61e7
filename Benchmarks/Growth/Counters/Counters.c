// The program's own malloc and sqlite3_step stand before those of the libraries, count, and call these.
#define _GNU_SOURCE
#include "Counters.h"

#include <dlfcn.h>
#include <sqlite3.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>

static _Atomic int64_t allocations, statements, compilations, steps;
static _Atomic int prints;

GrowthCounts GrowthCountsNow(void) {
    GrowthCounts counts = {allocations, statements, compilations, steps};
    return counts;
}

void GrowthPrintStatements(int value) { prints = value; }

__attribute__((noinline)) void GrowthMeasured(void (*function)(void *), void *context) { function(context); }

#ifdef __GLIBC__
extern void *__libc_malloc(size_t);
extern void *__libc_calloc(size_t, size_t);
extern void *__libc_realloc(void *, size_t);
extern void *__libc_memalign(size_t, size_t);

static void count(_Atomic int64_t *counter, int64_t more) {
    atomic_fetch_add_explicit(counter, more, memory_order_relaxed);
}

void *malloc(size_t size) {
    count(&allocations, 1);
    return __libc_malloc(size);
}

void *calloc(size_t number, size_t size) {
    count(&allocations, 1);
    return __libc_calloc(number, size);
}

void *realloc(void *memory, size_t size) {
    count(&allocations, 1);
    return __libc_realloc(memory, size);
}

int posix_memalign(void **memory, size_t alignment, size_t size) {
    count(&allocations, 1);
    *memory = __libc_memalign(alignment, size);
    return *memory ? 0 : 12;
}

int sqlite3_step(sqlite3_stmt *statement) {
    static _Atomic(int (*)(sqlite3_stmt *)) real;
    if (!real) real = (int (*)(sqlite3_stmt *))dlsym(RTLD_NEXT, "sqlite3_step");
    if (!sqlite3_stmt_busy(statement)) {
        count(&statements, 1);
        if (prints) fprintf(stderr, "%s\n", sqlite3_sql(statement));
    }
    const int before = sqlite3_stmt_status(statement, SQLITE_STMTSTATUS_VM_STEP, 0);
    const int result = real(statement);
    count(&steps, sqlite3_stmt_status(statement, SQLITE_STMTSTATUS_VM_STEP, 0) - before);
    return result;
}

int sqlite3_prepare_v3(
    sqlite3 *database, const char *text, int length, unsigned flags, sqlite3_stmt **statement, const char **tail) {
    static _Atomic(int (*)(sqlite3 *, const char *, int, unsigned, sqlite3_stmt **, const char **)) real;
    if (!real) {
        real = (int (*)(sqlite3 *, const char *, int, unsigned, sqlite3_stmt **, const char **))dlsym(
            RTLD_NEXT, "sqlite3_prepare_v3");
    }
    count(&compilations, 1);
    return real(database, text, length, flags, statement, tail);
}
#endif
