#include "Post.h"

static void makeSlots(CLoopsMap *map, unsigned bits) {
    map->bits = bits;
    map->slots = malloc(sizeof(uint32_t) << bits);
    memset(map->slots, 0xFF, sizeof(uint32_t) << bits);
}

CLoopsMap CLoopsMakeMap(void) {
    CLoopsMap map = {NULL, 0, 0, NULL, 0};
    makeSlots(&map, 6);
    return map;
}

void CLoopsReleaseMap(CLoopsMap *map) {
    for (size_t index = 0; index < map->count; index++) {
        releasePost(map->objects[index]);
        free(map->objects[index]);
    }
    free(map->objects);
    free(map->slots);
}

/// The slot of an identifier, or the free one where it belongs.
static inline size_t findSlot(const CLoopsMap *map, int64_t id) {
    size_t slot = ((uint64_t)id * 0x9E3779B97F4A7C15u) >> (64 - map->bits);
    while (map->slots[slot] != UINT32_MAX && map->objects[map->slots[slot]]->id != id) {
        slot = (slot + 1) & (((size_t)1 << map->bits) - 1);
    }
    return slot;
}

static CLoopsPost *registerObject(CLoopsMap *map, sqlite3_stmt *statement, int64_t id) {
    if ((map->count + 1) * 2 > (size_t)1 << map->bits) {
        free(map->slots);
        makeSlots(map, map->bits + 1);
        for (size_t index = 0; index < map->count; index++) {
            map->slots[findSlot(map, map->objects[index]->id)] = (uint32_t)index;
        }
    }
    if (map->count == map->capacity) {
        map->capacity = map->capacity == 0 ? 16 : map->capacity * 2;
        map->objects = realloc(map->objects, map->capacity * sizeof(CLoopsPost *));
    }
    CLoopsPost *object = malloc(sizeof(CLoopsPost));
    readPost(statement, object);
    map->slots[findSlot(map, id)] = (uint32_t)map->count;
    map->objects[map->count++] = object;
    return object;
}

static inline CLoopsPost *registeredObject(const CLoopsMap *map, int64_t id) {
    uint32_t position = map->slots[findSlot(map, id)];
    return position == UINT32_MAX ? NULL : map->objects[position];
}

int CLoopsFetchObjects(sqlite3_stmt *statement, CLoopsMap *map, CLoopsPost **result, size_t *count) {
    int code;
    while ((code = sqlite3_step(statement)) == SQLITE_ROW) {
        int64_t id = sqlite3_column_int64(statement, 0);
        CLoopsPost *object = registeredObject(map, id);
        result[(*count)++] = object != NULL ? object : registerObject(map, statement, id);
    }
    sqlite3_reset(statement);
    return code;
}

int CLoopsLookUp(
    sqlite3_stmt *statement, CLoopsMap *map, const int64_t *identifiers, size_t count, CLoopsPost **result) {
    for (size_t index = 0; index < count; index++) {
        CLoopsPost *object = registeredObject(map, identifiers[index]);
        if (object == NULL) {
            sqlite3_bind_int64(statement, 1, identifiers[index]);
            int code = sqlite3_step(statement);
            if (code != SQLITE_ROW) {
                return code;
            }
            object = registerObject(map, statement, identifiers[index]);
            sqlite3_reset(statement);
        }
        result[index] = object;
    }
    return SQLITE_DONE;
}
