#include "Post.h"

static inline void bindBlob(sqlite3_stmt *statement, int position, CLoopsBytes value) {
    if (value.bytes == NULL) {
        sqlite3_bind_null(statement, position);
    } else {
        sqlite3_bind_blob64(statement, position, value.bytes, value.count, SQLITE_STATIC);
    }
}

static inline void bindText(sqlite3_stmt *statement, int position, CLoopsBytes value) {
    sqlite3_bind_text64(statement, position, value.bytes, value.count, SQLITE_STATIC, SQLITE_UTF8);
}

int CLoopsInsert(sqlite3_stmt *statement, const CLoopsPosts *posts) {
    for (size_t index = 0; index < posts->count; index++) {
        const CLoopsPost *post = &posts->posts[index];
        sqlite3_bind_int64(statement, 1, post->favorite);
        bindBlob(statement, 2, post->image);
        sqlite3_bind_double(statement, 3, post->latitude);
        sqlite3_bind_int64(statement, 4, post->likes);
        sqlite3_bind_double(statement, 5, post->longitude);
        bindBlob(statement, 6, post->palette);
        bindText(statement, 7, post->text);
        sqlite3_bind_double(statement, 8, post->timestamp);
        bindText(statement, 9, post->title);
        if (post->author == 0) {
            sqlite3_bind_null(statement, 10);
        } else {
            sqlite3_bind_int64(statement, 10, post->author);
        }
        int code = sqlite3_step(statement);
        sqlite3_reset(statement);
        if (code != SQLITE_DONE) {
            return code;
        }
    }
    return SQLITE_DONE;
}

int CLoopsUpdate(sqlite3_stmt *statement, CLoopsPosts *posts) {
    for (size_t index = 0; index < posts->count; index++) {
        CLoopsPost *post = &posts->posts[index];
        post->likes += 1;
        sqlite3_bind_int64(statement, 1, post->likes);
        sqlite3_bind_int64(statement, 2, post->id);
        int code = sqlite3_step(statement);
        sqlite3_reset(statement);
        if (code != SQLITE_DONE) {
            return code;
        }
    }
    return SQLITE_DONE;
}

int CLoopsDelete(sqlite3_stmt *statement, const CLoopsPosts *posts) {
    for (size_t index = 0; index < posts->count; index++) {
        sqlite3_bind_int64(statement, 1, posts->posts[index].id);
        int code = sqlite3_step(statement);
        sqlite3_reset(statement);
        if (code != SQLITE_DONE) {
            return code;
        }
    }
    return SQLITE_DONE;
}
