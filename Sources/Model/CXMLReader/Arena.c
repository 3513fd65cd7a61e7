#include "Arena.h"

#include <stdlib.h>
#include <string.h>

struct ArenaChunk {
    ArenaChunk *previous;
    max_align_t memory[];
};

static const size_t chunk_size = 64 * 1024;

static void *allocate(Arena *arena, size_t size, size_t alignment) {
    size_t begin = (arena->used + alignment - 1) & ~(alignment - 1);
    if (arena->newest == NULL || size > arena->size || begin > arena->size - size) {
        size_t new_size = size > chunk_size ? size : chunk_size;
        if (new_size > (size_t)-1 - sizeof(ArenaChunk)) return NULL;
        ArenaChunk *chunk = calloc(1, sizeof(ArenaChunk) + new_size);
        if (chunk == NULL) return NULL;
        chunk->previous = arena->newest;
        arena->newest = chunk;
        arena->size = new_size;
        begin = 0;
    }
    arena->used = begin + size;
    return (char *)arena->newest->memory + begin;
}

void *CXMLArenaAllocate(Arena *arena, size_t size) { return allocate(arena, size, _Alignof(max_align_t)); }

char *CXMLArenaCopy(Arena *arena, const char *bytes, size_t length) {
    char *copy = allocate(arena, length + 1, 1);
    if (copy != NULL && length > 0) memcpy(copy, bytes, length);
    return copy;
}

void CXMLArenaDestroy(Arena *arena) {
    ArenaChunk *chunk = arena->newest;
    while (chunk != NULL) {
        ArenaChunk *previous = chunk->previous;
        free(chunk);
        chunk = previous;
    }
    arena->newest = NULL;
    arena->used = 0;
    arena->size = 0;
}
