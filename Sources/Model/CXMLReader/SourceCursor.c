#include "SourceCursor.h"

#include <string.h>

static bool is_space(char character) {
    return character == ' ' || character == '\t' || character == '\n' || character == '\r';
}

/* Moves behind the next occurrence of a mark, or to the end. */
static void skip_past(SourceCursor *cursor, const char *mark) {
    size_t mark_length = strlen(mark);
    while (cursor->offset + mark_length <= cursor->length) {
        const char *from = cursor->text + cursor->offset;
        const char *found = memchr(from, mark[0], cursor->length - cursor->offset);
        if (found == NULL) break;
        cursor->offset = (size_t)(found - cursor->text);
        if (cursor->length - cursor->offset < mark_length) break;
        if (memcmp(found, mark, mark_length) == 0) {
            cursor->offset += mark_length;
            return;
        }
        cursor->offset += 1;
    }
    cursor->offset = cursor->length;
}

static bool stands_at(const SourceCursor *cursor, const char *mark) {
    size_t mark_length = strlen(mark);
    return cursor->length - cursor->offset >= mark_length
        && memcmp(cursor->text + cursor->offset, mark, mark_length) == 0;
}

/* Moves behind a document type declaration; its internal subset holds at most comments and instructions. */
static void skip_document_type(SourceCursor *cursor) {
    bool in_subset = false;
    while (cursor->offset < cursor->length) {
        char character = cursor->text[cursor->offset];
        if (in_subset && stands_at(cursor, "<!--")) {
            cursor->offset += 4;
            skip_past(cursor, "-->");
            continue;
        }
        if (in_subset && stands_at(cursor, "<?")) {
            skip_past(cursor, "?>");
            continue;
        }
        cursor->offset += 1;
        if (character == '[') in_subset = true;
        if (character == ']') in_subset = false;
        if (character == '"') skip_past(cursor, "\"");
        if (character == '\'') skip_past(cursor, "'");
        if (character == '>' && !in_subset) return;
    }
}

SourceCursor CXMLSourceCursorMake(const char *text, size_t length) {
    SourceCursor cursor = {.text = text, .length = length, .offset = 0, .line = 1, .line_start = 0, .counted = 0};
    /* A byte order mark is no column. */
    if (length >= 3 && memcmp(text, "\xEF\xBB\xBF", 3) == 0) {
        cursor.offset = 3;
        cursor.line_start = 3;
        cursor.counted = 3;
    }
    return cursor;
}

CXMLPosition CXMLSourceCursorPosition(SourceCursor *cursor, size_t offset) {
    if (offset > cursor->length) offset = cursor->length;
    while (cursor->counted < offset) {
        const char *found = memchr(cursor->text + cursor->counted, '\n', offset - cursor->counted);
        if (found == NULL) {
            cursor->counted = offset;
        } else {
            cursor->counted = (size_t)(found - cursor->text) + 1;
            cursor->line += 1;
            cursor->line_start = cursor->counted;
        }
    }
    int64_t column = offset >= cursor->line_start ? (int64_t)(offset - cursor->line_start) + 1 : 0;
    CXMLPosition position = {.line = cursor->line, .column = column};
    return position;
}

bool CXMLSourceCursorNextStartTag(SourceCursor *cursor, size_t *start) {
    while (true) {
        skip_past(cursor, "<");
        if (cursor->offset >= cursor->length) return false;
        switch (cursor->text[cursor->offset]) {
        case '!':
            if (stands_at(cursor, "!--")) {
                cursor->offset += 3;
                skip_past(cursor, "-->");
            } else if (stands_at(cursor, "![CDATA[")) {
                skip_past(cursor, "]]>");
            } else {
                skip_document_type(cursor);
            }
            break;
        case '?':
            skip_past(cursor, "?>");
            break;
        case '/':
            skip_past(cursor, ">");
            break;
        default:
            *start = cursor->offset - 1;
            return true;
        }
    }
}

bool CXMLSourceCursorSkipName(SourceCursor *cursor, const char *name) {
    if (!stands_at(cursor, name)) return false;
    size_t end = cursor->offset + strlen(name);
    if (end < cursor->length && !is_space(cursor->text[end]) && cursor->text[end] != '>' && cursor->text[end] != '/') {
        return false;
    }
    cursor->offset = end;
    return true;
}

/* What ends an attribute's name, and what comes between it and the value. Users' packages build the reader without
   optimisation, where a table costs a fourth of a call for each character. */
static const bool ends_name[256] = {
    [' '] = true, ['\t'] = true, ['\n'] = true, ['\r'] = true, ['='] = true, ['>'] = true,
};
static const bool ends_equals_sign[256] = {['"'] = true, ['\''] = true, ['>'] = true};

bool CXMLSourceCursorNextAttribute(SourceCursor *cursor, size_t *start, size_t *name_length) {
    const unsigned char *text = (const unsigned char *)cursor->text;
    size_t offset = cursor->offset;
    while (offset < cursor->length && (is_space((char)text[offset]) || text[offset] == '/')) offset += 1;
    *start = offset;
    while (offset < cursor->length && !ends_name[text[offset]]) offset += 1;
    *name_length = offset - *start;
    while (offset < cursor->length && !ends_equals_sign[text[offset]]) offset += 1;
    if (offset >= cursor->length || text[offset] == '>') {
        cursor->offset = offset < cursor->length ? offset + 1 : offset;
        return false;
    }
    cursor->offset = offset + 1;
    skip_past(cursor, text[offset] == '"' ? "\"" : "'");
    return true;
}

static bool has_more_attributes(const char *tag, size_t size, size_t limit) {
    if (size < 2 || tag[1] == '!' || tag[1] == '?' || tag[1] == '/') return false;
    size_t count = 0;
    char quote = 0;
    for (size_t offset = 1; offset < size; offset += 1) {
        char character = tag[offset];
        if (quote != 0) {
            if (character == quote) quote = 0;
        } else if (character == '"' || character == '\'') {
            quote = character;
        } else if (character == '>') {
            return false;
        } else if (character == '=') {
            count += 1;
            if (count > limit) return true;
        }
    }
    return false;
}

bool CXMLSourceHasTagWithMoreAttributes(const char *text, size_t length, size_t limit, size_t *start) {
    const char *end = text + length;
    const char *tag = memchr(text, '<', length);
    while (tag != NULL) {
        /* A `<` is illegal in attribute values, so that every one begins something new. */
        const char *next = memchr(tag + 1, '<', (size_t)(end - tag) - 1);
        size_t size = (size_t)((next == NULL ? end : next) - tag);
        /* An attribute is a space, a letter, `=` and two quotation marks at least. */
        if (size / 5 > limit && has_more_attributes(tag, size, limit)) {
            *start = (size_t)(tag - text);
            return true;
        }
        tag = next;
    }
    return false;
}
