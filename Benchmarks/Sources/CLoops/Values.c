#include "Post.h"

int CLoopsFetchValues(sqlite3_stmt *statement, CLoopsPosts *result) {
    int code;
    while ((code = sqlite3_step(statement)) == SQLITE_ROW) {
        if (result->count == result->capacity) {
            result->capacity = result->capacity == 0 ? 16 : result->capacity * 2;
            result->posts = realloc(result->posts, result->capacity * sizeof(CLoopsPost));
        }
        readPost(statement, &result->posts[result->count++]);
    }
    sqlite3_reset(statement);
    return code;
}

void CLoopsReleaseValues(CLoopsPosts *posts) {
    for (size_t index = 0; index < posts->count; index++) {
        releasePost(&posts->posts[index]);
    }
    free(posts->posts);
    *posts = (CLoopsPosts){NULL, 0, 0};
}
