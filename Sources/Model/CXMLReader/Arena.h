/* Memory that is given back all at once. */

#ifndef ARENA_H
#define ARENA_H

#include <stddef.h>

typedef struct ArenaChunk ArenaChunk;

typedef struct Arena {
    ArenaChunk *newest;
    size_t used;
    size_t size;
} Arena;

/* Zeroed memory, aligned for any type; NULL when there is none. */
void *CXMLArenaAllocate(Arena *arena, size_t size);
/* A copy that is followed by a NUL; NULL when there is no memory. */
char *CXMLArenaCopy(Arena *arena, const char *bytes, size_t length);
/* Gives all memory back. */
void CXMLArenaDestroy(Arena *arena);

#endif
