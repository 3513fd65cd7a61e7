/* Follows a parser through the source text, and tells the places of start tags and attributes.
 *
 * libxml2 reports an element when its start tag has been read, and tells no column. The cursor steps from start tag to
 * start tag in the text itself. What it steps over has been found well-formed by libxml2. */

#ifndef SOURCE_CURSOR_H
#define SOURCE_CURSOR_H

#include "CXMLReader.h"

typedef struct SourceCursor {
    const char *text;
    size_t length;
    /* Where the next search begins. */
    size_t offset;
    /* The line that `counted` is in, and where the line begins. */
    int64_t line;
    size_t line_start;
    size_t counted;
} SourceCursor;

SourceCursor CXMLSourceCursorMake(const char *text, size_t length);

/* The place of an offset. Offsets must not decrease from call to call. */
CXMLPosition CXMLSourceCursorPosition(SourceCursor *cursor, size_t offset);

/* Moves to the next start tag, behind its `<`, and tells the offset of the `<`; false when there is none. */
bool CXMLSourceCursorNextStartTag(SourceCursor *cursor, size_t *start);

/* Whether a name stands at the cursor; if so moves behind it. */
bool CXMLSourceCursorSkipName(SourceCursor *cursor, const char *name);

/* Moves behind the next attribute within a start tag, and tells its name; false at the end of the tag, which the
 * cursor is then behind. */
bool CXMLSourceCursorNextAttribute(SourceCursor *cursor, size_t *start, size_t *name_length);

/* Whether any tag in the text has more attributes than a limit, and where that tag begins. */
bool CXMLSourceHasTagWithMoreAttributes(const char *text, size_t length, size_t limit, size_t *start);

#endif
