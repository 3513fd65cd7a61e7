#include "Post.h"

static inline uint64_t mixed(uint64_t hash, uint64_t value) {
    hash = (hash ^ value) * 0x9E3779B97F4A7C15u;
    return hash ^ (hash >> 29);
}

static uint64_t mixedNumber(uint64_t hash, double value) {
    uint64_t bits;
    memcpy(&bits, &value, sizeof bits);
    return mixed(hash, bits);
}

static uint64_t mixedBytes(uint64_t hash, CLoopsBytes value) {
    if (value.bytes == NULL) {
        return mixed(hash, UINT64_MAX);
    }
    hash = mixed(hash, value.count);
    for (size_t index = 0; index < value.count; index++) {
        hash = mixed(hash, ((const uint8_t *)value.bytes)[index]);
    }
    return hash;
}

uint64_t CLoopsPostChecksum(const CLoopsPost *post) {
    uint64_t hash = mixed(0, post->favorite);
    hash = mixedBytes(hash, post->image);
    hash = mixedNumber(hash, post->latitude);
    hash = mixed(hash, (uint64_t)post->likes);
    hash = mixedNumber(hash, post->longitude);
    hash = mixedBytes(hash, post->palette);
    hash = mixedBytes(hash, post->text);
    hash = mixedNumber(hash, post->timestamp);
    hash = mixedBytes(hash, post->title);
    return mixed(hash, (uint64_t)post->author);
}

uint64_t CLoopsStoreChecksum(sqlite3 *database) {
    sqlite3_stmt *statement;
    const char *sql = "SELECT \"id$\", \"version$\", \"favorite\", \"image\", \"latitude\", \"likes\", \"longitude\", "
                      "\"palette\", \"text\", \"timestamp\", \"title\", \"author\" FROM \"Post\"";
    uint64_t sum = 1;
    if (sqlite3_prepare_v2(database, sql, -1, &statement, NULL) != SQLITE_OK) {
        return 0;
    }
    while (sqlite3_step(statement) == SQLITE_ROW) {
        CLoopsPost post;
        readPost(statement, &post);
        uint64_t hash = mixed(CLoopsPostChecksum(&post), (uint64_t)post.id);
        sum += mixed(hash, (uint64_t)sqlite3_column_int64(statement, 1));
        releasePost(&post);
    }
    sqlite3_finalize(statement);
    return sum;
}
