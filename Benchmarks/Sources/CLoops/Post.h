#ifndef CLOOPS_POST_H
#define CLOOPS_POST_H

#include "CLoops.h"

#include <stdlib.h>
#include <string.h>

static inline CLoopsBytes copiedText(sqlite3_stmt *statement, int column) {
    const void *bytes = sqlite3_column_text(statement, column);
    CLoopsBytes result = {NULL, (size_t)sqlite3_column_bytes(statement, column)};
    if (bytes != NULL) {
        result.bytes = malloc(result.count + 1);
        memcpy(result.bytes, bytes, result.count);
    }
    return result;
}

static inline CLoopsBytes copiedBlob(sqlite3_stmt *statement, int column) {
    const void *bytes = sqlite3_column_blob(statement, column);
    CLoopsBytes result = {NULL, 0};
    if (bytes != NULL) {
        result.count = (size_t)sqlite3_column_bytes(statement, column);
        result.bytes = malloc(result.count);
        memcpy(result.bytes, bytes, result.count);
    }
    return result;
}

static inline void readPost(sqlite3_stmt *statement, CLoopsPost *post) {
    post->id = sqlite3_column_int64(statement, 0);
    post->favorite = sqlite3_column_int64(statement, 2) != 0;
    post->image = copiedBlob(statement, 3);
    post->latitude = sqlite3_column_double(statement, 4);
    post->likes = sqlite3_column_int64(statement, 5);
    post->longitude = sqlite3_column_double(statement, 6);
    post->palette = copiedBlob(statement, 7);
    post->text = copiedText(statement, 8);
    post->timestamp = sqlite3_column_double(statement, 9);
    post->title = copiedText(statement, 10);
    post->author = sqlite3_column_int64(statement, 11);
}

static inline void releasePost(CLoopsPost *post) {
    free(post->image.bytes);
    free(post->palette.bytes);
    free(post->text.bytes);
    free(post->title.bytes);
}

#endif
